// RUN: %nvcc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sync of all shapes and types, ldmatrix, stmatrix and movmatrix. The host puts the elements of random matrices into
// the registers that the PTX ISA says, and multiplies plainly; numbers are whole and small, so every order of sums gives
// the same.
// NVCC: -arch=sm_90 -std=c++17
#include "ptx_matrices.h"

#define A4 "r"(low(a[0])), "r"(low(a[1])), "r"(low(a[2])), "r"(low(a[3]))
#define A2 "r"(low(a[0])), "r"(low(a[1]))
#define B2 "r"(low(b[0])), "r"(low(b[1]))
#define B1 "r"(low(b[0]))
#define WIDE " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
#define NARROW " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
#define WIDE_PAIRS " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
#define NARROW_PAIRS " {%0, %1}, {%2, %3}, {%4}, {%5, %6};"

KERNEL(halves16, FLOATS_2("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" WIDE, A4, B2))
KERNEL(halves8, FLOATS_2("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32" NARROW, A2, B1))
KERNEL(halvesToHalves16, PAIRS_2("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16" WIDE_PAIRS, A4, B2))
KERNEL(halvesToHalves8, PAIRS_2("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16" NARROW_PAIRS, A2, B1))
KERNEL(brains16, FLOATS_2("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32" WIDE, A4, B2))
KERNEL(brains8, FLOATS_2("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32" NARROW, A2, B1))
KERNEL(tensors8, FLOATS_2("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32" WIDE, A4, B2))
KERNEL(tensors4, FLOATS_2("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32" NARROW, A2, B1))
KERNEL(small43, FLOATS_2("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32" WIDE, A4, B2))
KERNEL(small52, FLOATS_2("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32" WIDE, A4, B2))
KERNEL(bytes32, INTS_4("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32" WIDE, A4, B2))
KERNEL(bytes16, INTS_4("mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32" NARROW, A2, B1))
KERNEL(bytesMixed, INTS_4("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32" WIDE, A4, B2))
KERNEL(nibbles64, INTS_4("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32" WIDE, A4, B2))
KERNEL(nibbles32, INTS_4("mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32" NARROW, A2, B1))
KERNEL(bits256, INTS_4("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc" WIDE, A4, B2))
KERNEL(bits128, INTS_4("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc" NARROW, A2, B1))
KERNEL(bytes8, PAIRS_2("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%4, %5};", "r"(low(a[0])), B1))
KERNEL(nibbles8, PAIRS_2("mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32 {%0, %1}, {%2}, {%3}, {%4, %5};", "r"(low(a[0])), B1))
KERNEL(bits8, PAIRS_2("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%0, %1}, {%2}, {%3}, {%4, %5};", "r"(low(a[0])), B1))
#define DOUBLES_4(text, ...)                                                                       \
  double x, y, z, w;                                                                               \
  asm volatile(text : "=d"(x), "=d"(y), "=d"(z), "=d"(w) : __VA_ARGS__, "d"(wide(c[0])),           \
               "d"(wide(c[1])), "d"(wide(c[2])), "d"(wide(c[3])));                                 \
  d[0] = __double_as_longlong(x), d[1] = __double_as_longlong(y), d[2] = __double_as_longlong(z),  \
  d[3] = __double_as_longlong(w);
#define DA(i) "d"(wide(a[i]))
#define DB(i) "d"(wide(b[i]))
KERNEL(doubles8, {
  double x, y;
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
               : "=d"(x), "=d"(y) : DA(0), DB(0), "d"(wide(c[0])), "d"(wide(c[1])));
  d[0] = __double_as_longlong(x), d[1] = __double_as_longlong(y);
})
KERNEL(doubles4x16, DOUBLES_4("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64" NARROW, DA(0), DA(1), DB(0)))
KERNEL(doubles8x16, DOUBLES_4("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64" WIDE, DA(0), DA(1), DA(2), DA(3), DB(0), DB(1)))
KERNEL(doubles16x16, DOUBLES_4("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64"
                              " {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19};",
                              DA(0), DA(1), DA(2), DA(3), DA(4), DA(5), DA(6), DA(7), DB(0), DB(1), DB(2), DB(3)))

