// RUN: %heddle cc %s -o %t
// RUN: env CUDA_CACHE_DISABLE=1 HEDDLE_DISABLE=version-guards,,own-row not %t 2>&1 | FileCheck %s
// RUN: env CUDA_CACHE_DISABLE=1 HEDDLE_DISABLE=normalize not %t 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: env CUDA_CACHE_DISABLE=1 HEDDLE_PRINT_AFTER=widened not %t 2>&1 | FileCheck %s --check-prefix=PRINT
// RUN: env CUDA_CACHE_DISABLE=1 HEDDLE_STOP_AFTER=distribute-extensions:3 not %t 2>&1 | FileCheck %s --check-prefix=THIRD
// RUN: env CUDA_CACHE_DISABLE=1 HEDDLE_STOP_AFTER=distribute-extensions:2 not %t 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: env CUDA_CACHE_DISABLE=1 HEDDLE_COSTS=Gather=50,Lanes=2 not %t 2>&1 | FileCheck %s --check-prefix=COST
// RUN: env CUDA_CACHE_DISABLE=1 HEDDLE_COSTS=Gather=much not %t 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: env CUDA_CACHE_DISABLE=1 HEDDLE_COSTS=Gather=50,,Lane=2 %t
// RUN: env CUDA_CACHE_DISABLE=1 HEDDLE_DISABLE=version-guards,teams,coalesce-frame-slots %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HARDWARE: undefined (names of passes and costs)
// CHECK: heddle: kernel 'nothing()': HEDDLE_DISABLE: no pass is named 'own-row'
// STEP: HEDDLE_DISABLE: 'normalize' cannot be left out
// COST: HEDDLE_COSTS: no cost is named 'Lanes'
// NUMBER: HEDDLE_COSTS: 'Gather=much' is not NAME=NUMBER
// PRINT: HEDDLE_PRINT_AFTER: no pass is named 'widened'
// THIRD: HEDDLE_STOP_AFTER: no pass is named 'distribute-extensions:3'
// SECOND: stopped after distribute-extensions:2
__global__ void nothing() {}

int main() {
  nothing<<<1, 32>>>();
  return cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess;
}
