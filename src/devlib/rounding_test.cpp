// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions with a rounding mode must be exact: every result is compared with the machine's
// own, computed under fesetround (and by MPFR for fma, whose library form may ignore the mode).
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <mpfr.h>
#include <random>
#include <vector>

namespace {

struct Mode {
  int hardware;
  mpfr_rnd_t mpfr;
};
constexpr Mode Modes[4] = {{FE_TONEAREST, MPFR_RNDN},
                           {FE_TOWARDZERO, MPFR_RNDZ},
                           {FE_UPWARD, MPFR_RNDU},
                           {FE_DOWNWARD, MPFR_RNDD}};

std::mt19937_64 random64(7);

/// Arguments that provoke: any bits, near-equal sizes, tiny, huge, powers of two, specials.
template <class T> T argument() {
  uint64_t b = random64();
  T any;
  memcpy(&any, &b, sizeof any);
  using L = std::numeric_limits<T>;
  switch (random64() % 8) {
  case 0:
    return (T)((double)(int64_t)(random64() % 2001) - 1000);
  case 1:
    return std::ldexp((T)1, (int)(random64() % 60) - 30) * (b & 1 ? -1 : 1);
  case 2:
    return std::ldexp(any, -L::max_exponent);
  case 3: {
    const T values[] = {0,
                        -(T)0,
                        L::infinity(),
                        -L::infinity(),
                        L::quiet_NaN(),
                        L::max(),
                        -L::max(),
                        L::min(),
                        -L::min(),
                        L::denorm_min(),
                        -L::denorm_min(),
                        1,
                        -1,
                        1 + L::epsilon(),
                        1 - L::epsilon() / 2};
    return values[random64() % 15];
  }
  case 4:
    return std::ldexp((T)1 + (T)(b % 4096) * L::epsilon(), (int)(random64() % 10));
  default:
    return any;
  }
}

template <class T> bool same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

template <class T> using Function1 = T (*)(T);
template <class T> using Function2 = T (*)(T, T);
template <class T> using Function3 = T (*)(T, T, T);

template <class T, class F>
void check(const char *name, int arity, const F (&functions)[4],
           const std::function<T(T, T, T)> &op, auto call) {
  int failures = 0;
  for (int i = 0; i < 60000 && failures < 5; i++) {
    T a = argument<T>(), b = argument<T>(), c = argument<T>();
    if (i % 5 == 0) // cancellation
      b = -std::nextafter(a, b);
    for (int m = 0; m < 4; m++) {
      T got = call(functions[m], a, b, c);
      std::fesetround(Modes[m].hardware);
      volatile T va = a, vb = b, vc = c;
      volatile T expected = op(va, vb, vc);
      std::fesetround(FE_TONEAREST);
      if (!same<T>(got, expected)) {
        failures++;
        ADD_FAILURE() << name << " mode " << m << ": " << std::hexfloat << a << " "
                      << (arity > 1 ? b : 0) << " " << (arity > 2 ? c : 0) << " gives " << got
                      << ", expected " << (T)expected;
      }
    }
  }
}

} // namespace

#define HEDDLE_DECLARE(T, name, Params)                                                            \
  extern "C" T __nv_##name##_rn Params;                                                            \
  extern "C" T __nv_##name##_rz Params;                                                            \
  extern "C" T __nv_##name##_ru Params;                                                            \
  extern "C" T __nv_##name##_rd Params;
#define HEDDLE_FOUR(name) {__nv_##name##_rn, __nv_##name##_rz, __nv_##name##_ru, __nv_##name##_rd}
#define HEDDLE_TEST_2(T, name, expression)                                                         \
  HEDDLE_DECLARE(T, name, (T, T))                                                                  \
  TEST(Rounding, name) {                                                                           \
    const Function2<T> functions[4] = HEDDLE_FOUR(name);                                           \
    check<T>(                                                                                      \
        #name, 2, functions, [](T a, T b, T) -> T { return expression; },                          \
        [](Function2<T> f, T a, T b, T) { return f(a, b); });                                      \
  }
