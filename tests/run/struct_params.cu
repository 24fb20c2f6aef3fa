// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures by value as kernel parameters: alignment, nesting, arrays, empty structs, 4 KB, many parameters.
#include "support.h"

struct Mixed {
  char c;
  double d;
  short s;
  int3 v;
  bool flag;
};
struct alignas(16) Aligned {
  float4 v;
  int i;
};
struct Nested {
  Mixed m[2];
  struct Inner {
    char name[5];
    long long big;
  } inner;
  float matrix[3][3];
};
struct Empty {};
struct Large {
  int values[900];
};
template <class T> struct Span {
  T *data;
  int size;
  __device__ T &operator[](int i) const { return data[i]; }
};

__global__ void mixed(char a, Mixed m, short b, Aligned al, Empty, char c, double d, Nested n, Span<double> out) {
  int i = threadInGrid();
  if (i >= out.size)
    return;
  double r = a + m.c * 2 + m.d * 3 + m.s * 4 + m.v.x + m.v.y * 5 + m.v.z * 6 + (m.flag ? 1000 : 2000);
  r += b * 7 + al.v.x + al.v.y * 2 + al.v.w * 3 + al.i * 4 + c * 11 + d;
  r += n.m[i & 1].d + n.m[1 - (i & 1)].s + n.inner.name[i % 5] + n.inner.big * 0.5 + n.matrix[i % 3][(i + 1) % 3];
  out[i] = r;
}

static double mixedReference(int i, char a, Mixed m, short b, Aligned al, char c, double d, Nested n) {
  double r = a + m.c * 2 + m.d * 3 + m.s * 4 + m.v.x + m.v.y * 5 + m.v.z * 6 + (m.flag ? 1000 : 2000);
  r += b * 7 + al.v.x + al.v.y * 2 + al.v.w * 3 + al.i * 4 + c * 11 + d;
  r += n.m[i & 1].d + n.m[1 - (i & 1)].s + n.inner.name[i % 5] + n.inner.big * 0.5 + n.matrix[i % 3][(i + 1) % 3];
  return r;
}

__global__ void large(Large in, int *out, int n) {
  int i = threadInGrid();
  if (i < n) {
    in.values[i % 900] += i; // a parameter is a thread's own copy
    out[i] = in.values[(i * 37) % 900] + in.values[i % 900];
  }
}

__global__ void many(char a, char b, short c, int d, char e, long long f, float g, char h, double i, bool j, short k,
                     unsigned char l, float3 m, char2 n, double2 o, int *out) {
  *out = a + b * 2 + c * 3 + d * 4 + e * 5 + int(f) * 6 + int(g) * 7 + h * 8 + int(i) * 9 + j * 10 + k * 11 + l * 12 +
         int(m.x + m.y + m.z) * 13 + (n.x + n.y) * 14 + int(o.x - o.y) * 15;
}

template <class T> __global__ void defaults(T *out, T a, int n = 1) {
  for (int i = 0; i < n; i++)
    out[i] = a;
}

int main() {
  // All values are small multiples of 1/2: every order of additions is exact.
  Mixed m = {3, 2.5, -7, {1, 2, 3}, true};
  Aligned al = {{1, 2, 3, 4}, 5};
  Nested n = {{m, {4, 8.5, 9, {4, 5, 6}, false}}, {"abcd", 1ll << 40}, {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}};
  Buffer<double> out(70);
  mixed<<<2, 35>>>(-5, m, 1234, al, Empty(), 'x', 0.5, n, Span<double>{out, 70});
  checkLaunch();
  std::vector<double> want;
  for (int i = 0; i < 70; i++)
    want.push_back(mixedReference(i, -5, m, 1234, al, 'x', 0.5, n));
  expectAll("mixed", out.get(), want);

  Large l;
  for (int i = 0; i < 900; i++)
    l.values[i] = i * i;
  Buffer<int> outInt(1000);
  large<<<10, 100>>>(l, outInt, 1000);
  checkLaunch();
  std::vector<int> wantInt;
  for (int i = 0; i < 1000; i++) {
    Large copy = l;
    copy.values[i % 900] += i;
    wantInt.push_back(copy.values[(i * 37) % 900] + copy.values[i % 900]);
  }
  expectAll("large", outInt.get(), wantInt);

  many<<<1, 1>>>(1, -2, 3, 4, 5, 6, 7, 8, 9, true, 11, 200, {1, 2, 3}, {1, 2}, {9, 4}, outInt);
  checkLaunch();
  expect("many", 0, outInt.get()[0],
         1 - 4 + 9 + 16 + 25 + 36 + 49 + 64 + 81 + 10 + 121 + 2400 + 78 + 42 + 75);

  defaults<<<1, 1>>>(outInt.data, 42);
  defaults<<<1, 1>>>(out.data, 4.25);
  checkLaunch();
  expect("default argument", 0, outInt.get()[0], 42);
  expect("default argument", 1, out.get()[0], 4.25);
  return finish();
}
