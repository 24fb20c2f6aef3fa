// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled into several libraries under several names: NAME##Twice doubles numbers on the device.
#if __cplusplus >= 202002L
#include <concepts>
template <std::integral T> __device__ T doubled(T value) { return value * 2; }
#else
template <class T> __device__ T doubled(T value) { return value * 2; }
#endif

#ifdef SEPARATE
__device__ int doubledElsewhere(int value);
#else
__device__ int doubledElsewhere(int value) { return doubled(value); }
#endif

static __global__ void twice(int *data) { data[threadIdx.x] = doubledElsewhere(data[threadIdx.x]); }

#define JOIN(a, b) a##b
#define FUNCTION(name) JOIN(name, Twice)

/// True if every value came back doubled.
bool FUNCTION(NAME)() {
  int values[32], *device;
  for (int i = 0; i < 32; ++i)
    values[i] = i;
  if (cudaMalloc(&device, sizeof(values)) != cudaSuccess)
    return false;
  cudaMemcpy(device, values, sizeof(values), cudaMemcpyHostToDevice);
  twice<<<1, 32>>>(device);
  cudaMemcpy(values, device, sizeof(values), cudaMemcpyDeviceToHost);
  cudaFree(device);
  for (int i = 0; i < 32; ++i)
    if (values[i] != 2 * i)
      return false;
  return cudaGetLastError() == cudaSuccess;
}
