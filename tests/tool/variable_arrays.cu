// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of variable length with initial values in host code, as g++ takes them.
//
// RUN: %nvcc %s -o %t && %t | FileCheck %s
// RUN: %nvcc -std=c++11 -rdc=true -MD -MF %t.d -g -G %s -o %t && %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=RULE < %t.d
// RUN: not %nvcc -DWRONG -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WRONG
// RULE: variable_arrays.cu
// CHECK: b 1.5 4 0
// CHECK: 24 3 7
#include <cstdio>

struct Point {
  int x, y;
};

static int sum(int n) {
  int v[n] = {1, 2, 3}; int w[n] = {}; int m[n][2] = {{1, 2}, {3}};
  const char *names[n] = {"a", "b", "c"};
  double x[n] = {0}, y[n] = {1.5};
  Point p[n] = {{1, 2}, {3, 4}};
  int q[n]{
      4, /* } */
      5};
  printf("%s %g %d %d\n", names[1], x[2] + y[0], p[1].y, p[2].x);
#ifdef WRONG
  int u = "text"; // WRONG: variable_arrays.cu:[[@LINE]]:7: error: cannot initialize a variable of type 'int'
#endif
  return v[1] + v[2] + w[1] + m[0][1] + m[1][1] + static_cast<int>(sizeof v) + q[1] + q[2];
}

template <class T> T pair(int n) {
  T a[n] = {T(1), T(2)};
  return a[0] + a[1];
}

__global__ void seven(int *p) { *p = 7; }

int main() {
  int *p, got;
  cudaMalloc(&p, sizeof(int));
  seven<<<1, 1>>>(p);
  cudaMemcpy(&got, p, sizeof(int), cudaMemcpyDeviceToHost);
  int n = 3;
  printf("%d %g %d\n", sum(n), pair<float>(4), got);
  return 0;
}