using Kernel = void (*)(Fragments *);
using Combine = int (*)(int, int);

/// Two warps, each with matrices of its own.
static void check(const char *name, Kernel kernel, int m, int k, Type left, Type right, Sum sum,
                  Combine combine = [](int x, int y) { return x * y; }) {
  constexpr int warps = 2;
  Random random(17);
  std::vector<Fragments> fragments(warps);
  std::vector<int> want(warps * m * 8);
  int perWord = (left == Type::F64 ? 64 : 32) / bitsOf(left), bits = bitsOf(left);
  for (int warp = 0; warp < warps; ++warp) {
    Fragments &f = fragments[warp];
    memset(&f, 0, sizeof f);
    std::vector<int> a(m * k), b(k * 8), c(m * 8);
    for (int &x : a)
      x = randomElement(random, left);
    for (int &x : b)
      x = randomElement(random, right);
    for (int &x : c)
      x = random.below(101) - 50;
    for (int lane = 0; lane < 32; ++lane) {
      int group = lane / 4, member = lane % 4;
      for (int i = 0; i < m * k / 32; ++i) { // PTX ISA: a_i
        int reg = i / perWord, half = m == 16 ? reg % 2 : 0, block = m == 16 ? reg / 2 : reg;
        int row = group + 8 * half, col = member * perWord + i % perWord + 4 * perWord * block;
        f.a[lane][reg] |= encode(left, a[row * k + col]) << (i % perWord * bits);
      }
      for (int i = 0; i < k * 8 / 32; ++i) { // b_i
        int reg = i / perWord, row = member * perWord + i % perWord + 4 * perWord * reg;
        f.b[lane][reg] |= encode(right, b[row * 8 + group]) << (i % perWord * bits);
      }
      for (int i = 0; i < m * 8 / 32; ++i) { // c_i
        int row = group + 8 * (i / 2), col = 2 * member + i % 2;
        int at = sum == Sum::Half ? i / 2 : i;
        f.c[lane][at] |= encodeSum(sum, c[row * 8 + col]) << (sum == Sum::Half ? 16 * (i % 2) : 0);
      }
    }
    for (int row = 0; row < m; ++row)
      for (int col = 0; col < 8; ++col) {
        int total = c[row * 8 + col];
        for (int i = 0; i < k; ++i)
          total += combine(a[row * k + i], b[i * 8 + col]);
        want[(warp * m + row) * 8 + col] = total;
      }
  }
  Buffer<Fragments> device(fragments);
  kernel<<<1, 32 * warps>>>(device);
  checkLaunch();
  std::vector<Fragments> got = device.get();
  for (int warp = 0; warp < warps; ++warp)
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < m * 8 / 32; ++i) {
        int row = lane / 4 + 8 * (i / 2), col = 2 * (lane % 4) + i % 2;
        u64 reg = got[warp].d[lane][sum == Sum::Half ? i / 2 : i];
        expect(name, row * 8 + col, sumOf(sum, reg, i % 2), double(want[(warp * m + row) * 8 + col]));
      }
}

/// Volta's shape: four products by quads of lanes. The layouts are those of the PTX ISA.
#define QUADS(layouts)                                                                             \
  asm volatile("mma.sync.aligned.m8n8k4." layouts ".f32.f16.f16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}," \
               " {%0, %1, %2, %3, %4, %5, %6, %7};"                                                \
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]) \
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]))
template <bool rowA, bool rowB> __global__ void quads(const u32 *words, const float *sums, float *out, u32 *halves) {
  int lane = threadIdx.x;
  const u32 *a = words + 4 * lane, *b = a + 2;
  float c[8];
  for (int i = 0; i < 8; ++i)
    c[i] = sums[8 * lane + i];
  if constexpr (rowA && rowB)
    QUADS("row.row");
  else if constexpr (rowA)
    QUADS("row.col");
  else if constexpr (rowB)
    QUADS("col.row");
  else
    QUADS("col.col");
  for (int i = 0; i < 8; ++i)
    out[8 * lane + i] = c[i];
  u32 d[4];
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%8, %8, %8, %8};"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(0x3c003c00));
  for (int i = 0; i < 4; ++i)
    halves[4 * lane + i] = d[i];
}

