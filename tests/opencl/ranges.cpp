// REQUIRES: opencl
// RUN: %opencl %s -o %t && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of work-items: offsets, groups of other sizes at the end, more groups than CUDA's grids have, sizes that the
// implementation chooses; what work-items are told.
#include "opencl_test.h"

#include <numeric>

static const char *Source = R"(
kernel void number(global int *out) { out[get_global_id(0)] = get_global_id(0); }
kernel void place(global ulong *out) {
  size_t i = get_global_linear_id();
  out[i] = get_global_id(0) + 1000 * get_global_id(1) + 1000000 * get_global_id(2);
}
kernel void counts(global uint *rows) {
  atomic_inc(rows + get_global_id(1) % 7);
}
kernel void groups(global uint *out) {
  local uint sum;
  if (get_local_linear_id() == 0) sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&sum);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_linear_id() == 0)
    out[get_group_id(1) * get_num_groups(0) + get_group_id(0)] =
        sum + 1000 * get_local_size(0) + 100000 * get_local_size(1) + 10000000 * get_enqueued_local_size(0);
}
kernel void asks(global ulong *out) {
  out[0] = get_work_dim();  out[1] = get_global_size(0); out[2] = get_global_size(2);
  out[3] = get_global_offset(0); out[4] = get_local_size(5); out[5] = get_global_id(3);
  out[6] = get_num_groups(0);
}
kernel __attribute__((reqd_work_group_size(8, 4, 1))) void required(global int *out) {
  if (get_local_linear_id() == 0) atomic_add(out, get_local_size(0) * get_local_size(1));
}
)";

int main() {
  Machine m;
  cl_program program = m.build(Source);

  cl_mem out = m.buffer(std::vector<int>(1003, -1));
  cl_kernel number = m.kernel(program, "number");
  setArguments(number, out);
  m.run(number, {997}, {}, {3}); // a prime, chosen by the implementation, behind an offset
  std::vector<int> numbers = m.read<int>(out);
  for (int i = 0; i < 1003; ++i)
    CHECK(numbers[i] == (i >= 3 && i < 1000 ? i : -1));

  cl_mem places = m.buffer(std::vector<cl_ulong>(5 * 3 * 7));
  cl_kernel place = m.kernel(program, "place");
  setArguments(place, places);
  m.run(place, {5, 3, 7}, {2, 2, 4}, {10, 20, 30});
  std::vector<cl_ulong> found = m.read<cl_ulong>(places);
  for (int z = 0, i = 0; z < 7; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 5; ++x, ++i)
        CHECK(found[i] == cl_ulong(10 + x) + 1000 * (20 + y) + 1000000 * (30 + z));

  cl_mem rows = m.buffer(std::vector<cl_uint>(7));
  cl_kernel counts = m.kernel(program, "counts");
  setArguments(counts, rows);
  m.run(counts, {2, 140000}, {2, 1});
  for (cl_uint count : m.read<cl_uint>(rows))
    CHECK(count == 2 * 140000 / 7);

  cl_mem sums = m.buffer(std::vector<cl_uint>(4));
  cl_kernel groups = m.kernel(program, "groups");
  setArguments(groups, sums);
  m.run(groups, {40, 5}, {32, 4});
  CHECK(m.read<cl_uint>(sums) ==
        (std::vector<cl_uint>{320000000 + 400000 + 32000 + 128, 320000000 + 400000 + 8000 + 32,
                              320000000 + 100000 + 32000 + 32, 320000000 + 100000 + 8000 + 8}));

  cl_mem answers = m.buffer(std::vector<cl_ulong>(7));
  cl_kernel asks = m.kernel(program, "asks");
  setArguments(asks, answers);
  m.run(asks, {1}, {}, {9});
  CHECK(m.read<cl_ulong>(answers) == (std::vector<cl_ulong>{1, 1, 1, 9, 1, 0, 1}));
  m.run(asks, {6, 4}, {3, 2});
  CHECK(m.read<cl_ulong>(answers) == (std::vector<cl_ulong>{2, 6, 1, 0, 1, 0, 2}));

  cl_mem total = m.buffer(std::vector<int>(1));
  cl_kernel required = m.kernel(program, "required");
  setArguments(required, total);
  m.run(required, {16, 8});
  CHECK(m.read<int>(total)[0] == 16 * 8);
  m.run(required, {18, 7}); // the last groups are smaller
  CHECK(m.read<int>(total)[0] == 16 * 8 + 18 * 7);
  size_t global[] = {16, 8}, local[] = {4, 4};
  CHECK_CODE(clEnqueueNDRangeKernel(m.queue, required, 2, nullptr, global, local, 0, nullptr, nullptr),
             CL_INVALID_WORK_GROUP_SIZE);

  cl_kernel old = m.kernel(m.build(Source + 1, "-cl-std=CL1.2 -Dget_global_linear_id()=0 -Dget_local_linear_id()=0 -Dget_enqueued_local_size=get_local_size"), "number");
  setArguments(old, out);
  size_t prime = 997, three = 3;
  CHECK_CODE(clEnqueueNDRangeKernel(m.queue, old, 1, nullptr, &prime, &three, 0, nullptr, nullptr),
             CL_INVALID_WORK_GROUP_SIZE);
}
