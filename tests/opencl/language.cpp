// REQUIRES: opencl
// RUN: %opencl %s -o %t && %t | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL C: vectors, structures, local arguments, constant variables, conversions, asynchronous copies, printf, atomics of
// all widths, the generic address space, subgroups and collectives, doubles.
#include "opencl_test.h"

#include <cmath>

static const char *Source = R"(
typedef struct { float4 a; int b; } Pair;
constant float Table[3] = {1, 2, 3};
constant float LOGE_TBL_HI[2] = {3, 4}; // as libclc calls one of its tables
global int Counter = 5;
float twice(float *p) { return 2 * *p; } // generic

kernel void mix(global float4 *a, local float *row, constant float *c, Pair pair, float v, int3 three) {
  local float tile[32];
  int i = get_global_id(0), t = get_local_id(0);
  tile[t] = t;
  row[t] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  a[i] = a[i].wzyx + pair.a + c[i % 4] + row[31 - t] + tile[31 - t] + Table[i % 3] + twice(&v) +
         twice(&tile[0]) + pair.b + three.z;
  if (i == 0) Counter += 1;
  if (i == 0) a[0].x += Counter;
}
kernel void spaces(global int *out) {
  local int shared;
  int own = 1;
  shared = 2;
  int *places[] = {out, &shared, &own};
  int known = 0;
  for (int i = 0; i < 3; ++i)
    known |= (to_global(places[i]) != 0) << 3 * i | (to_local(places[i]) != 0) << (3 * i + 1) |
             (to_private(places[i]) != 0) << (3 * i + 2);
  out[get_global_id(0)] = known;
}
kernel void convert(global uchar *bytes, global float *floats, global float4 *out) {
  int i = get_global_id(0);
  bytes[i] = convert_uchar_sat_rte(floats[i]);
  float4 v = vload4(i % 2, floats);
  if (any((long4)(i - 5, 0, -1, 0)) && all((long4)(-1, -2, i - 9, -1)) && !all((int3)(-1, -1, i)))
    bytes[i] = bytes[i] | 0;
  else
    bytes[i] = 77;
  out[i] = select(v, -v, isless(v, (float4)(1.0f))) + as_float4((uint4)(0x3f800000));
}
kernel void speak(int n) {
  printf("%d %s %c %%\n", n, "text", 'x');
  printf("%v4hld|%.2v2hlf|%v3hhu\n", (int4)(1, -2, 3, 4), (float2)(1.5f, 2.25f), (uchar3)(7, 8, 255));
  printf("%5.1f %ld %#x\n", 2.5f, (long)-5, 255u);
}
kernel void count(global int *a, global ulong *b, volatile global atomic_int *c, global float *f) {
  local int t;
  if (get_local_id(0) == 0) t = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&t);
  atomic_add(a, 3);
  atom_max(b, (ulong)get_global_id(0) << 33);
  atomic_fetch_add_explicit(c, 2, memory_order_relaxed, memory_scope_device);
  int expected = 0;
  atomic_compare_exchange_strong((volatile global atomic_int *)(a + 2), &expected, 9);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) atomic_add(a + 1, t);
  atomic_xchg(f, 1.5f);
}
kernel void together(global int *out, global long *sums) {
  int i = get_global_id(0), t = get_local_id(0);
  out[8 * i] = work_group_reduce_add(t);
  out[8 * i + 1] = work_group_scan_exclusive_max(t);
  out[8 * i + 2] = work_group_broadcast(t, 5);
  out[8 * i + 3] = sub_group_reduce_add(1);
  out[8 * i + 4] = sub_group_scan_inclusive_add(2);
  out[8 * i + 5] = work_group_any(t == 40) + 2 * work_group_all(t < 48);
  out[8 * i + 6] = get_sub_group_id() * 100 + get_sub_group_size();
  out[8 * i + 7] = sub_group_broadcast(t, 3);
  sums[i] = work_group_scan_inclusive_add((long)t << 32);
}
kernel void copy(global int *in, global int *out) {
  local int tile[64];
  event_t e = async_work_group_copy(tile, in + 64 * get_group_id(0), 64, 0);
  e = async_work_group_strided_copy(tile, in + 1, 2, 2, e);
  wait_group_events(1, &e);
  e = async_work_group_copy(out + 64 * get_group_id(0), tile, 64, 0);
  wait_group_events(1, &e);
}
kernel void seen(volatile global float2 *a, volatile global short8 *b) {
  a[1] = a[0] * 2;
  a[2].y = 7;
  b[1] = b[0] + (short8)(1);
}
kernel void saturate(global long *a) {
  int i = get_global_id(0);
  long3 v = mad_sat((long3)(a[3 * i]), (long3)(a[3 * i + 1]), (long3)(a[3 * i + 2], 0, 1));
  a[3 * i] = v.x;
  a[3 * i + 1] = v.y;
  a[3 * i + 2] = v.z;
}
kernel void doubles(global double *a) {
  int i = get_global_id(0);
  a[i] = exp(a[i]) + pow(a[i], 1.5) + lgamma(a[i]) + rsqrt(a[i]) + rint(powr((float)i, 2.0f)) + LOGE_TBL_HI[i % 2];
}
)";

