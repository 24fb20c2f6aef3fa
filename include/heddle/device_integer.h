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
// As in device_atomics.h: older programs define these themselves.
#define HEDDLE_LATER                                                                               \
  template <int = 0>                                                                               \
  HEDDLE_D

// Shifts of the 64-bit value high:low; the wrapping forms take the shift modulo 32, the others
// clamp it to 32.
HEDDLE_LATER unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return __builtin_elementwise_fshl(high, low, shift);
}
HEDDLE_LATER unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return __builtin_elementwise_fshr(high, low, shift);
}
HEDDLE_LATER unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __builtin_elementwise_fshl(high, low, shift);
}
HEDDLE_LATER unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __builtin_elementwise_fshr(high, low, shift);
}

// Of the device library, which has an instruction for it on some machines.
extern "C" __device__ __attribute__((const)) int __heddle_dot(int, int);
extern "C" __device__ __attribute__((const)) unsigned __heddle_dot_unsigned(unsigned, unsigned);

HEDDLE_LATER int __dp4a(int a, int b, int c) { return int(unsigned(c) + unsigned(__heddle_dot(a, b))); }
HEDDLE_LATER unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  return c + __heddle_dot_unsigned(a, b);
}
HEDDLE_LATER int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
HEDDLE_LATER unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return __dp4a(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), c);
}
HEDDLE_LATER int __dp2a_lo(short2 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y; }
HEDDLE_LATER int __dp2a_hi(short2 a, char4 b, int c) { return c + a.x * b.z + a.y * b.w; }
HEDDLE_LATER unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) { return c + a.x * b.x + a.y * b.y; }
HEDDLE_LATER unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) { return c + a.x * b.z + a.y * b.w; }
HEDDLE_LATER int __dp2a_lo(int a, int b, int c) {
  return __dp2a_lo(__builtin_bit_cast(short2, a), __builtin_bit_cast(char4, b), c);
}
HEDDLE_LATER int __dp2a_hi(int a, int b, int c) {
  return __dp2a_hi(__builtin_bit_cast(short2, a), __builtin_bit_cast(char4, b), c);
}
HEDDLE_LATER unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
  return __dp2a_lo(__builtin_bit_cast(ushort2, a), __builtin_bit_cast(uchar4, b), c);
}
HEDDLE_LATER unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) {
  return __dp2a_hi(__builtin_bit_cast(ushort2, a), __builtin_bit_cast(uchar4, b), c);
}
#undef HEDDLE_D
#define HEDDLE_D static __host__ __device__ __forceinline__

// DPX (CUDA math API, "Integer Intrinsics" and "SIMD Intrinsics"), on words and on pairs of halves.
// Sums wrap. The halves stay scalars, since the warp compiler's vectors run across threads.
HEDDLE_D int __heddle_most(int a, int b) { return a > b ? a : b; }
HEDDLE_D int __heddle_least(int a, int b) { return a < b ? a : b; }
HEDDLE_D unsigned __heddle_most(unsigned a, unsigned b) { return a > b ? a : b; }
HEDDLE_D unsigned __heddle_least(unsigned a, unsigned b) { return a < b ? a : b; }

#define HEDDLE_DPX_WORD(suffix, T)                                                                 \
  HEDDLE_D T __viaddmax_##suffix(T a, T b, T c) {                                                  \
    return __heddle_most((T)((unsigned)a + (unsigned)b), c);                                       \
  }                                                                                                \
  HEDDLE_D T __viaddmin_##suffix(T a, T b, T c) {                                                  \
    return __heddle_least((T)((unsigned)a + (unsigned)b), c);                                      \
  }                                                                                                \
  HEDDLE_D T __vimax3_##suffix(T a, T b, T c) { return __heddle_most(__heddle_most(a, b), c); }    \
  HEDDLE_D T __vimin3_##suffix(T a, T b, T c) { return __heddle_least(__heddle_least(a, b), c); }  \
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
HEDDLE_D int __vimax_s32_relu(int a, int b) { return __heddle_most(__heddle_most(a, b), 0); }
HEDDLE_D int __vimin_s32_relu(int a, int b) { return __heddle_most(__heddle_least(a, b), 0); }
#define HEDDLE_DPX_RELU(name)                                                                      \
  HEDDLE_D int name##_s32_relu(int a, int b, int c) {                                              \
    return __heddle_most(name##_s32(a, b, c), 0);                                                  \
  }