template <bool rowA, bool rowB> static void checkQuads() {
  Random random(37);
  int a[4][8][4], b[4][4][8], start[4][8][8];
  for (auto &quad : a)
    for (auto &row : quad)
      for (int &x : row)
        x = random.below(17) - 8;
  for (auto &quad : b)
    for (auto &row : quad)
      for (int &x : row)
        x = random.below(17) - 8;
  std::vector<u32> words(128);
  std::vector<float> sums(256);
  auto rowOf = [](int lane, int i) { return (lane & 1) + (i & 2) + (lane < 16 ? 0 : 4); };
  auto columnOf = [](int lane, int i) { return (i & 4) + (lane & 2) + (i & 1); };
  for (int lane = 0; lane < 32; ++lane) {
    int quad = lane / 4 % 4, place = lane % 4, upper = lane < 16 ? 0 : 4;
    for (int i = 0; i < 4; ++i) {
      int x = rowA ? a[quad][place + upper][i] : a[quad][i + upper][place];
      int y = rowB ? b[quad][place][i + upper] : b[quad][i][place + upper];
      words[4 * lane + i / 2] |= u32(encode(Type::F16, x)) << (16 * (i % 2));
      words[4 * lane + 2 + i / 2] |= u32(encode(Type::F16, y)) << (16 * (i % 2));
    }
    for (int i = 0; i < 8; ++i) {
      int &c = start[quad][rowOf(lane, i)][columnOf(lane, i)];
      c = random.below(101) - 50;
      sums[8 * lane + i] = float(c);
    }
  }
  Buffer<u32> deviceWords(words), deviceHalves(128);
  Buffer<float> deviceSums(sums), out(256);
  quads<rowA, rowB><<<1, 32>>>(deviceWords, deviceSums, out, deviceHalves);
  checkLaunch();
  std::vector<float> got = out.get();
  std::vector<u32> halves = deviceHalves.get();
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 8; ++i) {
      int quad = lane / 4 % 4, row = rowOf(lane, i), column = columnOf(lane, i), want = start[quad][row][column];
      for (int k = 0; k < 4; ++k)
        want += a[quad][row][k] * b[quad][k][column];
      expect("quads", lane * 8 + i, got[8 * lane + i], float(want));
      if (!rowA || rowB)
        continue;
      int sum = 1;
      row = lane % 4 + (lane < 16 ? 0 : 4);
      for (int k = 0; k < 4; ++k)
        sum += a[quad][row][k] * b[quad][k][i];
      expect("quads of halves", lane * 8 + i, sumOf(Sum::Half, halves[4 * lane + i / 2], i % 2), double(sum));
    }
}

/// Matrices through shared memory: in plain and transposed, out again, and within registers.
__global__ void moves(const uint16_t *in, u32 *out) {
  __shared__ alignas(16) uint16_t tile[4 * 8 * 16], copy[4 * 8 * 8];
  int lane = threadIdx.x;
  for (int i = lane; i < 4 * 8 * 16; i += 32)
    tile[i] = in[i];
  __syncwarp();
  u32 address = u32(__cvta_generic_to_shared(tile + 16 * lane)), r[4], t[4], m;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%0, %1}, [%2+16];" : "=r"(t[0]), "=r"(t[1]) : "r"(address));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(t[2]) : "r"(address));
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(m) : "r"(r[3]));
  u32 to = u32(__cvta_generic_to_shared(copy + 8 * lane));
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};"
               ::"r"(to), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
  __syncwarp();
  for (int i = 0; i < 4; ++i)
    out[8 * lane + i] = r[i];
  out[8 * lane + 4] = t[0], out[8 * lane + 5] = t[1], out[8 * lane + 6] = t[2], out[8 * lane + 7] = m;
  for (int i = lane; i < 4 * 64; i += 32)
    out[256 + i] = copy[i];
}

