// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ends a launch is a finding like any other.
// RUN: %heddle cc -g %s -o %t
// RUN: %heddle check --json %t.json %t call 2>&1 | FileCheck %s --check-prefix=CALL
// RUN: %heddle check --json %t.json %t trap 2>&1 | FileCheck %s --check-prefix=TRAP
// RUN: %python -c "import json; assert json.load(open('%t.json'))['findings'][0]['kind'] == 'kernel-fault'"
// CALL: Call of 0x0, which is no device function, in kernel choose(int*, int)
// CALL-NEXT: at {{.*}}lost_launches.cu:[[#@LINE+13]]
// CALL: by thread (2,0,0) in block (0,0,0), and 9 more
// TRAP: Trap instruction, in kernel stop(int*, int)
// TRAP-NEXT: at {{.*}}lost_launches.cu:[[#@LINE+15]]
// TRAP: by thread (30,0,0) in block (0,0,0), and 1 more
// TRAP: the launch is cancelled and the context is lost
#include <cstring>

typedef int (*Function)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ Function table[4] = {twice, twice};

__global__ void choose(int *p, int n) {
  p[threadIdx.x] = table[threadIdx.x % n](1);
}

__global__ void stop(int *p, int n) {
  if (threadIdx.x >= n)
    __trap();
  p[threadIdx.x] = 1;
}

int main(int, char **arguments) {
  int *p;
  cudaMalloc(&p, 128);
  if (!strcmp(arguments[1], "call"))
    choose<<<1, 32>>>(p, 3);
  else
    stop<<<1, 32>>>(p, 30);
  cudaDeviceSynchronize();
}
