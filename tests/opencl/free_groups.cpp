// REQUIRES: opencl
// RUN: %opencl %s -o %t && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that do not ask for their groups, which may be launched in other groups than the program's: each work-item runs
// once and has its numbers, in ranges and groups of all shapes, behind offsets below and above 2^31. A kernel that asks
// gets the groups that it was launched with.
#include "opencl_test.h"

static const char *Source = R"(
kernel void once(global uint *counts, global ulong *sums, ulong first) {
  size_t i = get_global_linear_id();
  atomic_inc(counts + i);
  sums[i] = get_global_id(0) - first + 100 * get_global_id(1) + 10000 * get_global_id(2) +
            1000000 * (get_global_offset(0) - first) + 10000000 * get_global_size(0);
}
kernel void row(global const float *a, global float *b, int width) {
  int x = get_global_id(0), y = get_global_id(1);
  b[y * width + x] = 2 * a[y * width + x] + x;
}
kernel void asks(global uint *out) { out[get_global_id(0)] = get_local_size(0) * 1000 + get_group_id(0); }
)";

static void once(Machine &m, cl_kernel kernel, std::vector<size_t> size, std::vector<size_t> local,
                 size_t offset) {
  size_t count = 1;
  for (size_t extent : size)
    count *= extent;
  cl_mem counts = m.buffer(std::vector<cl_uint>(count)),
         sums = m.buffer(std::vector<cl_ulong>(count));
  setArguments(kernel, counts, sums, cl_ulong(offset));
  std::vector<size_t> offsets(size.size());
  offsets[0] = offset;
  m.run(kernel, size, local, offsets);
  const std::vector<cl_uint> found = m.read<cl_uint>(counts);
  const std::vector<cl_ulong> numbers = m.read<cl_ulong>(sums);
  size.resize(3, 1);
  for (size_t z = 0, i = 0; z < size[2]; ++z)
    for (size_t y = 0; y < size[1]; ++y)
      for (size_t x = 0; x < size[0]; ++x, ++i)
        CHECK(found[i] == 1 && numbers[i] == x + 100 * y + 10000 * z + 10000000 * size[0]);
  OK(clReleaseMemObject(counts));
  OK(clReleaseMemObject(sums));
}

int main() {
  Machine m;
  cl_program program = m.build(Source);
  cl_kernel kernel = m.kernel(program, "once");
  for (size_t offset : {size_t(0), size_t(5), size_t(1) << 31, size_t(7) << 32}) {
    for (size_t size : {1, 31, 100, 1009, 4001})
      for (size_t local : {0, 1, 7, 50, 256})
        once(m, kernel, {size}, local ? std::vector<size_t>{local} : std::vector<size_t>(), offset);
    once(m, kernel, {50, 15}, {50, 5}, offset);
    once(m, kernel, {3, 70}, {1, 35}, offset);
    once(m, kernel, {77, 33}, {16, 16}, offset);
    once(m, kernel, {9, 10, 11}, {4, 4, 4}, offset);
    once(m, kernel, {9, 10, 11}, {}, offset);
  }

  const int width = 613, height = 37;
  std::vector<float> values(width * height);
  for (int i = 0; i < width * height; ++i)
    values[i] = float(i % 1000);
  cl_mem from = m.buffer(values), to = m.buffer(std::vector<float>(width * height));
  cl_kernel row = m.kernel(program, "row");
  setArguments(row, from, to, width);
  m.run(row, {width, height}, {64, 4});
  const std::vector<float> doubled = m.read<float>(to);
  for (int i = 0; i < width * height; ++i)
    CHECK(doubled[i] == 2 * values[i] + float(i % width));

  cl_kernel asks = m.kernel(program, "asks");
  cl_mem out = m.buffer(std::vector<cl_uint>(100));
  setArguments(asks, out);
  m.run(asks, {100}, {7});
  const std::vector<cl_uint> groups = m.read<cl_uint>(out);
  for (cl_uint i = 0; i < 100; ++i)
    CHECK(groups[i] == (i < 98 ? 7000 : 2000) + i / 7);
}