#define HEDDLE_TEST_1(T, name, expression)                                                         \
  HEDDLE_DECLARE(T, name, (T))                                                                     \
  TEST(Rounding, name) {                                                                           \
    const Function1<T> functions[4] = HEDDLE_FOUR(name);                                           \
    check<T>(                                                                                      \
        #name, 1, functions, [](T a, T, T) -> T { return expression; },                            \
        [](Function1<T> f, T a, T, T) { return f(a); });                                           \
  }
HEDDLE_TEST_2(float, fadd, a + b)
HEDDLE_TEST_2(float, fsub, a - b)
HEDDLE_TEST_2(float, fmul, a *b)
HEDDLE_TEST_2(float, fdiv, a / b)
HEDDLE_TEST_1(float, frcp, 1 / a)
HEDDLE_TEST_1(float, fsqrt, std::sqrt(a))
HEDDLE_TEST_2(double, dadd, a + b)
HEDDLE_TEST_2(double, dsub, a - b)
HEDDLE_TEST_2(double, dmul, a *b)
HEDDLE_TEST_2(double, ddiv, a / b)
HEDDLE_TEST_1(double, drcp, 1 / a)
HEDDLE_TEST_1(double, dsqrt, std::sqrt(a))

namespace {
/// fma by MPFR with T's exponent range and denormals.
template <class T> T exactFma(T a, T b, T c, mpfr_rnd_t mode) {
  using L = std::numeric_limits<T>;
  mpfr_set_emin(L::min_exponent - L::digits + 1);
  mpfr_set_emax(L::max_exponent);
  mpfr_t x, y, z, r;
  mpfr_inits2(L::digits, x, y, z, r, (mpfr_ptr) nullptr);
  mpfr_set_d(x, (double)a, MPFR_RNDN);
  mpfr_set_d(y, (double)b, MPFR_RNDN);
  mpfr_set_d(z, (double)c, MPFR_RNDN);
  int ternary = mpfr_fma(r, x, y, z, mode);
  mpfr_subnormalize(r, ternary, mode);
  double result = mpfr_get_d(r, MPFR_RNDN);
  mpfr_clears(x, y, z, r, (mpfr_ptr) nullptr);
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
  return (T)result;
}
template <class T> void checkFma(const char *name, const Function3<T> (&functions)[4]) {
  int failures = 0;
  for (int i = 0; i < 100000 && failures < 5; i++) {
    T a = argument<T>(), b = argument<T>(), c = argument<T>();
    if (i % 3 == 0) // near cancellation
      c = -a * b;
    if (i % 9 == 0)
      c = std::nextafter(c, (T)0);
    for (int m = 0; m < 4; m++) {
      T got = functions[m](a, b, c), expected = exactFma(a, b, c, Modes[m].mpfr);
      if (!same(got, expected)) {
        failures++;
        ADD_FAILURE() << name << " mode " << m << ": " << std::hexfloat << a << " " << b << " " << c
                      << " gives " << got << ", expected " << expected;
      }
    }
  }
}
} // namespace
HEDDLE_DECLARE(float, fmaf, (float, float, float))
HEDDLE_DECLARE(double, fma, (double, double, double))
TEST(Rounding, fmaf) {
  const Function3<float> functions[4] = HEDDLE_FOUR(fmaf);
  checkFma<float>("fmaf", functions);
}
TEST(Rounding, fma) {
  const Function3<double> functions[4] = HEDDLE_FOUR(fma);
  checkFma<double>("fma", functions);
}

