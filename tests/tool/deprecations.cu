// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libstdc++ uses of the deprecated is its own matter; what a program uses is told.
// RUN: %heddle cc -std=c++17 -Werror all-warnings -DQUIET -c %s -o %t.o
// RUN: %heddle cc -std=c++17 -c %s -o %t.o 2>&1 | FileCheck %s
#include <algorithm>
#include <vector>

[[deprecated("use sorted")]] inline void sort(std::vector<int> &v) { std::stable_sort(v.begin(), v.end()); }

void twice(std::vector<int> &v) {
  std::stable_sort(v.begin(), v.end(), [](int a, int b) { return a > b; });
#ifndef QUIET
  // CHECK-NOT: stl_tempbuf
  // CHECK: deprecations.cu:[[@LINE+1]]:{{.*}}warning:{{.*}}use sorted
  sort(v);
#endif
}
