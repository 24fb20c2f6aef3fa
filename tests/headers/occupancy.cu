// RUN: %nvcc %s -o %t && %t
// RUN: env HEDDLE_DEVICE=gtx480 %t
// RUN: env HEDDLE_DEVICE=k80 %t
// RUN: env HEDDLE_DEVICE=p100 %t
// RUN: env HEDDLE_DEVICE=v100 %t
// RUN: env HEDDLE_DEVICE=a100 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda_occupancy.h counts as the runtime does, on boards of all generations (HEDDLE_DEVICE).
#include <cuda_occupancy.h>

#include <cstdio>

__global__ void small(int *p) { p[threadIdx.x] = 1; }

__global__ void large(double *p) {
  __shared__ double tile[1024];
  double v[24];
  for (int i = 0; i < 24; i++)
    v[i] = p[threadIdx.x + 32 * i];
  tile[threadIdx.x] = v[0];
  __syncthreads();
  for (int i = 0; i < 24; i++)
    p[threadIdx.x + 32 * i] = v[i] * tile[(threadIdx.x + i) % 1024] + v[23 - i];
}

static int wrong = 0;

template <class Kernel> void compare(const char *name, Kernel kernel) {
  cudaDeviceProp properties;
  cudaFuncAttributes attributes;
  if (cudaGetDeviceProperties(&properties, 0) || cudaFuncGetAttributes(&attributes, kernel))
    wrong++;
  const cudaOccDeviceProp device(properties);
  const cudaOccFuncAttributes function(attributes);
  const cudaOccDeviceState state = {};
  for (int threads : {1, 31, 32, 96, 100, 256, 768, 1000, 1024})
    for (size_t shared : {0, 1, 4000, 20000, 40000}) {
      cudaOccResult result;
      int want = 0;
      cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, threads, shared);
      if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&want, kernel, threads, shared) || error != CUDA_OCC_SUCCESS ||
          result.activeBlocksPerMultiprocessor != want || !result.limitingFactors) {
        std::printf("%s: %d threads, %zu bytes: got %d, want %d\n", name, threads, shared,
                    result.activeBlocksPerMultiprocessor, want);
        wrong++;
      }
    }
  int grid, block, wantGrid, wantBlock;
  if (cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &device, &function, &state, nullptr, 0) != CUDA_OCC_SUCCESS ||
      cudaOccupancyMaxPotentialBlockSize(&wantGrid, &wantBlock, kernel) || grid != wantGrid || block != wantBlock) {
    std::printf("%s: %d blocks of %d, want %d of %d\n", name, grid, block, wantGrid, wantBlock);
    wrong++;
  }
}

int main() {
  compare("small", small);
  compare("large", large);
  cudaOccDeviceProp none = {};
  cudaOccFuncAttributes function = {};
  cudaOccDeviceState state = {};
  cudaOccResult result;
  none.warpSize = 32, none.regsPerBlock = 1;
  wrong += cudaOccMaxActiveBlocksPerMultiprocessor(&result, &none, &function, &state, 32, 0) !=
           CUDA_OCC_ERROR_UNKNOWN_DEVICE;
  wrong += cudaOccMaxActiveBlocksPerMultiprocessor(nullptr, &none, &function, &state, 32, 0) !=
           CUDA_OCC_ERROR_INVALID_INPUT;
  return wrong ? 1 : 0;
}