struct alignas(16) Pair {
  float a[4];
  int b;
};

int main() {
  Machine m;
  cl_program program = m.build(Source);

  std::vector<float> a(64 * 4);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = i;
  cl_mem vectors = m.buffer(a), four = m.buffer(std::vector<float>{10, 20, 30, 40});
  cl_kernel mix = m.kernel(program, "mix");
  Pair pair = {{100, 200, 300, 400}, 7};
  cl_int three[4] = {1, 2, 3, 0};
  float v = 0.5f;
  OK(clSetKernelArg(mix, 0, sizeof(vectors), &vectors));
  OK(clSetKernelArg(mix, 1, 32 * sizeof(float), nullptr));
  OK(clSetKernelArg(mix, 2, sizeof(four), &four));
  OK(clSetKernelArg(mix, 3, sizeof(pair), &pair));
  OK(clSetKernelArg(mix, 4, sizeof(v), &v));
  OK(clSetKernelArg(mix, 5, sizeof(three), three));
  m.run(mix, {64}, {32});
  std::vector<float> mixed = m.read<float>(vectors);
  for (int i = 0; i < 64; ++i)
    for (int k = 0; k < 4; ++k)
      CHECK(mixed[4 * i + k] == a[4 * i + 3 - k] + pair.a[k] + 10 * (i % 4 + 1) + 1 + (31 - i % 32) + (i % 3 + 1) + 1 +
                                    0 + 7 + 3 + (i == 0 && k == 0 ? 6 : 0));

  cl_mem bytes = m.buffer(std::vector<cl_uchar>(8)), out = m.buffer(std::vector<float>(32));
  cl_mem floats = m.buffer(std::vector<float>{-3, 0.5f, 1.5f, 2.5f, 254.6f, 300, 0.9f, -0.0f});
  cl_kernel convert = m.kernel(program, "convert");
  setArguments(convert, bytes, floats, out);
  m.run(convert, {8});
  CHECK(m.read<cl_uchar>(bytes) == (std::vector<cl_uchar>{0, 0, 2, 2, 255, 255, 1, 0}));
  std::vector<float> selected = m.read<float>(out);
  CHECK(selected[0] == 4 && selected[1] == 0.5f && selected[2] == 2.5f && selected[4] == 255.6f);

  cl_mem known = m.buffer(std::vector<int>(40));
  cl_kernel spaces = m.kernel(program, "spaces");
  setArguments(spaces, known);
  m.run(spaces, {40});
  CHECK(m.read<int>(known) == std::vector<int>(40, 0421)); // global, local, private

  cl_kernel speak = m.kernel(program, "speak");
  setArguments(speak, 42);
  m.run(speak, {1});
  OK(clFinish(m.queue));
  // CHECK: 42 text x %
  // CHECK: 1,-2,3,4|1.50,2.25|7,8,255
  // CHECK:   2.5 -5 0xff

  cl_mem ints = m.buffer(std::vector<int>(3)), longs = m.buffer(std::vector<cl_ulong>(1)),
         atomics = m.buffer(std::vector<int>(1)), one = m.buffer(std::vector<float>(1));
  cl_kernel count = m.kernel(program, "count");
  setArguments(count, ints, longs, atomics, one);
  m.run(count, {128}, {64});
  CHECK(m.read<int>(ints) == (std::vector<int>{384, 128, 9}));
  CHECK(m.read<cl_ulong>(longs)[0] == 127ull << 33);
  CHECK(m.read<int>(atomics)[0] == 256 && m.read<float>(one)[0] == 1.5f);

  cl_mem results = m.buffer(std::vector<int>(8 * 96)), sums = m.buffer(std::vector<cl_long>(96));
  cl_kernel together = m.kernel(program, "together");
  setArguments(together, results, sums);
  m.run(together, {96}, {48});
  std::vector<int> r = m.read<int>(results);
  std::vector<cl_long> s = m.read<cl_long>(sums);
  for (int i = 0; i < 96; ++i) {
    const int t = i % 48, size = t < 32 ? 32 : 16, *of = &r[8 * i];
    CHECK(of[0] == 47 * 48 / 2 && of[1] == (t ? t - 1 : -2147483647 - 1) && of[2] == 5 && of[3] == size);
    CHECK(of[4] == 2 * (t % 32 + 1) && of[5] == 3 && of[6] == t / 32 * 100 + size && of[7] == t / 32 * 32 + 3);
    CHECK(s[i] == cl_long(t) * (t + 1) / 2 << 32);
  }

  std::vector<int> source(128);
  for (int i = 0; i < 128; ++i)
    source[i] = i;
  cl_mem from = m.buffer(source), to = m.buffer(std::vector<int>(128));
  cl_kernel copy = m.kernel(program, "copy");
  setArguments(copy, from, to);
  m.run(copy, {128}, {64});
  source[0] = source[64] = 1;
  source[1] = source[65] = 3;
  CHECK(m.read<int>(to) == source);

  std::vector<double> x(32);
  for (int i = 0; i < 32; ++i)
    x[i] = 0.1 + i * 0.15;
  cl_mem numbers = m.buffer(x);
  cl_kernel doubles = m.kernel(program, "doubles");
  setArguments(doubles, numbers);
  m.run(doubles, {32});
  std::vector<double> y = m.read<double>(numbers);
  for (int i = 0; i < 32; ++i) {
    const double right = std::exp(x[i]) + std::pow(x[i], 1.5) + std::lgamma(x[i]) + 1 / std::sqrt(x[i]) + i * i + 3 + i % 2;
    CHECK(std::abs(y[i] - right) <= 1e-14 * (1 + right));
  }

  const cl_long most = INT64_MAX, least = INT64_MIN;
  cl_mem longs3 = m.buffer(std::vector<cl_long>{-1, 1, least, 3, -97, most, most, 2, least, most, most, 0, 0, -97, -1});
  cl_kernel saturate = m.kernel(program, "saturate");
  setArguments(saturate, longs3);
  m.run(saturate, {5});
  CHECK(m.read<cl_long>(longs3) == (std::vector<cl_long>{least, -1, 0, most - 291, -291, -290, most - 1, most, most, most,
                                                         most, most, -1, 0, 1}));

  cl_mem pairs = m.buffer(std::vector<float>{1, 2, 0, 0, 5, 6});
  cl_mem eights = m.buffer(std::vector<cl_short>{1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0});
  cl_kernel seen = m.kernel(program, "seen");
  setArguments(seen, pairs, eights);
  m.run(seen, {1});
  CHECK(m.read<float>(pairs) == (std::vector<float>{1, 2, 2, 4, 5, 7}));
  CHECK(m.read<cl_short>(eights)[15] == 9);
}
