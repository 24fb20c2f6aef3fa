// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA: our side, built by heddle cc (or by nvcc, to compare with a GPU).
#include "bench.h"

#include <cuda_runtime.h>

namespace bench {

static void must(cudaError_t error, const char *what) {
  if (error != cudaSuccess)
    fail(std::string(what) + ": " + cudaGetErrorString(error));
}

void *allocate(size_t bytes) {
  void *array = nullptr;
  must(cudaMalloc(&array, bytes), "cudaMalloc");
  return array;
}

void release(void *array) { must(cudaFree(array), "cudaFree"); }

void upload(void *array, const void *source, size_t bytes) {
  must(cudaMemcpy(array, source, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
}

void download(void *target, void *array, size_t bytes) {
  must(cudaMemcpy(target, array, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

void synchronize() {
  must(cudaGetLastError(), "launch");
  must(cudaDeviceSynchronize(), "kernel");
}

} // namespace bench