static void checkMoves() {
  Random random(19);
  std::vector<uint16_t> in(4 * 8 * 16);
  for (uint16_t &x : in)
    x = uint16_t(random.bits());
  Buffer<uint16_t> device(in);
  Buffer<u32> out(512);
  moves<<<1, 32>>>(device, out);
  checkLaunch();
  std::vector<u32> got = out.get();
  auto at = [&](int matrix, int row, int col) { return u32(in[16 * (8 * matrix + row) + col]); };
  for (int lane = 0; lane < 32; ++lane) {
    int row = lane / 4, col = 2 * (lane % 4);
    for (int i = 0; i < 4; ++i)
      expect("ldmatrix", lane, got[8 * lane + i], at(i, row, col) | at(i, row, col + 1) << 16);
    for (int i = 0; i < 2; ++i)
      expect("ldmatrix.trans", lane, got[8 * lane + 4 + i], at(i, col, 8 + row) | at(i, col + 1, 8 + row) << 16);
    expect("ldmatrix.x1", lane, got[8 * lane + 6], at(0, row, col) | at(0, row, col + 1) << 16);
    expect("movmatrix", lane, got[8 * lane + 7], at(3, col, row) | at(3, col + 1, row) << 16);
  }
  for (int i = 0; i < 256; ++i)
    expect("stmatrix.trans", i, got[256 + i], at(i / 64, i % 8, i / 8 % 8));
}

int main() {
  check("f16 k16", halves16, 16, 16, Type::F16, Type::F16, Sum::Float);
  check("f16 k8", halves8, 16, 8, Type::F16, Type::F16, Sum::Float);
  check("f16 k16 in halves", halvesToHalves16, 16, 16, Type::F16, Type::F16, Sum::Half);
  check("f16 k8 in halves", halvesToHalves8, 16, 8, Type::F16, Type::F16, Sum::Half);
  check("bf16 k16", brains16, 16, 16, Type::BF16, Type::BF16, Sum::Float);
  check("bf16 k8", brains8, 16, 8, Type::BF16, Type::BF16, Sum::Float);
  check("tf32 k8", tensors8, 16, 8, Type::TF32, Type::TF32, Sum::Float);
  check("tf32 k4", tensors4, 16, 4, Type::TF32, Type::TF32, Sum::Float);
  check("e4m3", small43, 16, 32, Type::E4M3, Type::E4M3, Sum::Float);
  check("e5m2", small52, 16, 32, Type::E5M2, Type::E4M3, Sum::Float);
  check("s8 k32", bytes32, 16, 32, Type::S8, Type::S8, Sum::Int);
  check("u8 k16", bytes16, 16, 16, Type::U8, Type::U8, Sum::Int);
  check("s8 u8 k32", bytesMixed, 16, 32, Type::S8, Type::U8, Sum::Int);
  check("s4 k64", nibbles64, 16, 64, Type::S4, Type::S4, Sum::Int);
  check("u4 s4 k32", nibbles32, 16, 32, Type::U4, Type::S4, Sum::Int);
  auto exclusive = [](int x, int y) { return x ^ y; };
  auto both = [](int x, int y) { return x & y; };
  check("b1 k256", bits256, 16, 256, Type::Bit, Type::Bit, Sum::Int, exclusive);
  check("b1 k128", bits128, 16, 128, Type::Bit, Type::Bit, Sum::Int, both);
  check("m8 s8", bytes8, 8, 16, Type::S8, Type::S8, Sum::Int);
  check("m8 s4", nibbles8, 8, 32, Type::S4, Type::U4, Sum::Int);
  check("m8 b1", bits8, 8, 128, Type::Bit, Type::Bit, Sum::Int, exclusive);
  check("m8 f64", doubles8, 8, 4, Type::F64, Type::F64, Sum::Double);
  check("f64 k4", doubles4x16, 16, 4, Type::F64, Type::F64, Sum::Double);
  check("f64 k8", doubles8x16, 16, 8, Type::F64, Type::F64, Sum::Double);
  check("f64 k16", doubles16x16, 16, 16, Type::F64, Type::F64, Sum::Double);
  checkQuads<true, false>();
  checkQuads<false, true>();
  checkQuads<true, true>();
  checkQuads<false, false>();
  checkMoves();
  return finish();
}
