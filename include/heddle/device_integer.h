// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer functions that clang's headers give as inline PTX or lack: funnel shifts, dot products,
// and the three-way and add-then-compare functions of dynamic programming (DPX). The latter exist
// on the host too.
#ifndef HEDDLE_DEVICE_INTEGER_H
#define HEDDLE_DEVICE_INTEGER_H

#pragma push_macro("HEDDLE_D")
#define HEDDLE_D static __device__ __forceinline__

// Shifts of the 64-bit value high:low; the wrapping forms take the shift modulo 32, the others
// clamp it to 32.
HEDDLE_D unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return __builtin_elementwise_fshl(high, low, shift);
}
HEDDLE_D unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return __builtin_elementwise_fshr(high, low, shift);
}
HEDDLE_D unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __builtin_elementwise_fshl(high, low, shift);
}
HEDDLE_D unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __builtin_elementwise_fshr(high, low, shift);
}

HEDDLE_D int __dp4a(char4 a, char4 b, int c) {
  return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
HEDDLE_D unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
HEDDLE_D int __dp4a(int a, int b, int c) {
  return __dp4a(__builtin_bit_cast(char4, a), __builtin_bit_cast(char4, b), c);
}
HEDDLE_D unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  return __dp4a(__builtin_bit_cast(uchar4, a), __builtin_bit_cast(uchar4, b), c);
}
HEDDLE_D int __dp2a_lo(short2 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y; }
HEDDLE_D int __dp2a_hi(short2 a, char4 b, int c) { return c + a.x * b.z + a.y * b.w; }
HEDDLE_D unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) { return c + a.x * b.x + a.y * b.y; }
HEDDLE_D unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) { return c + a.x * b.z + a.y * b.w; }
HEDDLE_D int __dp2a_lo(int a, int b, int c) {
  return __dp2a_lo(__builtin_bit_cast(short2, a), __builtin_bit_cast(char4, b), c);
}
HEDDLE_D int __dp2a_hi(int a, int b, int c) {
  return __dp2a_hi(__builtin_bit_cast(short2, a), __builtin_bit_cast(char4, b), c);
}
HEDDLE_D unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
  return __dp2a_lo(__builtin_bit_cast(ushort2, a), __builtin_bit_cast(uchar4, b), c);
}
HEDDLE_D unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) {
  return __dp2a_hi(__builtin_bit_cast(ushort2, a), __builtin_bit_cast(uchar4, b), c);
}
#undef HEDDLE_D
#define HEDDLE_D static __host__ __device__ __forceinline__

// DPX (CUDA math API, "SIMD Intrinsics" and "Integer Intrinsics"): on single words, and on pairs of
// halves.
#define HEDDLE_DPX(suffix, T)                                                                      \
  HEDDLE_D T __viaddmax_##suffix(T a, T b, T c) {                                                  \
    return HEDDLE_PACK(                                                                            \
        __builtin_elementwise_max(HEDDLE_OPEN(a) + HEDDLE_OPEN(b), HEDDLE_OPEN(c)));               \
  }                                                                                                \
  HEDDLE_D T __viaddmin_##suffix(T a, T b, T c) {                                                  \
    return HEDDLE_PACK(                                                                            \
        __builtin_elementwise_min(HEDDLE_OPEN(a) + HEDDLE_OPEN(b), HEDDLE_OPEN(c)));               \
  }                                                                                                \
  HEDDLE_D T __vimax3_##suffix(T a, T b, T c) {                                                    \
    return HEDDLE_PACK(__builtin_elementwise_max(                                                  \
        __builtin_elementwise_max(HEDDLE_OPEN(a), HEDDLE_OPEN(b)), HEDDLE_OPEN(c)));               \
  }                                                                                                \
  HEDDLE_D T __vimin3_##suffix(T a, T b, T c) {                                                    \
    return HEDDLE_PACK(__builtin_elementwise_min(                                                  \
        __builtin_elementwise_min(HEDDLE_OPEN(a), HEDDLE_OPEN(b)), HEDDLE_OPEN(c)));               \
  }
