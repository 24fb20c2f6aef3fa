// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error function and the gamma function for PTX text (exponential.cpp says more).
#include "pairs.h"

using namespace heddle::devlib;

namespace {

constexpr Exact TwoPerRootPi = {0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56};
constexpr double PerRootPi = 0.56418958354775629;

/// erf(x) for 0 <= x < 3: 2 / sqrt(pi) times the sum of (-1)^n x^(2n + 1) / (n! (2n + 1)), in pairs, for
/// terms of up to 200 cancel.
Exact errorSeries(double x) {
  Exact square = twoProduct(x, x), power = {x, 0}, sum = {x, 0};
  for (int n = 1; n < 70; ++n) {
    power = divide(multiply(power, square), {(double)-n, 0});
    Exact term = divide(power, {(double)(2 * n + 1), 0});
    sum = add(sum, term);
    if (absolute(term.high) < 0x1p-90 * sum.high)
      break;
  }
  return multiply(sum, TwoPerRootPi);
}

/// erfc(x) for x >= 3, by its continued fraction: exp(-x^2) / sqrt(pi) over x + (1/2) / (x + 1 / (x + (3/2) / ...)).
double errorFraction(double x) {
  double below = x;
  for (int k = 50; k != 0; --k)
    below = x + 0.5 * k / below;
  return expOf(negate(twoProduct(x, x))) * PerRootPi / below;
}

// B_2k / (2k (2k - 1)): log gamma(x) = (x - 1/2) log x - x + log(2 pi) / 2 + sum of them over x^(2k - 1).
constexpr double StirlingTerms[] = {
    0.08333333333333333,   -0.002777777777777778,  0.0007936507936507937, -0.0005952380952380953,
    0.0008417508417508417, -0.0019175269175269176, 0.00641025641025641,   -0.029550653594771242,
    0.17964437236883057,   -1.3924322169059011,    13.402864044168393,    -156.84828462600203};
// zeta(k) - 1 from k = 2 on.
constexpr double ZetaTerms[] = {
    0.6449340668482264,     0.2020569031595943,     0.08232323371113819,    0.03692775514336993,
    0.01734306198444914,    0.008349277381922827,   0.00407735619794434,    0.0020083928260822143,
    0.0009945751278180853,  0.0004941886041194645,  0.0002460865533080483,  0.00012271334757848915,
    6.124813505870483e-05,  3.058823630702049e-05,  1.528225940865187e-05,  7.637197637899763e-06,
    3.81729326499984e-06,   1.908212716553939e-06,  9.539620338727962e-07,  4.769329867878064e-07,
    2.38450502727733e-07,   1.1921992596531106e-07, 5.960818905125948e-08,  2.980350351465228e-08,
    1.4901554828365043e-08, 7.45071178983543e-09,   3.725334024788457e-09,  1.862659723513049e-09,
    9.313274324196682e-10,  4.656629065033784e-10,  2.3283118336765053e-10, 1.164155017270052e-10,
    5.820772087902701e-11,  2.9103850444971e-11,    1.4551921891041985e-11, 7.275959835057482e-12,
    3.637979547378651e-12,  1.818989650307066e-12,  9.094947840263888e-13,  4.547473783042154e-13,
    2.2737368458246524e-13, 1.136868407680228e-13,  5.684341987627585e-14,  2.842170976889302e-14,
    1.4210854828031608e-14, 7.105427395210853e-15,  3.552713691337114e-15,  1.7763568435791204e-15};
constexpr Exact HalfLogTwoPi = {0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55};
constexpr double Euler = 0.57721566490153286;
constexpr double Large = 20; ///< from where on the series is short

double stirlingRest(double x) {
  double per = 1 / x;
  return per * polynomial(per * per, StirlingTerms);
}

/// log gamma(x) for x >= Large.
Exact stirling(double x) {
  Exact power = multiply(logOf(x, 0), {x - 0.5, 0});
  return add(add(power, {-x, 0}), add(HalfLogTwoPi, {stirlingRest(x), 0}));
}

/// log gamma(1 + z), |z| <= 0.6: -log(1 + z) + z (1 - Euler) + sum of (zeta(k) - 1) (-z)^k / k.
double nearOne(double z) {
  double sum = 0;
#pragma unroll 1
  for (int k = 49; k >= 2; --k)
    sum = fma(sum, -z, ZetaTerms[k - 2] / k);
  return fma(z, fma(z, sum, 1 - Euler), -__nv_log1p(z));
}
/// log gamma(2 + z), without the logarithm.
double nearTwo(double z) {
  double sum = 0;
#pragma unroll 1
  for (int k = 49; k >= 2; --k)
    sum = fma(sum, -z, ZetaTerms[k - 2] / k);
  return z * fma(z, sum, 1 - Euler);
}

double logGammaOfPositive(double x) {
  if (x < 1e-18)
    return -__nv_log(x);
  if (x < 0.5)
    return nearOne(x) - __nv_log(x);
  if (x < 1.5)
    return nearOne(x - 1);
  if (x < 2.6)
    return nearTwo(x - 2);
  if (x > 1e17)
    return x * (__nv_log(x) - 1);
  if (x >= Large)
    return rounded(stirling(x));
  double n = __builtin_floor(x - 1.5), product = 1, y = x;
#pragma unroll 1
  for (; n > 0; n -= 1)
    y -= 1, product *= y;
  return nearTwo(y - 2) + __nv_log(product);
}

/// gamma(x) for x > 0.
double gammaOfPositive(double x) {
  if (x > 172)
    return __builtin_inf();
  if (x >= Large)
    return expOf(stirling(x));
  if (x < 1e-18)
    return 1 / x;
  double n = 0, y = x;
  Exact product = {1, 0};
#pragma unroll 1
  for (; y > 2.5; y -= 1)
    product = multiply(product, twoSum(y, -1));
#pragma unroll 1
  for (; y < 1.5; y += 1)
    n += 1;
  double value = expOf({nearTwo(y - 2), 0});
  double below = n == 0 ? 1 : n == 1 ? x : x * (x + 1);
  return value * rounded(product) / below;
}

} // namespace

