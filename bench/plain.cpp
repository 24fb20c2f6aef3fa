// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What start.cu does without a kernel: goals.py subtracts its memory and start-up time.
#include "memory.h"

#include <cstdio>
#include <vector>

int main(int count, char **) {
  const int n = 1000;
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i)
    a[i] = b[i] = i;
  for (int i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
  for (int i = 0; i < n; ++i)
    if (c[i] != 2 * i) {
      printf("wrong at %d: %g\n", i, c[i]);
      return 1;
    }
  if (count > 1)
    printPeakMemory();
}
