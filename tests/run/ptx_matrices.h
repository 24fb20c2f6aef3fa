// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of matrix instructions share: elements of all types as bits, the registers of a warp's lanes, kernels
// of one instruction.
#pragma once

#include "ptx.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

using i32 = int32_t;
using u32 = uint32_t;
using u64 = uint64_t;

enum class Type { F16, BF16, TF32, E4M3, E5M2, S8, U8, S4, U4, Bit, F64 };

static int bitsOf(Type type) {
  switch (type) {
  case Type::F64:
    return 64;
  case Type::TF32:
    return 32;
  case Type::F16:
  case Type::BF16:
    return 16;
  case Type::S4:
  case Type::U4:
    return 4;
  case Type::Bit:
    return 1;
  default:
    return 8;
  }
}

static u64 encode(Type type, int value) {
  u32 single;
  float f = float(value);
  double d = value;
  u64 wide;
  __half half = __float2half(f);
  __nv_bfloat16 brain = __float2bfloat16(f);
  memcpy(&single, &f, 4);
  memcpy(&wide, &d, 8);
  switch (type) {
  case Type::F64:
    return wide;
  case Type::TF32:
    return single;
  case Type::F16:
    return __half_as_ushort(half);
  case Type::BF16:
    return __bfloat16_as_ushort(brain);
  case Type::E4M3:
    return __nv_fp8_e4m3(f).__x;
  case Type::E5M2:
    return __nv_fp8_e5m2(f).__x;
  case Type::S8:
  case Type::U8:
    return u32(value) & 255;
  case Type::S4:
  case Type::U4:
    return u32(value) & 15;
  default:
    return u32(value) & 1;
  }
}

static int randomElement(Random &random, Type type) {
  switch (type) {
  case Type::S8:
    return random.below(256) - 128;
  case Type::U8:
    return random.below(256);
  case Type::S4:
    return random.below(16) - 8;
  case Type::U4:
    return random.below(16);
  case Type::Bit:
    return random.below(2);
  case Type::E5M2:
    return random.below(9) - 4;
  default:
    return random.below(17) - 8;
  }
}

/// Registers of each lane: of 64 bits for doubles, else of 32 in the low half.
constexpr int MostRegisters = 8;
struct Fragments {
  u64 a[32][MostRegisters], b[32][MostRegisters], c[32][MostRegisters], d[32][MostRegisters];
};

__device__ u32 low(u64 x) { return u32(x); }
__device__ float single(u64 x) { return __uint_as_float(u32(x)); }
__device__ double wide(u64 x) { return __longlong_as_double((long long)x); }

/// The kernel of one shape; a product for each warp of a block.
#define KERNEL(name, ...)                                                                          \
  __global__ void name(Fragments *all) {                                                           \
    Fragments &f = all[threadIdx.x / 32];                                                          \
    int lane = threadIdx.x % 32;                                                                   \
    u64 *a = f.a[lane], *b = f.b[lane], *c = f.c[lane], *d = f.d[lane];                            \
    __VA_ARGS__                                                                                    \
  }
#define FLOATS_2(text, ...)                                                                        \
  float x, y, z, w;                                                                                \
  asm volatile(text : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : __VA_ARGS__, "f"(single(c[0])),                \
               "f"(single(c[1])), "f"(single(c[2])), "f"(single(c[3])));                           \
  d[0] = __float_as_uint(x), d[1] = __float_as_uint(y), d[2] = __float_as_uint(z), d[3] = __float_as_uint(w);
#define INTS_4(text, ...)                                                                          \
  u32 x, y, z, w;                                                                                  \
  asm volatile(text : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : __VA_ARGS__, "r"(low(c[0])),                   \
               "r"(low(c[1])), "r"(low(c[2])), "r"(low(c[3])));                                    \
  d[0] = x, d[1] = y, d[2] = z, d[3] = w;
#define PAIRS_2(text, ...)                                                                         \
  u32 x, y;                                                                                        \
  asm volatile(text : "=r"(x), "=r"(y) : __VA_ARGS__, "r"(low(c[0])), "r"(low(c[1])));                    \
  d[0] = x, d[1] = y;
/// How C and D are held.
enum class Sum { Float, Half, Int, Double };

static double sumOf(Sum sum, u64 reg, int part) {
  u32 word = u32(reg);
  float f;
  double d;
  memcpy(&f, &word, 4);
  memcpy(&d, &reg, 8);
  switch (sum) {
  case Sum::Float:
    return f;
  case Sum::Half:
    return __half2float(__ushort_as_half((unsigned short)(word >> (16 * part))));
  case Sum::Int:
    return i32(word);
  default:
    return d;
  }
}
static u64 encodeSum(Sum sum, int value) {
  return sum == Sum::Float    ? encode(Type::TF32, value)
         : sum == Sum::Half   ? encode(Type::F16, value)
         : sum == Sum::Double ? encode(Type::F64, value)
                              : u32(value);
}
