// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors that the program has never looked at: of launches, and of kernels that have failed.
// RUN: %heddle cc -g %s -o %t
// RUN: %check --exit 1 %s %t | FileCheck %s
// RUN: %build/bin/heddle check --report-api-errors no --error-exitcode 3 %t read
// RUN: not %build/bin/heddle check %t abort 2>&1 | FileCheck %s --check-prefix=ABORT
#include <cassert>
#include <cstring>
#include <thread>

__global__ void fill(int *p) { p[threadIdx.x] = 1; }
__global__ void fail(int n) { assert(n == 0); }

int main(int argc, char **argv) {
  int *p;
  cudaMalloc(&p, 4096);
  // Asked for.
  std::thread([&] {
    fill<<<1, 2000>>>(p); // error: api-error
    if (cudaGetLastError() != cudaErrorInvalidConfiguration)
      std::abort();
    fill<<<1, 64>>>(p);
  }).join();
  // CHECK: Launch that failed with cudaErrorInvalidConfiguration (9), which the program has not asked for
  std::thread([&] {
    fill<<<1, 2000>>>(p); // error: api-error, unchecked-error
  }).join();
  // ABORT: Launch that failed with cudaErrorInvalidConfiguration (9), which the program has not asked for
  // ABORT: Target application was ended by a signal
  if (argc > 1 && !strcmp(argv[1], "abort"))
    std::abort();
  // Its value is looked at.
  void *arguments[] = {&p};
  if (cudaLaunchKernel(fill, 1, 2000, arguments) == cudaSuccess) // error: api-error
    std::abort();
  fill<<<1, 64>>>(p);
  if (cudaDeviceSynchronize() != cudaSuccess)
    std::abort();
  // CHECK: Kernel fail(int) failed with cudaErrorAssert (710), which no call has returned
  fail<<<1, 1>>>(argc); // error: unchecked-error
  if (argc > 1)
    return cudaDeviceSynchronize() == cudaErrorAssert ? 0 : 2;
  return 1;
}