#define HEDDLE_CONVERT(From, To, name, argument)                                                   \
  HEDDLE_DECLARE(To, name, (From))                                                                 \
  TEST(Rounding, name) {                                                                           \
    To (*const functions[4])(From) = HEDDLE_FOUR(name);                                            \
    for (int i = 0; i < 20000; i++) {                                                              \
      From x = argument;                                                                           \
      for (int m = 0; m < 4; m++) {                                                                \
        To got = functions[m](x);                                                                  \
        std::fesetround(Modes[m].hardware);                                                        \
        volatile From vx = x;                                                                      \
        volatile To expected = (To)vx;                                                             \
        std::fesetround(FE_TONEAREST);                                                             \
        ASSERT_TRUE(same<To>(got, expected))                                                       \
            << #name << " mode " << m << " of " << x << ": " << got;                               \
      }                                                                                            \
    }                                                                                              \
  }
HEDDLE_CONVERT(double, float, double2float, argument<double>())
HEDDLE_CONVERT(int, float, int2float, (int)random64() >> random64() % 31)
HEDDLE_CONVERT(unsigned, float, uint2float, (unsigned)random64() >> random64() % 31)
HEDDLE_CONVERT(long long, float, ll2float, (long long)random64() >> random64() % 63)
HEDDLE_CONVERT(long long, double, ll2double, (long long)random64() >> random64() % 63)

// 64-bit unsigned conversions are done by several instructions in hardware, so MPFR is the
// reference.
#define HEDDLE_CONVERT_UNSIGNED(To, name)                                                          \
  HEDDLE_DECLARE(To, name, (unsigned long long))                                                   \
  TEST(Rounding, name) {                                                                           \
    To (*const functions[4])(unsigned long long) = HEDDLE_FOUR(name);                              \
    for (int i = 0; i < 20000; i++) {                                                              \
      unsigned long long x = random64() >> random64() % 64;                                        \
      for (int m = 0; m < 4; m++) {                                                                \
        mpfr_t r;                                                                                  \
        mpfr_init2(r, std::numeric_limits<To>::digits);                                            \
        mpfr_set_uj(r, x, Modes[m].mpfr);                                                          \
        ASSERT_EQ(functions[m](x), (To)mpfr_get_d(r, MPFR_RNDN))                                   \
            << #name << " mode " << m << " of " << x;                                              \
        mpfr_clear(r);                                                                             \
      }                                                                                            \
    }                                                                                              \
  }
HEDDLE_CONVERT_UNSIGNED(float, ull2float)
HEDDLE_CONVERT_UNSIGNED(double, ull2double)

extern "C" float __nv_frsqrt_rn(float);
TEST(Rounding, frsqrt) {
  // Every 31st float of two binades: the others differ by a power of four.
  for (uint32_t b = 0x3f800000; b < 0x40800000; b += 31) {
    float x;
    memcpy(&x, &b, 4);
    long double exact = 1 / sqrtl((long double)x);
    ASSERT_EQ(__nv_frsqrt_rn(x), (float)exact) << x;
  }
}

extern "C" int __nv_float2int_rz(float), __nv_double2int_rn(double);
extern "C" long long __nv_float2ll_rz(float);
extern "C" unsigned __nv_float2uint_rz(float);
extern "C" unsigned long long __nv_double2ull_rz(double);
TEST(Convert, saturates) {
  EXPECT_EQ(__nv_float2int_rz(3e9f), 0x7fffffff);
  EXPECT_EQ(__nv_float2int_rz(-3e9f), (int)0x80000000u);
  EXPECT_EQ(__nv_float2int_rz(NAN), 0);
  EXPECT_EQ(__nv_double2int_rn(NAN), (int)0x80000000u);
  EXPECT_EQ(__nv_double2int_rn(2.5), 2);
  EXPECT_EQ(__nv_float2ll_rz(1e30f), 0x7fffffffffffffffll);
  EXPECT_EQ(__nv_float2ll_rz(NAN), (long long)0x8000000000000000ull);
  EXPECT_EQ(__nv_float2uint_rz(-5.0f), 0u);
  EXPECT_EQ(__nv_double2ull_rz(1e30), ~0ull);
}
