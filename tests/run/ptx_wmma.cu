// RUN: %nvcc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wmma.load, wmma.mma and wmma.store of all shapes and types, with both layouts of each matrix and strides of their own,
// from global and shared memory, against plain products of small whole numbers.
// NVCC: -arch=sm_80 -std=c++17
#include "ptx_matrices.h"

#define TEXT1(x) "{%[" x "0]}"
#define TEXT2(x) "{%[" x "0], %[" x "1]}"
#define TEXT4(x) "{%[" x "0], %[" x "1], %[" x "2], %[" x "3]}"
#define TEXT8(x) "{%[" x "0], %[" x "1], %[" x "2], %[" x "3], %[" x "4], %[" x "5], %[" x "6], %[" x "7]}"
#define USE1(k, x) [x##0] k(x[0])
#define USE2(k, x) USE1(k, x), [x##1] k(x[1])
#define USE4(k, x) USE2(k, x), [x##2] k(x[2]), [x##3] k(x[3])
#define USE8(k, x) USE4(k, x), [x##4] k(x[4]), [x##5] k(x[5]), [x##6] k(x[6]), [x##7] k(x[7])

/// `what` is all behind "wmma.load."; n registers of x, of the constraint k.
#define LOAD(what, n, k, x, place, distance)                                                             \
  asm volatile("wmma.load." what " " TEXT##n(#x) ", [%[at]], %[by];"                                 \
               : USE##n("=" k, x) : [at] "l"(place), [by] "r"(distance) : "memory")
#define LOAD_SHARED(what, n, k, x, place, distance)                                                      \
  asm volatile("wmma.load." what " " TEXT##n(#x) ", [%[at]], %[by];"                                 \
               : USE##n("=" k, x) : [at] "r"(u32(__cvta_generic_to_shared(place))), [by] "r"(distance) : "memory")
#define MULTIPLY(what, na, nb, nc, nd, k, kc, kd)                                                  \
  asm volatile("wmma.mma." what " " TEXT##nd("d") ", " TEXT##na("a") ", " TEXT##nb("b") ", " TEXT##nc("c") ";" \
               : USE##nd("=" kd, d) : USE##na(k, a), USE##nb(k, b), USE##nc(kc, c))
#define STORE(what, n, k, x, place, distance)                                                            \
  asm volatile("wmma.store.d." what " [%[at]], " TEXT##n(#x) ", %[by];"                              \
               ::[at] "l"(place), USE##n(k, x), [by] "r"(distance) : "memory")

/// Matrices in memory and the distances between their rows or columns, in elements.
struct Memory {
  const void *a, *b, *c;
  void *d;
  int strideA, strideB, strideC, strideD;
};

/// One product: `la` to `ld` are layouts, `mode` what stands behind those of wmma.mma's factors and the shape.
#define WMMA(name, op, shape, la, lb, lc, ld, type, Reg, k, na, nb, ctype, RegC, kc, nc, dtype, RegD, kd, nd, mode) \
  __global__ void name(Memory m) {                                                                 \
    Reg a[na], b[nb];                                                                              \
    RegC c[nc];                                                                                    \
    RegD d[nd];                                                                                    \
    LOAD("a.sync.aligned." la "." shape "." type, na, k, a, m.a, m.strideA);                       \
    LOAD("b.sync.aligned." lb "." shape ".global." type, nb, k, b, m.b, m.strideB);                \
    LOAD("c.sync.aligned." lc "." shape "." ctype, nc, kc, c, m.c, m.strideC);                     \
    MULTIPLY(op "sync.aligned." la "." lb "." shape "." mode, na, nb, nc, nd, k, kc, kd);          \
    STORE("sync.aligned." ld "." shape ".global." dtype, nd, kd, d, m.d, m.strideD);               \
  }
#define HALVES(name, shape, la, lb, lc, ld) \
  WMMA(name, "", shape, la, lb, lc, ld, "f16", u32, "r", 8, 8, "f32", float, "f", 8, "f32", float, "f", 8, "f32.f32")
#define BRAINS(name, shape, la, lb, lc, ld, na, nb) \
  WMMA(name, "", shape, la, lb, lc, ld, "bf16", u32, "r", na, nb, "f32", float, "f", 8, "f32", float, "f", 8, "f32.bf16.bf16.f32")
#define BYTES(name, shape, type, la, lb, lc, ld, na, nb, tail) \
  WMMA(name, "", shape, la, lb, lc, ld, type, u32, "r", na, nb, "s32", u32, "r", 8, "s32", u32, "r", 8, \
       "s32." type "." type ".s32" tail)
#define SMALL(name, op, shape, type, lc, ld, tail) \
  WMMA(name, op, shape, "row", "col", lc, ld, type, u32, "r", 1, 1, "s32", u32, "r", 2, "s32", u32, "r", 2, \
       "s32." type "." type ".s32" tail)

HALVES(halves16, "m16n16k16", "row", "col", "row", "row")
HALVES(halves16Turned, "m16n16k16", "col", "row", "col", "row")
HALVES(halves32, "m32n8k16", "row", "row", "row", "col")
HALVES(halves8, "m8n32k16", "col", "col", "col", "col")
WMMA(halvesInHalves, "", "m16n16k16", "row", "row", "row", "col", "f16", u32, "r", 8, 8, "f16", u32, "r", 4, "f16", u32, "r",
     4, "f16.f16")
WMMA(halvesMixed, "", "m8n32k16", "row", "col", "row", "row", "f16", u32, "r", 8, 8, "f16", u32, "r", 4, "f32", float, "f", 8,
     "f32.f16.satfinite")
BRAINS(brains16, "m16n16k16", "row", "row", "row", "row", 4, 4)
BRAINS(brains32, "m32n8k16", "col", "col", "row", "col", 8, 2)
BRAINS(brains8, "m8n32k16", "row", "row", "col", "row", 2, 8)
WMMA(tensors, "", "m16n16k8", "row", "col", "row", "row", "tf32", u32, "r", 4, 4, "f32", float, "f", 8, "f32", float, "f", 8,
     "f32.tf32.tf32.f32")
WMMA(tensorsTurned, "", "m16n16k8", "col", "row", "col", "col", "tf32", u32, "r", 4, 4, "f32", float, "f", 8, "f32", float,
     "f", 8, "f32.tf32.tf32.f32")
BYTES(bytes16, "m16n16k16", "s8", "row", "col", "row", "row", 2, 2, "")
BYTES(bytes32, "m32n8k16", "u8", "col", "row", "col", "col", 4, 1, ".satfinite")
BYTES(bytes8, "m8n32k16", "s8", "row", "row", "row", "col", 1, 4, "")
WMMA(doubles, "", "m8n8k4", "row", "col", "row", "col", "f64", double, "d", 1, 1, "f64", double, "d", 2, "f64", double, "d", 2,
     "rn.f64.f64.f64.f64")
WMMA(doublesTurned, "", "m8n8k4", "col", "row", "col", "row", "f64", double, "d", 1, 1, "f64", double, "d", 2, "f64", double,
     "d", 2, "f64.f64.f64.f64")
SMALL(nibbles, "", "m8n8k32", "s4", "row", "row", "")
SMALL(nibblesUnsigned, "", "m8n8k32", "u4", "col", "row", ".satfinite")
SMALL(bitsXor, "xor.popc.", "m8n8k128", "b1", "row", "col", "")
SMALL(bitsAnd, "and.popc.", "m8n8k128", "b1", "row", "row", "")

/// From shared memory, without strides: those of the shape.
__global__ void fromShared(Memory m) {
  __shared__ alignas(32) uint16_t tiles[2][256];
  for (int i = threadIdx.x; i < 256; i += 32) {
    tiles[0][i] = ((const uint16_t *)m.a)[i];
    tiles[1][i] = ((const uint16_t *)m.b)[i];
  }
  __syncwarp();
  u32 a[8], b[8], first = u32(__cvta_generic_to_shared(tiles[0]));
  float c[8], d[8];
  asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " TEXT8("a") ", [%[p]];" : USE8("=r", a) : [p] "r"(first) : "memory");
  LOAD_SHARED("b.sync.aligned.col.m16n16k16.shared::cta.f16", 8, "r", b, tiles[1], 16);
  for (float &x : c)
    x = 1;
  MULTIPLY("sync.aligned.row.col.m16n16k16.f32.f32", 8, 8, 8, 8, "r", "f", "f");
  asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%[p]], " TEXT8("d") ";" ::[p] "l"(m.d), USE8("f", d) : "memory");
}

using Kernel = void (*)(Memory);
using Combine = int (*)(int, int);

/// `bits` of an element at place `at` of packed memory.
static void put(std::vector<uint8_t> &memory, size_t at, int bits, u64 value) {
  for (int i = 0; i < bits; ++i)
    if (value >> i & 1)
      memory[(at * bits + i) / 8] |= 1 << (at * bits + i) % 8;
}

struct Layouts {
  bool a, b, c, d; ///< whether rows lie in memory
};

static int bitsOfSum(Sum sum) { return sum == Sum::Half ? 16 : sum == Sum::Double ? 64 : 32; }

static void check(const char *name, Kernel kernel, int m, int n, int k, Layouts rows, Type type, Sum sumC, Sum sumD,
                  int pad, Combine combine = [](int x, int y) { return x * y; }) {
  Random random(41);
  int bits = bitsOf(type);
  Memory memory = {};
  memory.strideA = (rows.a ? k : m) + pad, memory.strideB = (rows.b ? n : k) + pad;
  int padC = pad ? 8 : 0;
  memory.strideC = (rows.c ? n : m) + padC, memory.strideD = (rows.d ? n : m) + 2 * padC;
  auto bytes = [](int lines, int stride, int bits) { return std::vector<uint8_t>(size_t(lines) * stride * bits / 8 + 32); };
  std::vector<uint8_t> a = bytes(m + k, memory.strideA, bits), b = bytes(n + k, memory.strideB, bits),
                       c = bytes(m + n, memory.strideC, bitsOfSum(sumC)), d = bytes(m + n, memory.strideD, bitsOfSum(sumD));
  std::vector<int> left(m * k), right(k * n), start(m * n);
  for (int i = 0; i < m * k; ++i) {
    left[i] = randomElement(random, type);
    put(a, rows.a ? i / k * memory.strideA + i % k : i % k * memory.strideA + i / k, bits, encode(type, left[i]));
  }
  for (int i = 0; i < k * n; ++i) {
    right[i] = randomElement(random, type);
    put(b, rows.b ? i / n * memory.strideB + i % n : i % n * memory.strideB + i / n, bits, encode(type, right[i]));
  }
  for (int i = 0; i < m * n; ++i) {
    start[i] = pad ? random.below(101) - 50 : 1;
    put(c, rows.c ? i / n * memory.strideC + i % n : i % n * memory.strideC + i / n, bitsOfSum(sumC), encodeSum(sumC, start[i]));
  }
  Buffer<uint8_t> deviceA(a), deviceB(b), deviceC(c), deviceD(d);
  memory.a = (uint8_t *)deviceA, memory.b = (uint8_t *)deviceB, memory.c = (uint8_t *)deviceC, memory.d = (uint8_t *)deviceD;
  kernel<<<1, 32>>>(memory);
  checkLaunch();
  std::vector<uint8_t> got = deviceD.get();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int want = start[i * n + j];
      for (int x = 0; x < k; ++x)
        want += combine(left[i * k + x], right[x * n + j]);
      u64 value = 0;
      size_t at = rows.d ? i * memory.strideD + j : j * memory.strideD + i;
      memcpy(&value, &got[at * bitsOfSum(sumD) / 8], bitsOfSum(sumD) / 8);
      expect(name, i * n + j, sumOf(sumD, value, 0), double(want));
    }
}

int main() {
  check("f16 m16n16", halves16, 16, 16, 16, {true, false, true, true}, Type::F16, Sum::Float, Sum::Float, 16);
  check("f16 m16n16, turned", halves16Turned, 16, 16, 16, {false, true, false, true}, Type::F16, Sum::Float, Sum::Float, 16);
  check("f16 m32n8", halves32, 32, 8, 16, {true, true, true, false}, Type::F16, Sum::Float, Sum::Float, 16);
  check("f16 m8n32", halves8, 8, 32, 16, {false, false, false, false}, Type::F16, Sum::Float, Sum::Float, 16);
  check("f16 in halves", halvesInHalves, 16, 16, 16, {true, true, true, false}, Type::F16, Sum::Half, Sum::Half, 16);
  check("f16 to f32", halvesMixed, 8, 32, 16, {true, false, true, true}, Type::F16, Sum::Half, Sum::Float, 16);
  check("f16 in shared memory", fromShared, 16, 16, 16, {true, false, true, true}, Type::F16, Sum::Float, Sum::Float, 0);
  check("bf16 m16n16", brains16, 16, 16, 16, {true, true, true, true}, Type::BF16, Sum::Float, Sum::Float, 16);
  check("bf16 m32n8", brains32, 32, 8, 16, {false, false, true, false}, Type::BF16, Sum::Float, Sum::Float, 16);
  check("bf16 m8n32", brains8, 8, 32, 16, {true, true, false, true}, Type::BF16, Sum::Float, Sum::Float, 16);
  check("tf32", tensors, 16, 16, 8, {true, false, true, true}, Type::TF32, Sum::Float, Sum::Float, 16);
  check("tf32, turned", tensorsTurned, 16, 16, 8, {false, true, false, false}, Type::TF32, Sum::Float, Sum::Float, 16);
  check("s8 m16n16", bytes16, 16, 16, 16, {true, false, true, true}, Type::S8, Sum::Int, Sum::Int, 16);
  check("u8 m32n8", bytes32, 32, 8, 16, {false, true, false, false}, Type::U8, Sum::Int, Sum::Int, 16);
  check("s8 m8n32", bytes8, 8, 32, 16, {true, true, true, false}, Type::S8, Sum::Int, Sum::Int, 16);
  check("f64", doubles, 8, 8, 4, {true, false, true, false}, Type::F64, Sum::Double, Sum::Double, 16);
  check("f64, turned", doublesTurned, 8, 8, 4, {false, true, false, true}, Type::F64, Sum::Double, Sum::Double, 16);
  check("s4", nibbles, 8, 8, 32, {true, false, true, true}, Type::S4, Sum::Int, Sum::Int, 32);
  check("u4", nibblesUnsigned, 8, 8, 32, {true, false, false, true}, Type::U4, Sum::Int, Sum::Int, 32);
  check("b1 xor", bitsXor, 8, 8, 128, {true, false, true, false}, Type::Bit, Sum::Int, Sum::Int, 128, [](int x, int y) { return x ^ y; });
  check("b1 and", bitsAnd, 8, 8, 128, {true, false, true, true}, Type::Bit, Sum::Int, Sum::Int, 128, [](int x, int y) { return x & y; });
  return finish();
}
