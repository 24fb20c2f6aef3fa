// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures every floating-point function of the device library, and the SLEEF functions that
// math.def names, against MPFR on random and special arguments; prints the greatest error of each
// and holds it against the bound of the CUDA guide's tables ("Mathematical Functions": Standard
// Functions, Intrinsic Functions).
//
// Longer than usual: a table of functions with their references.
#include "reference.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace heddle::devlib;

extern "C" double __nv_erfinv(double), __nv_erfcinv(double);

namespace {

using Reference = std::function<void(Number &result, const Number &x)>;
using Reference2 = std::function<void(Number &result, const Number &x, const Number &y)>;

template <class T> struct Random {
  std::mt19937_64 bits{12345};
  T any() {
    for (;;) {
      T x;
      uint64_t b = bits();
      memcpy(&x, &b, sizeof x);
      if (std::isfinite(x))
        return x;
    }
  }
  T uniform(double a, double b) { return (T)std::uniform_real_distribution<double>(a, b)(bits); }
  T next(int i, double low, double high) {
    T x = i % 4 == 0 ? any() : uniform(low, high);
    return x;
  }
};

template <class T> std::vector<T> specials() {
  using L = std::numeric_limits<T>;
  std::vector<T> values = {0,
                           1,
                           2,
                           0.5,
                           3,
                           10,
                           (T)0.1,
                           L::min(),
                           L::max(),
                           L::denorm_min(),
                           L::infinity(),
                           L::epsilon(),
                           std::nextafter((T)1, (T)0),
                           std::nextafter((T)1, (T)2),
                           (T)88.8,
                           (T)709.9,
                           (T)710.3,
                           (T)89.2};
  size_t n = values.size();
  for (size_t i = 0; i < n; i++)
    values.push_back(-values[i]);
  values.push_back(L::quiet_NaN());
  return values;
}

struct Outcome {
  double worst = 0, at = 0, at2 = 0;
  void add(double error, double x, double y = 0) {
    if (!(error <= worst))
      worst = error, at = x, at2 = y;
  }
};

void report(const char *name, const Outcome &o, double bound) {
  printf("%-22s %8.3f ulp of %-8g at %a %a\n", name, o.worst, bound, o.at, o.at2);
  EXPECT_LE(o.worst, bound) << name << " at " << o.at << " " << o.at2;
}

template <class T>
void check1(const char *name, const std::function<T(T)> &function, const Reference &reference,
            double bound, double low, double high, double absoluteBeyond = INFINITY,
            double absoluteBound = 0) {
  Random<T> random;
  Outcome outcome;
  double worstAbsolute = 0;
  auto one = [&](T x) {
    Number in((double)x), exact;
    reference(exact, in);
    T got = function(x);
    if (std::fabs((double)x) > absoluteBeyond && std::isfinite(x)) {
      worstAbsolute =
          std::fmax(worstAbsolute, std::fabs((double)got - mpfr_get_d(exact.v, MPFR_RNDN)));
      return;
    }
    outcome.add(ulps(got, exact), (double)x);
  };
  for (T x : specials<T>())
    one(x);
  for (int i = 0; i < 700; i++)
    one(random.next(i, low, high));
  report(name, outcome, bound);
  EXPECT_LE(worstAbsolute, absoluteBound) << name;
}

template <class T>
void check2(const char *name, const std::function<T(T, T)> &function, const Reference2 &reference,
            double bound, double low, double high) {
  Random<T> random;
  Outcome outcome;
  auto one = [&](T x, T y) {
    Number a((double)x), b((double)y), exact;
    reference(exact, a, b);
    outcome.add(ulps(function(x, y), exact), (double)x, (double)y);
  };
  for (T x : specials<T>())
    for (T y : specials<T>())
      one(x, y);
  for (int i = 0; i < 2000; i++)
    one(random.next(i, low, high), random.next(i / 4, low, high));
  report(name, outcome, bound);
}

using Unary = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);
Reference mp(Unary f) {
  return [f](Number &r, const Number &x) { f(r.v, x.v, MPFR_RNDN); };
}
using Binary = int (*)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
Reference2 mp2(Binary f) {
  return [f](Number &r, const Number &x, const Number &y) { f(r.v, x.v, y.v, MPFR_RNDN); };
}