HEDDLE_PURE double __nv_erf(double x) {
  double a = absolute(x);
  if (isNan(x) || a == 0)
    return x;
  return copySign(a < 3 ? rounded(errorSeries(a)) : a < 7 ? 1 - errorFraction(a) : 1.0, x);
}
HEDDLE_PURE double __nv_erfc(double x) {
  if (isNan(x))
    return x;
  double a = absolute(x);
  if (a < 3)
    return rounded(
        add({1, 0}, negate(copySign(1.0, x) > 0 ? errorSeries(a) : negate(errorSeries(a)))));
  double tail = a < 28 ? errorFraction(a) : 0;
  return x > 0 ? tail : 2 - tail;
}
HEDDLE_PURE float __nv_erfcf(float x) { return (float)__nv_erfc(x); }

HEDDLE_PURE double __nv_lgamma(double x) {
  if (isNan(x) || isInf(x))
    return absolute(x);
  if (x > 0)
    return logGammaOfPositive(x);
  if (__builtin_trunc(x) == x)
    return __builtin_inf();
  if (x > -1e-18)
    return -__nv_log(-x);
  double sine = absolute(__nv_sinpi(x)); // gamma(x) gamma(1 - x) = pi / sin(pi x)
  return __nv_log(Pi.high / (sine * -x)) - logGammaOfPositive(-x);
}
HEDDLE_PURE float __nv_lgammaf(float x) { return (float)__nv_lgamma(x); }

HEDDLE_PURE double __heddle_tgamma(double x) {
  if (isNan(x) || x == __builtin_inf())
    return x;
  if (x > 0)
    return gammaOfPositive(x);
  if (x > -1e-18)
    return 1 / x;
  if (__builtin_trunc(x) == x)
    return __builtin_nan("");
  double value = gammaOfPositive(-x); // infinite from -171 on, where the result is nearly 0
  return isInf(value) ? 0 : -Pi.high / (__nv_sinpi(-x) * (-x * value));
}
HEDDLE_PURE float __heddle_tgammaf(float x) { return (float)__heddle_tgamma(x); }
