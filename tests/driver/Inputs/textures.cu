// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
texture<float, 2, cudaReadModeElementType> image;
surface<void, 2> target;
template <class T> __device__ T readAt(cudaTextureObject_t texture, int i) { return tex2D<T>(texture, i, 1); }
__global__ void fetch(float *out, cudaTextureObject_t texture) { *out = tex1Dfetch<float>(texture, 3); }
__global__ void sample(float *out, cudaTextureObject_t texture) {
  out[0] = tex3D<float4>(texture, 1.0f, 2.0f, 3.0f).x + readAt<float>(texture, 1);
}
__global__ void copy(cudaSurfaceObject_t surface) {
  float x;
  surf2Dread(&x, surface, 4, 0);
  surf2Dwrite(x, surface, 4, 1);
}
__global__ void refer(float *out) { *out = tex2D(image, 0.5f, 0.5f); }
