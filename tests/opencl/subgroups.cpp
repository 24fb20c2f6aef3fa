// REQUIRES: opencl
// RUN: %opencl %s -o %t && %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extensions of subgroups (cl_khr_subgroup_*): a subgroup of 32 work-items and one of 8 in a work-group of 40, and
// a part of each that comes to a function together.
#include "opencl_test.h"

#include <algorithm>
#include <functional>

static const char *Source = R"(
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void moves(global int *out, global short4 *rows) {
  uint i = get_global_id(0), lane = get_sub_group_local_id();
  global int *to = out + 8 * i;
  to[0] = sub_group_shuffle((char)lane, lane ^ 5);
  to[1] = as_int(sub_group_shuffle_xor(as_float(i), 3));
  to[2] = (int)sub_group_shuffle_up((double)lane, 1);
  to[3] = (int)(sub_group_shuffle_down((long)lane << 32, 1) >> 32);
  to[4] = sub_group_rotate((ushort)lane, 3);
  to[5] = (int)sub_group_clustered_rotate((half)lane, -1, 4);
  to[6] = sub_group_clustered_reduce_max((uchar)(lane * 7), 8);
  to[7] = sub_group_scan_inclusive_add((short)lane);
  rows[i] = sub_group_broadcast((short4)(lane, i, -lane, 1), 2);
}

kernel void parts(global int *out, int step) {
  uint i = get_global_id(0), lane = get_sub_group_local_id();
  global int *to = out + 16 * i;
  if (lane % step == 1) {
    to[0] = sub_group_elect();
    to[1] = sub_group_non_uniform_all(lane > 2) + 2 * sub_group_non_uniform_any(lane > 2);
    to[2] = sub_group_non_uniform_all_equal((long)lane) + 2 * sub_group_non_uniform_all_equal(7.0f);
    to[3] = sub_group_ballot(lane < 6).x;
    to[4] = sub_group_broadcast_first(lane);
    to[5] = sub_group_non_uniform_broadcast((int3)(lane, 8, 9), 1 + step).x;
    to[6] = sub_group_non_uniform_reduce_add((int)lane);
    to[7] = sub_group_non_uniform_scan_exclusive_mul((short)(lane - 3));
    to[8] = sub_group_non_uniform_scan_inclusive_max(100 - (int)lane);
    to[9] = sub_group_non_uniform_reduce_xor((uchar)(lane * lane));
    to[10] = sub_group_non_uniform_reduce_logical_and((int)(lane - 1)) + 2 * sub_group_non_uniform_scan_inclusive_logical_xor(1);
    to[11] = (int)sub_group_non_uniform_reduce_min((float)lane);
  }
  uint4 ballot = (uint4)(0xf0f0f0f0, 0, 0, 0);
  to[12] = sub_group_ballot_bit_count(ballot) * 1000 + sub_group_ballot_find_lsb(ballot) * 100 + sub_group_ballot_find_msb(ballot);
  to[13] = sub_group_ballot_inclusive_scan(ballot) * 100 + sub_group_ballot_exclusive_scan(ballot);
  to[14] = sub_group_inverse_ballot(ballot) * 10 + sub_group_ballot_bit_extract(ballot, 3);
  to[15] = get_sub_group_eq_mask().x + get_sub_group_lt_mask().x == get_sub_group_le_mask().x &&
           (get_sub_group_gt_mask().x | get_sub_group_le_mask().x) == ~0u && (get_sub_group_ge_mask().x & 1) == !lane;
}
)";

static const int Size = 40;

static void checkMoves(Machine &m, cl_program program) {
  cl_kernel kernel = m.kernel(program, "moves");
  cl_mem out = m.buffer(std::vector<int>(8 * Size)), rows = m.buffer(std::vector<cl_short>(4 * Size));
  setArguments(kernel, out, rows);
  m.run(kernel, {Size}, {Size});
  const auto got = m.read<int>(out);
  const auto row = m.read<cl_short>(rows);
  for (int i = 0; i < Size; ++i) {
    const int *v = &got[8 * i], lane = i % 32, size = i < 32 ? 32 : 8;
    CHECK(v[0] == (lane ^ 5));
    CHECK(v[1] == (i ^ 3));
    CHECK(lane == 0 || v[2] == lane - 1);
    CHECK(lane == size - 1 || v[3] == lane + 1);
    CHECK(lane + 3 >= size || v[4] == lane + 3);
    CHECK(v[5] == lane / 4 * 4 + (lane + 3) % 4);
    CHECK(v[6] == (lane / 8 * 8 + 7) * 7);
    CHECK(v[7] == lane * (lane + 1) / 2);
    CHECK(row[4 * i] == 2 && row[4 * i + 1] == i - lane + 2 && row[4 * i + 2] == -2 && row[4 * i + 3] == 1);
  }
}

static void checkParts(Machine &m, cl_program program, int step) {
  cl_kernel kernel = m.kernel(program, "parts");
  cl_mem out = m.buffer(std::vector<int>(16 * Size));
  setArguments(kernel, out, step);
  m.run(kernel, {Size}, {Size});
  const auto got = m.read<int>(out);
  for (int i = 0; i < Size; ++i) {
    const int *v = &got[16 * i], lane = i % 32, size = i < 32 ? 32 : 8;
    const unsigned bits = 0xf0f0f0f0;
    CHECK(v[12] == 16 * 1000 + 4 * 100 + 31);
    CHECK(v[13] == __builtin_popcount(bits & (2u << lane) - 1) * 100 + __builtin_popcount(bits & (1u << lane) - 1));
    CHECK(v[14] == static_cast<int>(bits >> lane & 1) * 10);
    CHECK(v[15] == 1);
    if (lane % step != 1)
      continue;
    int sum = 0, xors = 0, ballot = 0, rank = 0;
    cl_short product = 1;
    for (int l = 1; l < size; l += step) {
      sum += l;
      xors ^= l * l;
      ballot |= l < 6 ? 1 << l : 0;
      if (l < lane) {
        product = static_cast<cl_short>(product * (l - 3));
        ++rank;
      }
    }
    CHECK(v[0] == (lane == 1));
    CHECK(v[1] == 2);
    CHECK(v[2] == 2);
    CHECK(v[3] == ballot);
    CHECK(v[4] == 1);
    CHECK(v[5] == 1 + step);
    CHECK(v[6] == sum);
    CHECK(v[7] == product);
    CHECK(v[8] == 99);
    CHECK(v[9] == (xors & 255));
    CHECK(v[10] == 2 * (rank % 2 == 0));
    CHECK(v[11] == 1);
  }
}

int main() {
  Machine m;
  cl_program program = m.build(Source);
  checkMoves(m, program);
  checkParts(m, program, 2);
  checkParts(m, program, 3);
}
