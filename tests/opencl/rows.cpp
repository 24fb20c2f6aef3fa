// REQUIRES: opencl
// RUN: %opencl %s -o %t && %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of all lengths that each work-item reads at a place of its own, computes with, mixes and writes.
#include "opencl_test.h"

#include <algorithm>

static const char *Source = R"(
kernel void rows(global const VECTOR *a, global const int *places, global VECTOR *out, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  VECTOR v = a[places[i]], w = a[(i + 3) % n];
  VECTOR sum = v + w * (ELEMENT)3;
  out[2 * i] = sum;
  out[2 * i + 1] = select(-sum, v, v > w);
}
)";

template <typename T> static void check(Machine &m, const std::string &element, int length) {
  const int n = 100;
  const std::string vector = element + std::to_string(length);
  cl_program program = m.build(Source, ("-cl-std=CL3.0 -DELEMENT=" + element + " -DVECTOR=" + vector).c_str());
  std::vector<T> a(n * length);
  std::vector<int> places(n);
  for (int i = 0; i < n * length; ++i)
    a[i] = static_cast<T>((i * 7919) % 100 - 50);
  for (int i = 0; i < n; ++i)
    places[i] = i * 37 % n;
  cl_mem input = m.buffer(a), where = m.buffer(places), output = m.buffer(std::vector<T>(2 * n * length));
  cl_kernel kernel = m.kernel(program, "rows");
  setArguments(kernel, input, where, output, n);
  m.run(kernel, {128}, {64});
  const std::vector<T> out = m.read<T>(output);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < length; ++k) {
      const T v = a[places[i] * length + k], w = a[(i + 3) % n * length + k], sum = static_cast<T>(v + w * 3);
      CHECK(out[2 * i * length + k] == sum);
      CHECK(out[(2 * i + 1) * length + k] == (v > w ? v : static_cast<T>(-sum)));
    }
}

int main() {
  Machine m;
  for (int length : {2, 4, 8, 16}) {
    check<cl_char>(m, "char", length);
    check<cl_short>(m, "short", length);
    check<cl_int>(m, "int", length);
    check<cl_long>(m, "long", length);
    check<cl_float>(m, "float", length);
    check<cl_double>(m, "double", length);
  }
}
