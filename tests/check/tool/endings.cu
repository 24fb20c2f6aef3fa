// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel never ends, and the program does: what was found so far is told and counted.
// RUN: %heddle cc %s -o %t
// RUN: %check --tool memcheck,racecheck --exit 143 %s %t term 2>&1 | FileCheck %s --check-prefixes=CHECK,TERM
// RUN: %check --tool memcheck,racecheck --exit 143 %s %t twice 2>&1 | FileCheck %s --check-prefixes=CHECK,TERM
// RUN: %check --tool memcheck,racecheck --exit 134 %s %t abort 2>&1 | FileCheck %s --check-prefixes=CHECK,ABORT
// RUN: %check --tool memcheck,racecheck --exit 3 %s %t exit 2>&1 | FileCheck %s
// RUN: %check --tool memcheck,racecheck --error-exitcode 9 --exit 9 %s %t none 2>&1 | FileCheck %s
// RUN: not %heddle check --leak-check full %t term 2>&1 | FileCheck %s --check-prefix=LEAK
// RUN: not %heddle check --leak-check full %t exit 2>&1 | FileCheck %s --check-prefix=LEAK
// RUN: not %heddle check --xml --sarif %t.sarif --save %t.saved %t term 2>&1 | FileCheck %s --check-prefix=XML
// RUN: FileCheck %s --check-prefix=SARIF < %t.sarif
// RUN: %heddle check --read %t.saved 2>&1 | FileCheck %s --check-prefix=SAVED
// RUN: not --crash env HEDDLE_CHECK=memcheck %t term 2>&1 | FileCheck %s --check-prefix=ALONE
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>

__global__ void endless(int *p, volatile int *isIn) {
  __shared__ int value;
  p[threadIdx.x] = 1; // error: out-of-bounds-access
  value = threadIdx.x; // error: race-write-write
  __syncthreads();
  *isIn = value + 1;
  while (*isIn)
    ;
}

int main(int, char **arguments) {
  const char *how = arguments[1];
  int *p;
  volatile int *isIn;
  cudaMalloc(&p, 4 * 25);
  cudaMallocManaged(const_cast<int **>(&isIn), 4);
  *isIn = 0;
  endless<<<1, 32>>>(p, isIn);
  std::thread([=] {
    while (!*isIn)
      usleep(1000);
    if (!strcmp(how, "exit"))
      _exit(3);
    if (!strcmp(how, "abort"))
      abort();
    if (!strcmp(how, "none"))
      _exit(0);
    kill(getpid(), SIGTERM);
    if (!strcmp(how, "twice")) // as `timeout` does
      kill(getpid(), SIGTERM);
  }).detach();
  return cudaDeviceSynchronize();
}

// CHECK: ========= Invalid global write of 4 bytes
// CHECK-NOT: Invalid global write
// CHECK: by thread (25,0,0) in block (0,0,0), and 6 more
// TERM: ========= Target application was ended by a signal: Terminated
// ABORT: ========= Target application was ended by a signal: Aborted
// CHECK: ========= ERROR SUMMARY: 2 errors
// CHECK-NOT: ERROR SUMMARY

// LEAK: Leaked 100 bytes of device memory
// LEAK: allocated by cudaMalloc, and not freed at the end
// LEAK: Leaked 4 bytes of managed memory
// LEAK: ERROR SUMMARY: 3 errors

// XML: <record>
// XML: </record>
// SARIF: "ruleId": "memcheck/out-of-bounds-access"
// SAVED: Invalid global write
// SAVED: ========= ERROR SUMMARY: 1 error{{$}}
// ALONE: Invalid global write
// ALONE: ========= ERROR SUMMARY: 1 error{{$}}
// ALONE-NOT: ERROR SUMMARY
