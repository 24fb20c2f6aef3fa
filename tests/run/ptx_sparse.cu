// RUN: %nvcc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sp of all shapes, types and selectors. Half of the elements of each row of A are zero; the others and where they
// lie are put into the registers that the PTX ISA says, and garbage into the metadata of lanes that are not chosen.
// NVCC: -arch=sm_90 -std=c++17
#include "ptx_sparse.h"

#define E(selector) "r"(low(f.e[lane])), "n"(selector)
#define SPARSE_KERNEL(name, ...)                                                                   \
  __global__ void name(SparseFragments *all) {                                                     \
    SparseFragments &f = all[threadIdx.x / 32];                                                    \
    int lane = threadIdx.x % 32;                                                                   \
    u64 *a = f.a[lane], *b = f.b[lane], *c = f.c[lane], *d = f.d[lane];                            \
    __VA_ARGS__                                                                                    \
  }
struct SparseFragments : Fragments {
  u64 e[32];
};

#define A4 "r"(low(a[0])), "r"(low(a[1])), "r"(low(a[2])), "r"(low(a[3]))
#define A2 "r"(low(a[0])), "r"(low(a[1]))
#define B4 "r"(low(b[0])), "r"(low(b[1])), "r"(low(b[2])), "r"(low(b[3]))
#define B2 "r"(low(b[0])), "r"(low(b[1]))
#define LONG " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%14, %15, %16, %17}, %12, %13;"
#define SHORT " {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%10, %11, %12, %13}, %8, %9;"
#define LONG_PAIRS " {%0, %1}, {%2, %3, %4, %5}, {%6, %7, %8, %9}, {%12, %13}, %10, %11;"

#define FLOATS_LONG(name, text, selector) SPARSE_KERNEL(name, FLOATS_2(text LONG, A4, B4, E(selector)))
#define FLOATS_SHORT(name, text, selector) SPARSE_KERNEL(name, FLOATS_2(text SHORT, A2, B2, E(selector)))
#define INTS_LONG(name, text, selector) SPARSE_KERNEL(name, INTS_4(text LONG, A4, B4, E(selector)))
#define INTS_SHORT(name, text, selector) SPARSE_KERNEL(name, INTS_4(text SHORT, A2, B2, E(selector)))

