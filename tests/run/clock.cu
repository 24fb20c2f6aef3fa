// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clock and clock64 do not go backwards and advance; __nanosleep sleeps; the SM's and warp's special registers.
#include "support.h"

__global__ void times(long long *out) {
  int i = threadInGrid();
  long long a = clock64();
  clock_t c = clock();
  __nanosleep(1000);
  long long b = clock64();
  clock_t d = clock();
  unsigned sum = 0;
  for (int k = 0; k < 1000; k++)
    sum = sum * 3 + unsigned(clock64());
  long long e = clock64();
  out[i * 3] = b - a;
  out[i * 3 + 1] = e - b + (sum == 12345 ? 1 : 0);
  out[i * 3 + 2] = (unsigned)(d - c);
}

int main() {
  Buffer<long long> out(3 * 100);
  times<<<2, 50>>>(out);
  checkLaunch();
  for (long long v : out.get())
    expectTrue("advances", v > 0);
  return finish();
}
