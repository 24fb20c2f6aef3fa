// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's functions of numbers in the half of a random program that is plain C++ (fuzz_host.h).
#pragma once

namespace host {

template <class T> T __ldg(const T *p) { return *p; }
inline void __threadfence() {}
inline void __threadfence_block() {}
/// Of operands of two types what C++ makes of them, as CUDA's overloads do (unsigned wins).
template <class A, class B> auto min(A a, B b) {
  using T = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<T>)
    return T(fmin(a, b));
  else
    return T(b) < T(a) ? T(b) : T(a);
}
template <class A, class B> auto max(A a, B b) {
  using T = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<T>)
    return T(fmax(a, b));
  else
    return T(a) < T(b) ? T(b) : T(a);
}
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline unsigned __brev(unsigned x) {
  unsigned r = 0;
  for (int i = 0; i < 32; ++i)
    r |= (x >> i & 1u) << (31 - i);
  return r;
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
  unsigned long long both = x | (unsigned long long)(y) << 32;
  unsigned r = 0;
  for (int i = 0; i < 4; ++i)
    r |= unsigned(both >> ((s >> 4 * i & 7) * 8) & 0xff) << 8 * i;
  return r;
}
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)(a)*b >> 32); }
inline int __mulhi(int a, int b) { return int((long long)(a)*b >> 32); }
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return unsigned(((unsigned long long)(high) << 32 | low) << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return unsigned(((unsigned long long)(high) << 32 | low) >> (shift & 31));
}
/// To zero, at the ends what is nearest; of NaN 0, but the least number from or to 64 bits (PTX ISA, cvt).
inline int __float2int_rz(float x) {
  return x != x ? 0 : x >= 2147483648.f ? 0x7fffffff : x <= -2147483648.f ? int(0x80000000u) : int(x);
}
inline int __double2int_rn(double x) {
  x = nearbyint(x);
  return x >= 2147483647.0 ? 0x7fffffff : x > -2147483648.0 ? int(x) : int(0x80000000u);
}
inline long long __double2ll_rz(double x) {
  return x != x                        ? (long long)(0x8000000000000000ull)
         : x >= 9223372036854775808.0  ? 0x7fffffffffffffffll
         : x <= -9223372036854775808.0 ? (long long)(0x8000000000000000ull)
                                       : (long long)(x);
}
inline unsigned __float_as_uint(float x) { return as<unsigned>(0) | [x] {
    unsigned bits;
    memcpy(&bits, &x, 4);
    return bits;
  }(); }
inline float __uint_as_float(unsigned x) { return as<float>(x); }
inline float rsqrtf(float x) { return 1 / sqrtf(x); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline long long __double_as_longlong(double x) {
  long long bits;
  memcpy(&bits, &x, 8);
  return bits;
}
inline float __fmul_rn(float a, float b) {
  volatile float product = a * b;
  return product;
}
inline double __dmul_rn(double a, double b) {
  volatile double product = a * b;
  return product;
}
/// a * b + c in the type that C++ gives it, with one rounding as nvcc makes it.
template <class A, class B, class C> auto mad(A a, B b, C c) {
  using T = decltype(a * b + c);
  if constexpr (std::is_same_v<T, float>)
    return fmaf(a, b, c);
  else if constexpr (std::is_same_v<T, double>)
    return fma(a, b, c);
  else
    return a * b + c;
}

} // namespace host
