// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code that tests a variable which nobody has set takes one of its ways and goes on, as with g++: it neither loops nor
// runs into what lies behind (src/plugin/settle_unset.cpp).
//
// RUN: %nvcc -O2 -w %s -o %t && %t
// RUN: cp %s %t.cpp
// RUN: %nvcc -O2 -w %t.cpp -o %t && %t
// RUN: %nvcc -O0 -w %s -o %t && %t
#include <cstdio>
#include <cstdlib>

enum Kind { Cell = 1, Face, Corner };
static int passed, offset;

static void exchange(int depth) {
  int kind;
  if (kind == Cell)
    offset = 0;
  if (kind == Face)
    offset = depth;
  if (kind == Corner)
    offset = 2 * depth;
  passed++;
}

static bool isReady(const int *values, int n) {
  bool found;
  for (int i = 0; i < n; i++)
    if (values[i] > 100)
      found = true;
  if (found)
    passed++;
  else
    passed++;
  return n > 0;
}

__attribute__((noinline)) static void step(const int *fields) {
  if (fields[0])
    exchange(1);
  if (fields[1])
    exchange(2);
  for (int i = 0; i < 3; i++) {
    double *where;
    if (fields[2] > 5)
      where = nullptr;
    if (where)
      passed++;
    else
      passed++;
  }
}

int main() {
  int fields[] = {1, 1, 0};
  step(fields);
  bool ready = isReady(fields, 3);
  if (passed != 6 || !ready) {
    printf("FAIL: %d of 6\n", passed);
    return 1;
  }
  printf("ok\n");
  return 0;
}
