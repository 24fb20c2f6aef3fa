// RUN: %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A texture object that is destroyed right behind the launch that reads it, and made again of other memory: the kernel
// goes on with what it was launched with. So do surfaces.
#include "support.h"

constexpr int N = 64;

__global__ void readLate(cudaTextureObject_t texture, cudaSurfaceObject_t surface, int *out) {
  long long begin = clock64();
  while (clock64() - begin < 3000000)
    ;
  int i = threadInGrid();
  out[i] = tex1Dfetch<int>(texture, i) + surf1Dread<int>(surface, i * sizeof(int));
}

cudaTextureObject_t makeTexture(int *data) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data;
  resource.res.linear.sizeInBytes = N * sizeof(int);
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  cudaTextureDesc settings = {};
  cudaTextureObject_t texture = 0;
  CUDA_OK(cudaCreateTextureObject(&texture, &resource, &settings, nullptr));
  return texture;
}

cudaSurfaceObject_t makeSurface(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  CUDA_OK(cudaCreateSurfaceObject(&surface, &resource));
  return surface;
}

int main() {
  int host[N], *data[2], *out;
  cudaArray_t arrays[2];
  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < N; ++i)
      host[i] = k ? -1 : i;
    CUDA_OK(cudaMalloc(&data[k], sizeof host));
    CUDA_OK(cudaMemcpy(data[k], host, sizeof host, cudaMemcpyHostToDevice));
    CUDA_OK(cudaMallocArray(&arrays[k], &format, N, 0, cudaArraySurfaceLoadStore));
    CUDA_OK(cudaMemcpy2DToArray(arrays[k], 0, 0, host, sizeof host, sizeof host, 1,
                                cudaMemcpyHostToDevice));
  }
  CUDA_OK(cudaMalloc(&out, sizeof host));
  cudaTextureObject_t texture = makeTexture(data[0]);
  cudaSurfaceObject_t surface = makeSurface(arrays[0]);
  readLate<<<2, N / 2>>>(texture, surface, out);
  CUDA_OK(cudaDestroyTextureObject(texture));
  CUDA_OK(cudaDestroySurfaceObject(surface));
  texture = makeTexture(data[1]);
  surface = makeSurface(arrays[1]);
  CUDA_OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < N; ++i)
    if (host[i] != 2 * i) {
      std::printf("number %d is %d\n", i, host[i]);
      return 1;
    }
  std::puts("ok");
}
