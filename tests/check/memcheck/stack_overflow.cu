// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursion that does not end, in a plain run and under checks: the kernel, the thread and a line of the function.
// RUN: %heddle cc -g %s -o %t
// RUN: %t 2>&1 | FileCheck %s --check-prefix PLAIN
// PLAIN: in kernel recurse(int*, int): stack overflow
// PLAIN-NEXT: at {{.*}}stack_overflow.cu:{{2[1-6]}}
// PLAIN-NEXT: by thread (0,0,0) in block (0,0,0)
// RUN: %heddle check --tool memcheck %t 2>&1 | FileCheck %s
// RUN: %heddle check --tool memcheck,racecheck,initcheck %t 2>&1 | FileCheck %s
// CHECK: Invalid {{write|read}}: stack overflow (recursion too deep), in kernel recurse(int*, int)
// CHECK-NEXT: at {{.*}}stack_overflow.cu:{{2[1-6]}} in deep(int, int*){{$}}
// CHECK: by thread (0,0,0) in block (0,0,0)
// CHECK: launched by cudaLaunchKernel
// CHECK: cudaDeviceSynchronize returned cudaErrorIllegalAddress (700)
// RUN: %heddle check --tool racecheck %t 2>&1 | FileCheck %s --check-prefix PLAIN
// RUN: %heddle check --tool initcheck %t 2>&1 | FileCheck %s --check-prefix PLAIN

__device__ int deep(int n, int *to) {
  int local[64];
  for (int i = 0; i < 64; ++i)
    local[i] = n + i;
  to[0] = local[n % 64];
  return n == 0 ? local[3] : deep(n - 1, to) + local[n % 7];
}
__global__ void recurse(int *to, int n) { to[threadIdx.x] = deep(n, to + 64); }

int main() {
  int *to;
  cudaMalloc(&to, 4096);
  recurse<<<1, 32>>>(to, 2);
  cudaDeviceSynchronize();
  recurse<<<1, 1>>>(to, 1000000000);
  cudaDeviceSynchronize();
}