FLOATS_SHORT(halves16x0, "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 0)
FLOATS_SHORT(halves16x1, "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 1)
FLOATS_SHORT(halves16x2, "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 2)
FLOATS_SHORT(halves16x3, "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 3)
FLOATS_LONG(halves32x0, "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 0)
FLOATS_LONG(halves32x1, "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 1)
SPARSE_KERNEL(halvesToHalves, PAIRS_2("mma.sp.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16" LONG_PAIRS, A4, B4, E(0)))
FLOATS_SHORT(brains16, "mma.sp.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 2)
FLOATS_LONG(brains32, "mma.sp.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32", 1)
FLOATS_SHORT(tensors8, "mma.sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 3)
FLOATS_LONG(tensors16, "mma.sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32", 1)
FLOATS_LONG(small43, "mma.sp.sync.aligned.m16n8k64.row.col.f32.e4m3.e5m2.f32", 0)
INTS_SHORT(bytes32x0, "mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", 0)
INTS_SHORT(bytes32x1, "mma.sp.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32", 1)
INTS_LONG(bytes64, "mma.sp.sync.aligned.m16n8k64.row.col.satfinite.s32.s8.s8.s32", 0)
INTS_SHORT(nibbles64, "mma.sp.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32", 1)
INTS_LONG(nibbles128, "mma.sp.sync.aligned.m16n8k128.row.col.s32.s4.s4.s32", 0)

using Kernel = void (*)(SparseFragments *);

static void check(const char *name, Kernel kernel, int k, Type left, Type right, Sum sum, int selector) {
  constexpr int warps = 2, m = 16;
  Random random(29);
  std::vector<SparseFragments> fragments(warps);
  std::vector<int> want(warps * m * 8);
  int bits = bitsOf(left), perWord = 32 / bits, there = k / 2;
  for (int warp = 0; warp < warps; ++warp) {
    SparseFragments &f = fragments[warp];
    memset(&f, 0, sizeof f);
    for (u64 &e : f.e)
      e = random.bits();
    std::vector<Row> rows(m);
    std::vector<int> a(m * there), b(k * 8), c(m * 8);
    for (int row = 0; row < m; ++row) {
      rows[row] = randomRow(random, left, k);
      for (size_t chunk = 0; chunk < rows[row].chunks.size(); ++chunk)
        putMetadata(f.e, left, int(rows[row].chunks.size()), selector, row, int(chunk), rows[row].chunks[chunk]);
    }
    for (int &x : a)
      x = randomElement(random, left);
    for (int &x : b)
      x = randomElement(random, right);
    for (int &x : c)
      x = random.below(101) - 50;
    for (int lane = 0; lane < 32; ++lane) {
      int group = lane / 4, member = lane % 4;
      for (int i = 0; i < m * there / 32; ++i) {
        int reg = i / perWord, row = group + 8 * (reg % 2), col = member * perWord + i % perWord + 4 * perWord * (reg / 2);
        f.a[lane][reg] |= encode(left, a[row * there + col]) << (i % perWord * bits);
      }
      for (int i = 0; i < k * 8 / 32; ++i) {
        int reg = i / perWord, row = member * perWord + i % perWord + 4 * perWord * reg;
        f.b[lane][reg] |= encode(right, b[row * 8 + group]) << (i % perWord * bits);
      }
      for (int i = 0; i < 4; ++i) {
        int row = group + 8 * (i / 2), col = 2 * member + i % 2, at = sum == Sum::Half ? i / 2 : i;
        f.c[lane][at] |= encodeSum(sum, c[row * 8 + col]) << (sum == Sum::Half ? 16 * (i % 2) : 0);
      }
    }
    for (int row = 0; row < m; ++row)
      for (int col = 0; col < 8; ++col) {
        int total = c[row * 8 + col];
        for (int i = 0; i < there; ++i)
          total += a[row * there + i] * b[rows[row].places[i] * 8 + col];
        want[(warp * m + row) * 8 + col] = total;
      }
  }
  Buffer<SparseFragments> device(fragments);
  kernel<<<1, 32 * warps>>>(device);
  checkLaunch();
  std::vector<SparseFragments> got = device.get();
  for (int warp = 0; warp < warps; ++warp)
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i) {
        int row = lane / 4 + 8 * (i / 2), col = 2 * (lane % 4) + i % 2;
        u64 reg = got[warp].d[lane][sum == Sum::Half ? i / 2 : i];
        expect(name, row * 8 + col, sumOf(sum, reg, i % 2), double(want[(warp * m + row) * 8 + col]));
      }
}

int main() {
  check("f16 k16, 0", halves16x0, 16, Type::F16, Type::F16, Sum::Float, 0);
  check("f16 k16, 1", halves16x1, 16, Type::F16, Type::F16, Sum::Float, 1);
  check("f16 k16, 2", halves16x2, 16, Type::F16, Type::F16, Sum::Float, 2);
  check("f16 k16, 3", halves16x3, 16, Type::F16, Type::F16, Sum::Float, 3);
  check("f16 k32, 0", halves32x0, 32, Type::F16, Type::F16, Sum::Float, 0);
  check("f16 k32, 1", halves32x1, 32, Type::F16, Type::F16, Sum::Float, 1);
  check("f16 k32 in halves", halvesToHalves, 32, Type::F16, Type::F16, Sum::Half, 0);
  check("bf16 k16", brains16, 16, Type::BF16, Type::BF16, Sum::Float, 2);
  check("bf16 k32", brains32, 32, Type::BF16, Type::BF16, Sum::Float, 1);
  check("tf32 k8", tensors8, 8, Type::TF32, Type::TF32, Sum::Float, 3);
  check("tf32 k16", tensors16, 16, Type::TF32, Type::TF32, Sum::Float, 1);
  check("e4m3 k64", small43, 64, Type::E4M3, Type::E5M2, Sum::Float, 0);
  check("s8 k32, 0", bytes32x0, 32, Type::S8, Type::U8, Sum::Int, 0);
  check("u8 k32, 1", bytes32x1, 32, Type::U8, Type::U8, Sum::Int, 1);
  check("s8 k64", bytes64, 64, Type::S8, Type::S8, Sum::Int, 0);
  check("u4 k64", nibbles64, 64, Type::U4, Type::S4, Sum::Int, 1);
  check("s4 k128", nibbles128, 128, Type::S4, Type::S4, Sum::Int, 0);
  return finish();
}
