// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code whose int overflows wraps around (docs/tool.md): random numbers, hashes and index
// products as programs write them, against the same in 64 bits, cut to 32.
//
// RUN: %nvcc -O2 %s -o %t
// RUN: %t
#include "support.h"

/// The lowest 32 bits.
static long cut(long long value) { return (long)(int)(unsigned)(unsigned long long)value; }

__attribute__((noinline)) static long parkMiller(int n) {
  int seed = 42;
  long sum = 0;
  for (int i = 0; i < n; i++)
    sum += seed = (seed * 16807) % 2147483647;
  return sum;
}
static long parkMillerCut(int n) {
  long seed = 42, sum = 0;
  for (int i = 0; i < n; i++)
    sum += seed = cut(seed * 16807) % 2147483647;
  return sum;
}

__attribute__((noinline)) static long remainders(int n) {
  long sum = 0;
  for (int i = 0; i < n; i++)
    sum += (i * i) % 1000;
  return sum;
}
static long remaindersCut(int n) {
  long sum = 0;
  for (long i = 0; i < n; i++)
    sum += cut(i * i) % 1000;
  return sum;
}

__attribute__((noinline)) static long products(int n, int m) {
  long sum = 0;
  for (int i = 0; i < n; i++)
    sum += i * m;
  return sum;
}
static long productsCut(int n, int m) {
  long sum = 0;
  for (long i = 0; i < n; i++)
    sum += cut(i * m);
  return sum;
}

__attribute__((noinline)) static long distance(int a, int b) {
  int difference = a - b;
  return difference < 0 ? -difference : difference;
}
static long distanceCut(long a, long b) { return cut(cut(a - b) < 0 ? -cut(a - b) : cut(a - b)); }

__attribute__((noinline)) static bool overflows(int a, int b) {
  return a > 0 && b > 0 && a + b < 0;
}

int main() {
  expect("parkMiller", 0, parkMiller(100000), parkMillerCut(100000));
  expect("remainders", 0, remainders(1000000), remaindersCut(1000000));
  expect("products", 0, products(100000, 100000), productsCut(100000, 100000));
  expect("distance", 0, distance(-2147483643, 2147483647), distanceCut(-2147483643, 2147483647));
  expectTrue("overflows", overflows(2147483647, 10));
  return finish();
}