void rcbrtOf(Number &r, const Number &x) {
  mpfr_cbrt(r.v, x.v, MPFR_RNDN);
  mpfr_ui_div(r.v, 1, r.v, MPFR_RNDN);
}
void rsqrtOf(Number &r, const Number &x) {
  mpfr_rec_sqrt(r.v, x.v, MPFR_RNDN);
  if (mpfr_zero_p(x.v) && mpfr_signbit(x.v))
    mpfr_set_inf(r.v, -1); // IEEE 754's rSqrt(-0), and what 1 / sqrt(-0) gives
}
void turns(Number &r, const Number &x, Unary f) {
  if (mpfr_inf_p(x.v)) {
    mpfr_set_nan(r.v);
    return;
  }
  mpfr_t two, rest, pi;
  mpfr_inits2(1400, two, rest, pi, (mpfr_ptr) nullptr);
  mpfr_set_ui(two, 2, MPFR_RNDN);
  mpfr_fmod(rest, x.v, two, MPFR_RNDN);
  mpfr_const_pi(pi, MPFR_RNDN);
  mpfr_mul_2ui(two, rest, 1, MPFR_RNDN);
  bool integer = mpfr_integer_p(rest), half = mpfr_integer_p(two) && !integer;
  mpfr_mul(rest, rest, pi, MPFR_RNDN);
  f(r.v, rest, MPFR_RNDN);
  if (f == mpfr_sin ? integer : half)
    mpfr_set_zero(r.v, f == mpfr_sin && mpfr_signbit(x.v) ? -1 : 1);
  mpfr_clears(two, rest, pi, (mpfr_ptr) nullptr);
}
void normcdfOf(Number &r, const Number &x) {
  Number half(0.5);
  mpfr_sqrt(half.v, half.v, MPFR_RNDN);
  mpfr_mul(r.v, x.v, half.v, MPFR_RNDN);
  mpfr_neg(r.v, r.v, MPFR_RNDN);
  mpfr_erfc(r.v, r.v, MPFR_RNDN);
  mpfr_div_2ui(r.v, r.v, 1, MPFR_RNDN);
}
void erfcxOf(Number &r, const Number &x) {
  if (mpfr_cmp_d(x.v, 1e9) > 0) { // 1 / (sqrt(pi) x) to 1e-18
    mpfr_const_pi(r.v, MPFR_RNDN);
    mpfr_sqrt(r.v, r.v, MPFR_RNDN);
    mpfr_mul(r.v, r.v, x.v, MPFR_RNDN);
    mpfr_ui_div(r.v, 1, r.v, MPFR_RNDN);
    return;
  }
  if (mpfr_cmp_d(x.v, 1e4) > 0) { // the first terms of the series in 1 / x^2
    Number q;
    mpfr_sqr(q.v, x.v, MPFR_RNDN);
    Number sum(0);
    double coefficients[] = {1, -0.5, 0.75, -1.875, 6.5625};
    for (int i = 4; i >= 0; i--) {
      mpfr_div(sum.v, sum.v, q.v, MPFR_RNDN);
      mpfr_add_d(sum.v, sum.v, coefficients[i], MPFR_RNDN);
    }
    mpfr_const_pi(r.v, MPFR_RNDN);
    mpfr_sqrt(r.v, r.v, MPFR_RNDN);
    mpfr_mul(r.v, r.v, x.v, MPFR_RNDN);
    mpfr_div(r.v, sum.v, r.v, MPFR_RNDN);
    return;
  }
  Number square;
  mpfr_sqr(square.v, x.v, MPFR_RNDN);
  mpfr_exp(square.v, square.v, MPFR_RNDN);
  mpfr_erfc(r.v, x.v, MPFR_RNDN);
  mpfr_mul(r.v, r.v, square.v, MPFR_RNDN);
}
/// The inverse of erfc (complement) or erf by Newton's method in MPFR from the double `start`.
void inverseErf(Number &r, const Number &q, bool complement) {
  Number y, slope, value, root;
  double x = mpfr_get_d(q.v, MPFR_RNDN);
  bool inside = complement ? x > 0 && x < 2 : std::fabs(x) < 1;
  if (!inside) {
    bool low = complement ? x == 2 : x == -1, high = complement ? x == 0 : x == 1;
    low || high ? mpfr_set_inf(r.v, low ? -1 : 1) : mpfr_set_nan(r.v);
    return;
  }
  if (x == 0) {
    mpfr_set(r.v, q.v, MPFR_RNDN);
    return;
  }
  if (complement ? x == 1 : x == 0) {
    mpfr_set_zero(r.v, 1);
    return;
  }
  mpfr_const_pi(root.v, MPFR_RNDN);
  mpfr_sqrt(root.v, root.v, MPFR_RNDN);
  mpfr_set_d(y.v, complement ? __nv_erfcinv(x) : __nv_erfinv(x), MPFR_RNDN);
  for (int i = 0; i < 5; i++) {
    complement ? mpfr_erfc(value.v, y.v, MPFR_RNDN) : mpfr_erf(value.v, y.v, MPFR_RNDN);
    mpfr_sub(value.v, value.v, q.v, MPFR_RNDN);
    mpfr_sqr(slope.v, y.v, MPFR_RNDN);
    mpfr_exp(slope.v, slope.v, MPFR_RNDN);
    mpfr_mul(slope.v, slope.v, root.v, MPFR_RNDN);
    mpfr_div_2ui(slope.v, slope.v, 1, MPFR_RNDN);
    mpfr_mul(value.v, value.v, slope.v, MPFR_RNDN);
    complement ? mpfr_add(y.v, y.v, value.v, MPFR_RNDN) : mpfr_sub(y.v, y.v, value.v, MPFR_RNDN);
  }
  mpfr_set(r.v, y.v, MPFR_RNDN);
}
void normcdfinvOf(Number &r, const Number &p) {
  Number twice, two(2);
  mpfr_mul_2ui(twice.v, p.v, 1, MPFR_RNDN);
  inverseErf(r, twice, true);
  mpfr_sqrt(two.v, two.v, MPFR_RNDN);
  mpfr_mul(r.v, r.v, two.v, MPFR_RNDN);
  mpfr_neg(r.v, r.v, MPFR_RNDN);
}
/// I_n by its power series.
void besselI(Number &r, const Number &x, int n) {
  if (!mpfr_number_p(x.v) || mpfr_cmpabs_ui(x.v, 1000) > 0) {
    if (mpfr_nan_p(x.v))
      mpfr_set_nan(r.v);
    else
      mpfr_set_inf(r.v, n && mpfr_signbit(x.v) ? -1 : 1);
    return;
  }
  mpfr_t q, term, sum;
  mpfr_inits2(600, q, term, sum, (mpfr_ptr) nullptr);
  mpfr_sqr(q, x.v, MPFR_RNDN);
  mpfr_div_2ui(q, q, 2, MPFR_RNDN);
  if (n)
    mpfr_div_2ui(term, x.v, 1, MPFR_RNDN);
  else
    mpfr_set_ui(term, 1, MPFR_RNDN);
  mpfr_set(sum, term, MPFR_RNDN);
  for (int k = 1;
       k < 1500 && !mpfr_zero_p(term) && (k < 30 || mpfr_get_exp(term) > mpfr_get_exp(sum) - 500);
       k++) {
    mpfr_mul(term, term, q, MPFR_RNDN);
    mpfr_div_ui(term, term, (unsigned long)k * (unsigned long)(k + n), MPFR_RNDN);
    mpfr_add(sum, sum, term, MPFR_RNDN);
  }
  mpfr_set(r.v, sum, MPFR_RNDN);
  mpfr_clears(q, term, sum, (mpfr_ptr) nullptr);
}

