// REQUIRES: opencl
// RUN: %opencl %s -o %t && %t | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cl_khr_fp16: arithmetic, roots and fma round once; conversions in all modes; mathematics; vectors in memory; collectives;
// printf.
#include "opencl_test.h"

#include <cmath>
#include <cstdint>
#include <cstring>

static const char *Source = R"(
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void arithmetic(global const half *a, global half *out) {
  uint i = get_global_id(0), n = get_global_size(0);
  half x = a[i], y = a[(i * 7919 + 13) % n], z = a[(i * 104729 + 5) % n];
  global half *o = out + 8 * i;
  o[0] = x + y; o[1] = x * y; o[2] = x / y; o[3] = sqrt(x); o[4] = fma(x, y, z);
  half2 v = fmax((half2)(x, y), (half2)(y, z));
  o[5] = v.x; o[6] = exp(x); o[7] = nextafter(x, y);
}
kernel void convert(global const double *a, global half *out, global const long *n) {
  int i = get_global_id(0);
  global half *o = out + 12 * i;
  o[0] = convert_half(a[i]); o[1] = convert_half_rtz(a[i]); vstore_half_rtp(a[i], 2, o); o[3] = convert_half_rtn(a[i]);
  o[4] = convert_half((float)a[i]); o[5] = convert_half_rtz((float)a[i]);
  vstorea_half2_rtp((double2)(a[i], -a[i]), 3, o);
  o[8] = convert_half(n[i]); o[9] = convert_half_rtz(n[i]); o[10] = convert_half_rtn((int)n[i]);
  o[11] = convert_char_sat_rte(convert_half(n[i]));
}
kernel void together(global half *out, local half4 *tile) {
  int t = get_local_id(0);
  tile[t] = (half4)(t, 1, 2, 3);
  barrier(CLK_LOCAL_MEM_FENCE);
  half4 other = tile[63 - t];
  out[3 * t] = work_group_reduce_add((half)1) + sub_group_reduce_max((half)t);
  out[3 * t + 1] = other.x + dot(other.yz, (half2)(1, 1));
  out[3 * t + 2] = isnan(other).x + (isless(other, (half4)(2)).y ? (half)8 : (half)0);
  if (t == 0) printf("%.2f %v4hf\n", other.w / (half)2, other);
}
)";

static double valueOf(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 31 ? (fraction ? NAN : INFINITY)
                      : exponent    ? std::ldexp(1024 + fraction, exponent - 25)
                                    : std::ldexp(fraction, -24);
  return bits & 0x8000 ? -size : size;
}

/// In a mode: 'e'ven, to 'z'ero, 'p'lus, mi'n'us.
static double rounded(double x, char mode) {
  if (x == 0 || !std::isfinite(x))
    return x;
  const double unit = std::ldexp(1, std::max(std::ilogb(x), -14) - 10), q = x / unit;
  const double r = unit * (mode == 'e' ? std::nearbyint(q) : mode == 'z' ? std::trunc(q) : mode == 'p' ? std::ceil(q) : std::floor(q));
  if (std::fabs(r) <= 65504)
    return r;
  const bool isInfinite = mode == 'e' || (mode == 'p' && x > 0) || (mode == 'n' && x < 0);
  return std::copysign(isInfinite ? INFINITY : 65504, x);
}

static bool same(uint16_t got, double right) {
  const double value = valueOf(got);
  return value == right || (std::isnan(value) && std::isnan(right));
}

int main() {
  Machine m;
  cl_program program = m.build(Source);
  constexpr int N = 65536;
  std::vector<uint16_t> all(N);
  for (int i = 0; i < N; ++i)
    all[i] = static_cast<uint16_t>(i);
  cl_mem in = m.buffer(all), out = m.buffer(std::vector<uint16_t>(8 * N));
  cl_kernel kernel = m.kernel(program, "arithmetic");
  setArguments(kernel, in, out);
  m.run(kernel, {N});
  const auto got = m.read<uint16_t>(out);
  for (int i = 0; i < N; ++i) {
    const double x = valueOf(all[i]), y = valueOf(all[(i * 7919u + 13) % N]), z = valueOf(all[(i * 104729u + 5) % N]);
    const uint16_t *g = &got[8 * i];
    CHECK(same(g[0], rounded(x + y, 'e')) && same(g[1], rounded(x * y, 'e')) && same(g[2], rounded(x / y, 'e')));
    CHECK(same(g[3], rounded(std::sqrt(x), 'e')));
    CHECK(same(g[4], rounded(static_cast<double>(std::fma(static_cast<long double>(x), y, z)), 'e')));
    CHECK(same(g[5], std::fmax(x, y)));
    const double e = rounded(std::exp(x), 'e');
    CHECK(same(g[6], e) || std::fabs(valueOf(g[6]) - e) <= std::ldexp(1, std::max(std::ilogb(e), -14) - 10));
    CHECK(std::isnan(x + y) || x == y || std::abs((g[7] & 0x7fff) - (all[i] & 0x7fff)) <= 1);
  }

  std::vector<double> values;
  std::vector<cl_long> integers;
  for (int i = 0; i < 4096; ++i) {
    values.push_back(std::ldexp(i % 2 ? 1 + i / 4096. + 1e-12 : -1 - i / 2048., i % 130 - 110));
    integers.push_back((i % 2 ? 1 : -1) * ((cl_long(1) << (i % 62)) + i));
  }
  cl_mem given = m.buffer(values), numbers = m.buffer(integers), made = m.buffer(std::vector<uint16_t>(12 * 4096));
  kernel = m.kernel(program, "convert");
  setArguments(kernel, given, made, numbers);
  m.run(kernel, {4096});
  const auto c = m.read<uint16_t>(made);
  for (int i = 0; i < 4096; ++i) {
    const double x = values[i], n = static_cast<double>(integers[i]);
    const uint16_t *g = &c[12 * i];
    CHECK(same(g[0], rounded(x, 'e')) && same(g[1], rounded(x, 'z')) && same(g[2], rounded(x, 'p')) && same(g[3], rounded(x, 'n')));
    CHECK(same(g[4], rounded(float(x), 'e')) && same(g[5], rounded(float(x), 'z')));
    CHECK(same(g[6], rounded(x, 'p')) && same(g[7], rounded(-x, 'p')));
    CHECK(same(g[8], rounded(n, 'e')) && same(g[9], rounded(n, 'z')));
    CHECK(same(g[10], rounded(static_cast<double>(static_cast<int>(integers[i])), 'n')));
    CHECK(same(g[11], std::fmin(127, std::fmax(-128, rounded(n, 'e')))));
  }

  kernel = m.kernel(program, "together");
  cl_mem sums = m.buffer(std::vector<uint16_t>(3 * 64));
  OK(clSetKernelArg(kernel, 0, sizeof(sums), &sums));
  OK(clSetKernelArg(kernel, 1, 64 * 8, nullptr));
  m.run(kernel, {64}, {64});
  const auto t = m.read<uint16_t>(sums);
  for (int i = 0; i < 64; ++i)
    CHECK(same(t[3 * i], 64 + (i < 32 ? 31 : 63)) && same(t[3 * i + 1], 66 - i) && same(t[3 * i + 2], 8));
  // CHECK: 1.50 63.000000,1.000000,2.000000,3.000000
}