HEDDLE_DPX_RELU(__viaddmax)
HEDDLE_DPX_RELU(__viaddmin)
HEDDLE_DPX_RELU(__vimax3)
HEDDLE_DPX_RELU(__vimin3)
#undef HEDDLE_DPX_RELU

// `x`, `y`, `z` are one half of each operand.
#define HEDDLE_DPX_PAIR(name, Half, expression)                                                    \
  HEDDLE_D int name##_half(Half x, Half y, Half z) { return expression; }                          \
  HEDDLE_D unsigned name(unsigned a, unsigned b, unsigned c) {                                     \
    return ((unsigned)name##_half((Half)a, (Half)b, (Half)c) & 0xffff) |                           \
           (unsigned)name##_half((Half)(a >> 16), (Half)(b >> 16), (Half)(c >> 16)) << 16;         \
  }
#define HEDDLE_DPX_PAIRS(suffix, Half, rectify)                                                    \
  HEDDLE_DPX_PAIR(__viaddmax_##suffix, Half, rectify(__heddle_most((int)(Half)(x + y), (int)z)))   \
  HEDDLE_DPX_PAIR(__viaddmin_##suffix, Half, rectify(__heddle_least((int)(Half)(x + y), (int)z)))  \
  HEDDLE_DPX_PAIR(__vimax3_##suffix, Half,                                                         \
                  rectify(__heddle_most(__heddle_most((int)x, (int)y), (int)z)))                   \
  HEDDLE_DPX_PAIR(__vimin3_##suffix, Half,                                                         \
                  rectify(__heddle_least(__heddle_least((int)x, (int)y), (int)z)))
#define HEDDLE_RELU(v) __heddle_most(v, 0)
HEDDLE_DPX_PAIRS(s16x2, short, )
HEDDLE_DPX_PAIRS(u16x2, unsigned short, )
HEDDLE_DPX_PAIRS(s16x2_relu, short, HEDDLE_RELU)
HEDDLE_DPX_PAIR(__heddle_max_relu_pair, short, HEDDLE_RELU(__heddle_most((int)x, (int)y)))
HEDDLE_DPX_PAIR(__heddle_min_relu_pair, short, HEDDLE_RELU(__heddle_least((int)x, (int)y)))
HEDDLE_D unsigned __vimax_s16x2_relu(unsigned a, unsigned b) {
  return __heddle_max_relu_pair(a, b, 0);
}
HEDDLE_D unsigned __vimin_s16x2_relu(unsigned a, unsigned b) {
  return __heddle_min_relu_pair(a, b, 0);
}
#undef HEDDLE_RELU
#undef HEDDLE_DPX_PAIR
#undef HEDDLE_DPX_PAIRS

#define HEDDLE_DPX_WINNER(name, Half, op)                                                          \
  HEDDLE_D unsigned name(unsigned a, unsigned b, bool *high, bool *low) {                          \
    *high = (Half)(a >> 16) op(Half)(b >> 16);                                                     \
    *low = (Half)a op(Half) b;                                                                     \
    return ((*high ? a : b) & 0xffff0000u) | ((*low ? a : b) & 0xffff);                            \
  }
HEDDLE_DPX_WINNER(__vibmax_s16x2, short, >=)
HEDDLE_DPX_WINNER(__vibmax_u16x2, unsigned short, >=)
HEDDLE_DPX_WINNER(__vibmin_s16x2, short, <=)
HEDDLE_DPX_WINNER(__vibmin_u16x2, unsigned short, <=)
#undef HEDDLE_DPX_WINNER

// Bytes in the other order
HEDDLE_D unsigned short __nv_bswap16(unsigned short x) { return __builtin_bswap16(x); }
HEDDLE_D unsigned __nv_bswap32(unsigned x) { return __builtin_bswap32(x); }
HEDDLE_D unsigned long long __nv_bswap64(unsigned long long x) { return __builtin_bswap64(x); }

#undef HEDDLE_LATER
#undef HEDDLE_D
#pragma pop_macro("HEDDLE_D")
#endif
