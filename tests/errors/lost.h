// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of faulting kernels share: the error must come back from the synchronisation, stay, and the
// context must be lost, while the host goes on.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>

/// Returns main's exit code: 0 if the launch before gave `want` and the context is lost.
inline int expectLost(cudaError_t want) {
  cudaError_t got = cudaDeviceSynchronize();
  int wrong = 0;
  auto check = [&](const char *what, cudaError_t error) {
    if (error != want) {
      std::printf("%s: got %s, want %s\n", what, cudaGetErrorName(error), cudaGetErrorName(want));
      wrong++;
    }
  };
  check("synchronisation", got);
  check("cudaPeekAtLastError", cudaPeekAtLastError());
  check("cudaGetLastError", cudaGetLastError());
  void *memory = nullptr;
  check("cudaMalloc afterwards", cudaMalloc(&memory, 16));
  int value = 0;
  check("cudaMemset afterwards", cudaMemset(memory, value, sizeof value));
  check("cudaGetLastError afterwards", cudaGetLastError());
  std::printf("the host goes on\n");
  return wrong ? 1 : 0;
}
