// RUN: %heddle cc %s -o %t
// RUN: env CUDA_CACHE_DISABLE=1 HEDDLE_DISABLE=version-guards,,own-row not %t 2>&1 | FileCheck %s
// RUN: env CUDA_CACHE_DISABLE=1 HEDDLE_DISABLE=normalize not %t 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: env CUDA_CACHE_DISABLE=1 HEDDLE_PRINT_AFTER=widened not %t 2>&1 | FileCheck %s --check-prefix=PRINT
// RUN: env CUDA_CACHE_DISABLE=1 HEDDLE_DISABLE=version-guards,teams,coalesce-frame-slots %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HARDWARE: undefined (names of passes)
// CHECK: heddle: kernel 'nothing()': HEDDLE_DISABLE: no pass is named 'own-row'
// STEP: HEDDLE_DISABLE: 'normalize' cannot be left out
// PRINT: HEDDLE_PRINT_AFTER: no pass is named 'widened'
__global__ void nothing() {}

int main() {
  nothing<<<1, 32>>>();
  return cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess;
}