Reference yRef(Unary f) {
  return [f](Number &r, const Number &x) {
    if (mpfr_zero_p(x.v))
      mpfr_set_inf(r.v, -1);
    else
      f(r.v, x.v, MPFR_RNDN);
  };
}
int gammaOf(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode) { return mpfr_gamma(r, x, mode); }
int lgammaOf(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode) {
  int sign;
  return mpfr_lgamma(r, &sign, x, mode);
}
int rintOf(mpfr_t r, const mpfr_t x, mpfr_rnd_t) { return mpfr_round(r, x); }
int roundEven(mpfr_t r, const mpfr_t x, mpfr_rnd_t) { return mpfr_roundeven(r, x); }

} // namespace

#define HEDDLE_FD(name, reference, floatBound, doubleBound, low, high)                             \
  extern "C" float __nv_##name##f(float);                                                          \
  extern "C" double __nv_##name(double);                                                           \
  TEST(Devlib, name) {                                                                             \
    check1<float>(#name "f", __nv_##name##f, reference, floatBound, low, high);                    \
    check1<double>(#name, __nv_##name, reference, doubleBound, low, high);                         \
  }
HEDDLE_FD(rsqrt, rsqrtOf, 2, 1, 0, 100)
HEDDLE_FD(rcbrt, rcbrtOf, 1, 1, -100, 100)
HEDDLE_FD(erfcx, erfcxOf, 4, 4, -10, 30)
HEDDLE_FD(normcdf, normcdfOf, 5, 5, -38, 10)
HEDDLE_FD(erfinv, ([](Number &r, const Number &x) { inverseErf(r, x, false); }), 2, 5, -1, 1)
HEDDLE_FD(erfcinv, ([](Number &r, const Number &x) { inverseErf(r, x, true); }), 4, 6, 0, 2)
HEDDLE_FD(normcdfinv, normcdfinvOf, 5, 8, 0, 1)
HEDDLE_FD(cyl_bessel_i0, ([](Number &r, const Number &x) { besselI(r, x, 0); }), 6, 6, -60, 60)
HEDDLE_FD(cyl_bessel_i1, ([](Number &r, const Number &x) { besselI(r, x, 1); }), 6, 6, -60, 60)
HEDDLE_FD(round, mp(rintOf), 0, 0, -1000, 1000)
HEDDLE_FD(rint, mp(roundEven), 0, 0, -1000, 1000)

// "9 (7) for |x| < 8, else 2.2e-6 (5e-12) in absolute terms."
#define HEDDLE_BESSEL(name, reference)                                                             \
  extern "C" float __nv_##name##f(float);                                                          \
  extern "C" double __nv_##name(double);                                                           \
  TEST(Devlib, name) {                                                                             \
    check1<float>(#name "f", __nv_##name##f, reference, 9, -8, 8, 8, 2.2e-6);                      \
    check1<double>(#name, __nv_##name, reference, 7, -8, 8, 8, 5e-12);                             \
  }
HEDDLE_BESSEL(j0, mp(mpfr_j0))
HEDDLE_BESSEL(j1, mp(mpfr_j1))
HEDDLE_BESSEL(y0, yRef(mpfr_y0))
HEDDLE_BESSEL(y1, yRef(mpfr_y1))

#define HEDDLE_FD2(name, reference, floatBound, doubleBound, low, high)                            \
  extern "C" float __nv_##name##f(float, float);                                                   \
  extern "C" double __nv_##name(double, double);                                                   \
  TEST(Devlib, name) {                                                                             \
    check2<float>(#name "f", __nv_##name##f, reference, floatBound, low, high);                    \
    check2<double>(#name, __nv_##name, reference, doubleBound, low, high);                         \
  }
namespace {
void rhypotOf(Number &r, const Number &x, const Number &y) {
  mpfr_hypot(r.v, x.v, y.v, MPFR_RNDN);
  mpfr_ui_div(r.v, 1, r.v, MPFR_RNDN);
}
} // namespace
HEDDLE_FD2(rhypot, rhypotOf, 2, 1, -100, 100)
HEDDLE_FD2(fmod, mp2(mpfr_fmod), 0, 0, -100, 100)
HEDDLE_FD2(remainder, mp2(mpfr_remainder), 0, 0, -100, 100)
HEDDLE_FD2(fdim, mp2(mpfr_dim), 0.5, 0.5, -100, 100)

// What rests on SLEEF.
HEDDLE_FD(sin, mp(mpfr_sin), 2, 2, -100, 100)
HEDDLE_FD(cos, mp(mpfr_cos), 2, 2, -100, 100)
HEDDLE_FD(tan, mp(mpfr_tan), 4, 2, -100, 100)
HEDDLE_FD(asin, mp(mpfr_asin), 4, 2, -1, 1)
HEDDLE_FD(acos, mp(mpfr_acos), 3, 2, -1, 1)
HEDDLE_FD(atan, mp(mpfr_atan), 2, 2, -10, 10)
HEDDLE_FD(tanh, mp(mpfr_tanh), 2, 1, -5, 5)
HEDDLE_FD(asinh, mp(mpfr_asinh), 3, 3, -100, 100)
HEDDLE_FD(acosh, mp(mpfr_acosh), 4, 3, 1, 100)
HEDDLE_FD(atanh, mp(mpfr_atanh), 3, 2, -1, 1)
HEDDLE_FD(exp, mp(mpfr_exp), 2, 1, -90, 90)
HEDDLE_FD(exp2, mp(mpfr_exp2), 2, 1, -130, 130)
HEDDLE_FD(exp10, mp(mpfr_exp10), 2, 1, -40, 40)
HEDDLE_FD(expm1, mp(mpfr_expm1), 1, 1, -20, 80)
HEDDLE_FD(log, mp(mpfr_log), 1, 1, 0, 3)
HEDDLE_FD(log2, mp(mpfr_log2), 1, 1, 0, 3)
HEDDLE_FD(log10, mp(mpfr_log10), 2, 1, 0, 3)
HEDDLE_FD(log1p, mp(mpfr_log1p), 1, 1, -1, 3)
HEDDLE_FD(cbrt, mp(mpfr_cbrt), 1, 1, -100, 100)
HEDDLE_FD(erf, mp(mpfr_erf), 2, 2, -4, 4)
HEDDLE_FD(erfc, mp(mpfr_erfc), 4, 5, -5, 25)
HEDDLE_FD(tgamma, mp(gammaOf), 5, 10, 0.1, 30)
TEST(Devlib, tgammaOfTheSmallest) {
  check1<float>("tgammaf near its end", __nv_tgammaf, mp(gammaOf), 5, -41, -33);
  check1<double>("tgamma near its end", __nv_tgamma, mp(gammaOf), 10, -184, -168);
}
HEDDLE_FD(sinpi, ([](Number &r, const Number &x) { turns(r, x, mpfr_sin); }), 2, 2, -100, 100)
HEDDLE_FD(cospi, ([](Number &r, const Number &x) { turns(r, x, mpfr_cos); }), 2, 2, -100, 100)
HEDDLE_FD(sinh, mp(mpfr_sinh), 3, 2, -100, 100)
HEDDLE_FD(cosh, mp(mpfr_cosh), 2, 1, -100, 100)
HEDDLE_FD(lgamma, mp(lgammaOf), 6, 4, 0.01, 100)
HEDDLE_FD2(pow, mp2(mpfr_pow), 4, 2, 0, 20)
HEDDLE_FD2(atan2, mp2(mpfr_atan2), 3, 2, -10, 10)
HEDDLE_FD2(hypot, mp2(mpfr_hypot), 3, 2, -10, 10)

// Exact functions

extern "C" {
float __nv_remquof(float, float, int *);
double __nv_remquo(double, double, int *);
double __nv_ldexp(double, int), __nv_frexp(double, int *), __nv_logb(double),
    __nv_nextafter(double, double);
float __nv_ldexpf(float, int), __nv_frexpf(float, int *), __nv_logbf(float),
    __nv_nextafterf(float, float);
int __nv_ilogb(double);
}

TEST(Exact, exponents) {
  Random<double> random;
  for (int i = 0; i < 20000; i++) {
    double x = i % 3 ? random.any() : std::ldexp(random.uniform(-1, 1), -1040);
    float f = (float)random.uniform(-1e30, 1e30);
    int n = (int)(random.bits() % 4400) - 2200, e, expected;
    ASSERT_EQ(__nv_ldexp(x, n), std::ldexp(x, n)) << x << " " << n;
    ASSERT_EQ(__nv_ldexpf(f, n / 8), std::ldexp(f, n / 8)) << f << " " << n / 8;
    ASSERT_EQ(__nv_frexp(x, &e), std::frexp(x, &expected)) << x;
    ASSERT_EQ(e, expected);
    ASSERT_EQ(__nv_frexpf(f, &e), std::frexp(f, &expected));
    ASSERT_EQ(e, expected);
    ASSERT_EQ(__nv_logb(x), std::logb(x));
    ASSERT_EQ(__nv_ilogb(x), std::ilogb(x));
    ASSERT_EQ(__nv_nextafter(x, (double)f), std::nextafter(x, (double)f));
    ASSERT_EQ(__nv_nextafterf(f, 0.0f), std::nextafter(f, 0.0f));
  }
}

TEST(Exact, remquo) {
  Random<double> random;
  for (int i = 0; i < 20000; i++) {
    double x = i % 2 ? random.any() : random.uniform(-100, 100),
           y = i % 4 < 2 ? random.uniform(-9, 9) : random.any();
    int q = 0, expected = 0;
    ASSERT_EQ(__nv_remquo(x, y, &q), std::remquo(x, y, &expected))
        << std::hexfloat << x << " " << y;
    ASSERT_EQ(std::abs(q) & 7, std::abs(expected) & 7) << std::hexfloat << x << " " << y;
  }
}

// Lengths of three and four

extern "C" {
double __nv_norm3d(double, double, double), __nv_norm4d(double, double, double, double);
double __nv_rnorm3d(double, double, double), __nv_rnorm4d(double, double, double, double);
float __nv_norm3df(float, float, float), __nv_norm4df(float, float, float, float);
float __nv_rnorm3df(float, float, float), __nv_rnorm4df(float, float, float, float);
}

template <class T>
void checkNorms(T (*norm3)(T, T, T), T (*norm4)(T, T, T, T), T (*inverse3)(T, T, T),
                T (*inverse4)(T, T, T, T), double bound, double inverseBound) {
  Random<T> random;
  Outcome lengths, inverses;
  auto one = [&](const T *x, int n, T got, T inverse) {
    Number sum(0), square;
    for (int i = 0; i < n; i++) {
      mpfr_set_d(square.v, (double)x[i], MPFR_RNDN);
      mpfr_sqr(square.v, square.v, MPFR_RNDN);
      mpfr_add(sum.v, sum.v, square.v, MPFR_RNDN);
    }
    Number length, reciprocal;
    mpfr_sqrt(length.v, sum.v, MPFR_RNDN);
    mpfr_ui_div(reciprocal.v, 1, length.v, MPFR_RNDN);
    lengths.add(ulps(got, length), (double)x[0], (double)x[1]);
    inverses.add(ulps(inverse, reciprocal), (double)x[0], (double)x[1]);
  };
  for (int i = 0; i < 5000; i++) {
    int spread = i % 3 == 0 ? 900 * (sizeof(T) == 8) : 3;
    T x[4];
    for (T &value : x)
      value = (T)std::ldexp(random.uniform(-1, 1),
                            spread ? (int)(random.bits() % (unsigned)spread) - spread / 2 : 0);
    one(x, 3, norm3(x[0], x[1], x[2]), inverse3(x[0], x[1], x[2]));
    one(x, 4, norm4(x[0], x[1], x[2], x[3]), inverse4(x[0], x[1], x[2], x[3]));
  }
  report("norm3d, norm4d", lengths, bound);
  report("rnorm3d, rnorm4d", inverses, inverseBound);
}
TEST(Devlib, norms) {
  checkNorms<float>(__nv_norm3df, __nv_norm4df, __nv_rnorm3df, __nv_rnorm4df, 3, 2);
  checkNorms<double>(__nv_norm3d, __nv_norm4d, __nv_rnorm3d, __nv_rnorm4d, 2, 1);
}

// The approximate functions. CUDA guide, "Intrinsic Functions": some bounds are absolute, some grow
// with |x|.

extern "C" {
float __nv_fast_sinf(float), __nv_fast_cosf(float), __nv_fast_expf(float), __nv_fast_exp10f(float);
float __nv_fast_logf(float), __nv_fast_log2f(float), __nv_fast_log10f(float),
    __nv_fast_fdividef(float, float);
float __nv_fast_powf(float, float), __nv_fast_tanhf(float);
}

namespace {
void checkAbsolute(const char *name, float (*function)(float), double (*exact)(double), double low,
                   double high, double bound) {
  Random<float> random;
  double worst = 0;
  for (int i = 0; i < 200000; i++) {
    float x = random.uniform(low, high);
    worst = std::fmax(worst, std::fabs((double)function(x) - exact((double)x)));
  }
  printf("%-22s 2^%.2f in absolute terms, of 2^%.2f\n", name, std::log2(worst), std::log2(bound));
  EXPECT_LE(worst, bound) << name;
}
void checkGrowing(const char *name, float (*function)(float), Unary exact, double low, double high,
                  double base, double slope) {
  Random<float> random;
  Outcome outcome;
  for (int i = 0; i < 4000; i++) {
    float x = random.uniform(low, high);
    Number in((double)x), r;
    exact(r.v, in.v, MPFR_RNDN);
    outcome.add(ulps(function(x), r) - std::floor(std::fabs(slope * (double)x)), (double)x);
  }
  report(name, outcome, base);
}
} // namespace
TEST(Fast, bounds) {
  checkAbsolute("__sinf", __nv_fast_sinf, sin, -M_PI, M_PI, std::exp2(-21.41));
  checkAbsolute("__cosf", __nv_fast_cosf, cos, -M_PI, M_PI, std::exp2(-21.19));
  checkGrowing("__expf", __nv_fast_expf, mpfr_exp, -87, 88, 2, 1.173);
  checkGrowing("__exp10f", __nv_fast_exp10f, mpfr_exp10, -37, 38, 2, 2.97);
  checkAbsolute("__logf", __nv_fast_logf, log, 0.5, 2, std::exp2(-21.41));
  checkAbsolute("__log2f", __nv_fast_log2f, log2, 0.5, 2, std::exp2(-22));
  checkAbsolute("__log10f", __nv_fast_log10f, log10, 0.5, 2, std::exp2(-24));
  checkGrowing("__logf, x > 2", __nv_fast_logf, mpfr_log, 2, 1e9, 3, 0);
  checkGrowing("__log2f, x > 2", __nv_fast_log2f, mpfr_log2, 2, 1e9, 2, 0);
  checkGrowing("__log10f, x > 2", __nv_fast_log10f, mpfr_log10, 2, 1e9, 3, 0);
  checkGrowing("__tanhf", __nv_fast_tanhf, mpfr_tanh, -9, 9, 0x1p13, 0);
  EXPECT_EQ(__nv_fast_tanhf(-INFINITY), -1.0f);
  EXPECT_EQ(__nv_fast_tanhf(6.0f), 1.0f);
  EXPECT_TRUE(std::isnan(__nv_fast_tanhf(NAN)));
  EXPECT_EQ(__nv_fast_fdividef(1.0f, 0x1.8p126f), 0.0f);
  EXPECT_TRUE(std::isnan(__nv_fast_fdividef(INFINITY, 0x1.8p126f)));
  EXPECT_NEAR(__nv_fast_powf(2.0f, 10.0f), 1024.0f, 0.01f);
  EXPECT_TRUE(std::isnan(__nv_fast_sinf(INFINITY)));
  EXPECT_EQ(__nv_fast_expf(-INFINITY), 0.0f);
  EXPECT_EQ(__nv_fast_expf(INFINITY), INFINITY);
  EXPECT_TRUE(std::isnan(__nv_fast_expf(NAN)));
  EXPECT_EQ(__nv_fast_logf(0.0f), -INFINITY);
}
