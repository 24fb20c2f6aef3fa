// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The marks of these tests: one that is found, and its correct twin; and what is said where they do not agree.
// RUN: %heddle cc %s -o %t
// RUN: %check %s %t | FileCheck %s
// RUN: sed 's,// error:.*,,' %s >%t.cu && not %check %t.cu %t 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: mkdir -p %t.d && sed 's,// twin,// error: out-of-bounds-access,' %s >%t.d/marks.cu
// RUN: not %check %t.d/marks.cu %t 2>&1 | FileCheck --check-prefix=MORE %s
__global__ void over(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    p[i] = i; // error: out-of-bounds-access
}

__global__ void right(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = i; // twin
}

int main() {
  int *p, n = 100;
  cudaMalloc(&p, n * sizeof(int));
  over<<<2, 64>>>(p, n);
  right<<<2, 64>>>(p, n);
  cudaDeviceSynchronize();
  cudaFree(p);
}
// CHECK: Invalid global write of 4 bytes, in kernel over(int*, int)
// CHECK: ERROR SUMMARY: 1 error
// NONE: {{.*}}: found without a mark: anywhere: out-of-bounds-access: Invalid global write of 4 bytes
// MORE: marks.cu: not found: line 18: out-of-bounds-access
