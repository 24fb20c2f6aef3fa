// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work of CUDA's libraries runs on the processor: what counts and predicts says so, by the function that
// the program has called.
// RUN: %heddle cc -O3 %s -o %t -lcublas
// RUN: %heddle predict --gpu k20,h100 %t 2>&1 | FileCheck %s
// RUN: %heddle predict --gpu k20 --csv %t 2>&1 | FileCheck %s --check-prefix=CSV
// RUN: env HEDDLE_DEVICE=k20 %heddle profile -m gld_transactions %t 2>&1 | FileCheck %s --check-prefix=METRICS
#include <cublas_v2.h>

int main() {
  constexpr int N = 16;
  const float one = 1;
  float *a, *b, *c;
  cudaMalloc(&a, N * N * 4);
  cudaMalloc(&b, N * N * 4);
  cudaMalloc(&c, N * N * 4);
  cublasHandle_t handle;
  cublasCreate(&handle);
  for (int i = 0; i < 2; ++i)
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, a, N, b, N, &one, c, N);
  cublasSaxpy(handle, N * N, &one, a, 1, c, 1);
  return cudaDeviceSynchronize();
}

// CHECK: cublasSgemm_v2, 2 times
// CHECK-NEXT: k20: no time: libraries run on the processor, and are not modelled
// CHECK-NEXT: h100: no time: libraries run on the processor, and are not modelled
// CHECK-NEXT: cublasSaxpy_v2, 1 time{{$}}

// CSV: 0,"cublasSgemm_v2",k20,,{{.*}},"libraries run on the processor, and are not modelled"
// CSV: 2,"cublasSaxpy_v2",k20,,

// METRICS: heddle: cublasSaxpy_v2 was not counted: libraries run on the processor, and are not modelled
// METRICS: heddle: cublasSgemm_v2 was not counted