#define HEDDLE_DPX_RELU(suffix, T)                                                                 \
  HEDDLE_D T __vimax_##suffix##_relu(T a, T b) {                                                   \
    return HEDDLE_RELU(__builtin_elementwise_max(HEDDLE_OPEN(a), HEDDLE_OPEN(b)));                 \
  }                                                                                                \
  HEDDLE_D T __vimin_##suffix##_relu(T a, T b) {                                                   \
    return HEDDLE_RELU(__builtin_elementwise_min(HEDDLE_OPEN(a), HEDDLE_OPEN(b)));                 \
  }                                                                                                \
  HEDDLE_D T __viaddmax_##suffix##_relu(T a, T b, T c) {                                           \
    return HEDDLE_RELU(HEDDLE_OPEN(__viaddmax_##suffix(a, b, c)));                                 \
  }                                                                                                \
  HEDDLE_D T __viaddmin_##suffix##_relu(T a, T b, T c) {                                           \
    return HEDDLE_RELU(HEDDLE_OPEN(__viaddmin_##suffix(a, b, c)));                                 \
  }                                                                                                \
  HEDDLE_D T __vimax3_##suffix##_relu(T a, T b, T c) {                                             \
    return HEDDLE_RELU(HEDDLE_OPEN(__vimax3_##suffix(a, b, c)));                                   \
  }                                                                                                \
  HEDDLE_D T __vimin3_##suffix##_relu(T a, T b, T c) {                                             \
    return HEDDLE_RELU(HEDDLE_OPEN(__vimin3_##suffix(a, b, c)));                                   \
  }

// One word: sums wrap, so they are taken unsigned.
#define HEDDLE_DPX_WORD(suffix, T)                                                                 \
  HEDDLE_D T __viaddmax_##suffix(T a, T b, T c) {                                                  \
    return __builtin_elementwise_max((T)((unsigned)a + (unsigned)b), c);                           \
  }                                                                                                \
  HEDDLE_D T __viaddmin_##suffix(T a, T b, T c) {                                                  \
    return __builtin_elementwise_min((T)((unsigned)a + (unsigned)b), c);                           \
  }                                                                                                \
  HEDDLE_D T __vimax3_##suffix(T a, T b, T c) {                                                    \
    return __builtin_elementwise_max(__builtin_elementwise_max(a, b), c);                          \
  }                                                                                                \
  HEDDLE_D T __vimin3_##suffix(T a, T b, T c) {                                                    \
    return __builtin_elementwise_min(__builtin_elementwise_min(a, b), c);                          \
  }                                                                                                \
  HEDDLE_D T __vibmax_##suffix(T a, T b, bool *aWins) {                                            \
    *aWins = a >= b;                                                                               \
    return a >= b ? a : b;                                                                         \
  }                                                                                                \
  HEDDLE_D T __vibmin_##suffix(T a, T b, bool *aWins) {                                            \
    *aWins = a <= b;                                                                               \
    return a <= b ? a : b;                                                                         \
  }
HEDDLE_DPX_WORD(s32, int)
HEDDLE_DPX_WORD(u32, unsigned)
#undef HEDDLE_DPX_WORD
#define HEDDLE_OPEN(a) (a)
#define HEDDLE_RELU(a) __builtin_elementwise_max((a), 0)
HEDDLE_DPX_RELU(s32, int)
#undef HEDDLE_OPEN
#undef HEDDLE_RELU

// Two halves of a word.
typedef short __heddle_s16x2 __attribute__((ext_vector_type(2)));
typedef unsigned short __heddle_u16x2 __attribute__((ext_vector_type(2)));
#define HEDDLE_PACK(v) __builtin_bit_cast(unsigned, (v))
#define HEDDLE_OPEN(a) __builtin_bit_cast(__heddle_s16x2, a)
#define HEDDLE_RELU(v) HEDDLE_PACK(__builtin_elementwise_max((v), (__heddle_s16x2)(short)0))
HEDDLE_DPX(s16x2, unsigned)
HEDDLE_DPX_RELU(s16x2, unsigned)
#undef HEDDLE_OPEN
#undef HEDDLE_RELU
#define HEDDLE_OPEN(a) __builtin_bit_cast(__heddle_u16x2, a)
HEDDLE_DPX(u16x2, unsigned)
#define HEDDLE_DPX_PAIR(suffix, Vector)                                                            \
  HEDDLE_D unsigned __vibmax_##suffix(unsigned a, unsigned b, bool *highWins, bool *lowWins) {     \
    Vector x = __builtin_bit_cast(Vector, a), y = __builtin_bit_cast(Vector, b);                   \
    *highWins = x[1] >= y[1];                                                                      \
    *lowWins = x[0] >= y[0];                                                                       \
    return HEDDLE_PACK(__builtin_elementwise_max(x, y));                                           \
  }                                                                                                \
  HEDDLE_D unsigned __vibmin_##suffix(unsigned a, unsigned b, bool *highWins, bool *lowWins) {     \
    Vector x = __builtin_bit_cast(Vector, a), y = __builtin_bit_cast(Vector, b);                   \
    *highWins = x[1] <= y[1];                                                                      \
    *lowWins = x[0] <= y[0];                                                                       \
    return HEDDLE_PACK(__builtin_elementwise_min(x, y));                                           \
  }
HEDDLE_DPX_PAIR(s16x2, __heddle_s16x2)
HEDDLE_DPX_PAIR(u16x2, __heddle_u16x2)
#undef HEDDLE_DPX_PAIR
#undef HEDDLE_PACK
#undef HEDDLE_OPEN
#undef HEDDLE_DPX
#undef HEDDLE_DPX_RELU

#undef HEDDLE_D
#pragma pop_macro("HEDDLE_D")
#endif
