// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that Fortran launches (../texture_objects.cuf).
#include <cuda_runtime.h>

extern "C" __global__ void fetch(cudaTextureObject_t t, float *to, int n) {
  if (int i = threadIdx.x; i < n)
    to[i] = tex1Dfetch<float>(t, i);
}

extern "C" __global__ void sample(cudaTextureObject_t t, float *to, int n, float y) {
  if (int i = threadIdx.x; i < n)
    to[i] = tex2D<float>(t, i + 1.0f, y);
}

extern "C" __global__ void twice(cudaSurfaceObject_t s, int width, int height) {
  int x = threadIdx.x, y = threadIdx.y;
  if (x < width && y < height)
    surf2Dwrite(2 * surf2Dread<float>(s, 4 * x, y), s, 4 * x, y);
}
