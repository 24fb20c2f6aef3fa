// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mathematical functions against the host's long double ones, within the bounds in ULP of the CUDA C++
// programming guide's table, and their values at special arguments. For one precision: the file that includes this
// defines Real, and FUNCTION and BOUND, which pick a function's name and bound for it.
#pragma once
#include "support.h"

typedef long double Wide;
static const Wide Pi = 3.14159265358979323846264338327950288L;

struct Function {
  const char *name;
  double ulp;
  double low, high;
  Wide (*reference)(Wide, Wide);
};

// Name, bound for float, bound for double, least and greatest x, the exact value.
// clang-format off
#define FUNCTIONS_OF_ONE(M) \
  M(sqrt, 0, 0, 0, 10000000000, sqrtl(x)) \
  M(rsqrt, 2, 1, 1e-10, 10000000000, 1 / sqrtl(x)) \
  M(cbrt, 1, 1, -1000000, 1000000, cbrtl(x)) \
  M(rcbrt, 1, 1, 0.001, 1000000, 1 / cbrtl(x)) \
  M(exp, 2, 1, -85, 85, expl(x)) \
  M(exp2, 2, 1, -120, 120, exp2l(x)) \
  M(exp10, 2, 1, -36, 36, powl(10, x)) \
  M(expm1, 1, 1, -2, 10, expm1l(x)) \
  M(log, 1, 1, 1e-06, 1000000, logl(x)) \
  M(log2, 1, 1, 1e-06, 1000000, log2l(x)) \
  M(log10, 2, 1, 1e-06, 1000000, log10l(x)) \
  M(log1p, 1, 1, -0.99, 100, log1pl(x)) \
  M(sin, 2, 2, -1000, 1000, sinl(x)) \
  M(cos, 2, 2, -1000, 1000, cosl(x)) \
  M(tan, 4, 2, -1000, 1000, tanl(x)) \
  M(sinpi, 1, 2, -100, 100, sinl(Pi * fmodl(x, 2))) \
  M(cospi, 1, 2, -100, 100, sinl(Pi * (0.5L - fabsl(fmodl(x, 2))))) \
  M(asin, 2, 2, -1, 1, asinl(x)) \
  M(acos, 2, 2, -1, 1, acosl(x)) \
  M(atan, 2, 2, -100, 100, atanl(x)) \
  M(sinh, 3, 2, -80, 80, sinhl(x)) \
  M(cosh, 2, 1, -80, 80, coshl(x)) \
  M(tanh, 2, 1, -10, 10, tanhl(x)) \
  M(asinh, 3, 3, -10000, 10000, asinhl(x)) \
  M(acosh, 4, 3, 1, 10000, acoshl(x)) \
  M(atanh, 3, 2, -1, 1, atanhl(x)) \
  M(erf, 2, 2, -4, 4, erfl(x)) \
  M(erfc, 4, 5, -4, 8, erfcl(x)) \
  M(erfcx, 4, 4, 0, 5, expl(x * x) * erfcl(x)) \
  M(normcdf, 5, 5, -5, 5, erfcl(-x / sqrtl(2)) / 2) \
  M(tgamma, 5, 10, 0.1, 30, tgammal(x)) \
  M(lgamma, 6, 4, 3, 1000, lgammal(x)) \
  M(floor, 0, 0, -100000, 100000, floorl(x)) \
  M(ceil, 0, 0, -100000, 100000, ceill(x)) \
  M(trunc, 0, 0, -100000, 100000, truncl(x)) \
  M(rint, 0, 0, -100000, 100000, rintl(x)) \
  M(round, 0, 0, -100000, 100000, roundl(x)) \
  M(fabs, 0, 0, -100000, 100000, fabsl(x)) \
  M(logb, 0, 0, 1e-05, 100000, logbl(x))
#define FUNCTIONS_OF_TWO(M) \
  M(pow, 4, 2, 0.01, 30, powl(x, y)) \
  M(atan2, 3, 2, -10, 10, atan2l(x, y)) \
  M(hypot, 3, 2, -100000, 100000, hypotl(x, y)) \
  M(fmod, 0, 0, -100000, 100000, fmodl(x, y)) \
  M(remainder, 0, 0, -100000, 100000, remainderl(x, y)) \
  M(fdim, 0, 0, -100000, 100000, fdiml(x, y)) \
  M(fmax, 0, 0, -100000, 100000, fmaxl(x, y)) \
  M(fmin, 0, 0, -100000, 100000, fminl(x, y)) \
  M(copysign, 0, 0, -100000, 100000, copysignl(x, y))
// clang-format on

#define NUMBER(name, ...) Number_##name,
enum NumberOfOne { FUNCTIONS_OF_ONE(NUMBER) };
enum NumberOfTwo { FUNCTIONS_OF_TWO(NUMBER) };
#undef NUMBER

__device__ Real one(int function, Real x) {
  switch (function) {
#define CASE(name, ...)                                                                            \
  case Number_##name:                                                                              \
    return FUNCTION(name)(x);
    FUNCTIONS_OF_ONE(CASE)
#undef CASE
  }
  return 0;
}
__device__ Real two(int function, Real x, Real y) {
  switch (function) {
#define CASE(name, ...)                                                                            \
  case Number_##name:                                                                              \
    return FUNCTION(name)(x, y);
    FUNCTIONS_OF_TWO(CASE)
#undef CASE
  }
  return 0;
}

#define ROW(name, single, twice, low, high, reference)                                             \
  {#name, BOUND(single, twice), low, high, []([[maybe_unused]] Wide x, [[maybe_unused]] Wide y) -> Wide { return reference; }},
static const Function ones[] = {FUNCTIONS_OF_ONE(ROW)};
static const Function twos[] = {FUNCTIONS_OF_TWO(ROW)};
#undef ROW

__global__ void evaluate(bool both, int function, const Real *x, const Real *y, Real *out, int n) {
  int i = threadInGrid();
  if (i < n)
    out[i] = both ? two(function, x[i], y[i]) : one(function, x[i]);
}

/// The distance to the correctly rounded result in units of its last place, as CUDA's table counts.
static double ulps(Real got, Wide wide) {
  Real want = Real(wide);
  if (same(got, want) || (got == 0 && want == 0))
    return 0;
  if (!std::isfinite(got) || !std::isfinite(want))
    return INFINITY;
  int exponent = std::max(want == 0 ? -100000 : std::ilogb(want), std::numeric_limits<Real>::min_exponent - 1);
  return double(std::fabs(Wide(got) - want) / std::ldexp(Wide(1), exponent - std::numeric_limits<Real>::digits + 1));
}

static void check(const Function &f, bool both, int number) {
  const int n = 400;
  Random random(100 + number);
  std::vector<Real> x(n), y(n);
  for (int i = 0; i < n; i++) {
    // Half of the arguments lie evenly, half crowd towards zero.
    double spread = i & 1 ? 1 : std::ldexp(1.0, -random.below(12));
    double low = f.low > 0 || f.low == 0 ? f.low : f.low * spread, high = f.high * spread;
    x[i] = Real(random.between(low, high < low ? f.high : high));
    y[i] = both ? Real(random.between(f.low > 0 ? -5 : f.low, f.low > 0 ? 5 : f.high)) : Real(0);
  }
  Buffer<Real> deviceX(x), deviceY(y), out(n);
  evaluate<<<5, 96>>>(both, number, deviceX, deviceY, out, n);
  checkLaunch();
  std::vector<Real> got = out.get();
  double worst = 0;
  int at = 0;
  for (int i = 0; i < n; i++) {
    double distance = ulps(got[i], f.reference(x[i], y[i]));
    if (!(distance <= worst))
      worst = distance, at = i;
  }
  if (!(worst <= f.ulp))
    report(std::string(f.name) + "(" + show(x[at]) + ", " + show(y[at]) + "), " + std::to_string(worst) + " ulp", at,
           show(got[at]), show(Real(f.reference(x[at], y[at]))));
}

static int number(const char *name) {
  for (int i = 0; i < int(sizeof ones / sizeof *ones); i++)
    if (!std::strcmp(ones[i].name, name))
      return i;
  for (int i = 0; i < int(sizeof twos / sizeof *twos); i++)
    if (!std::strcmp(twos[i].name, name))
      return i + 1000;
  report(std::string("no function ") + name, 0, "", "");
  return 0;
}

static void special(const char *name, double x, double y, double want) {
  int n = number(name);
  Buffer<Real> deviceX(std::vector<Real>{Real(x)}), deviceY(std::vector<Real>{Real(y)}), out(1);
  evaluate<<<1, 96>>>(n >= 1000, n % 1000, deviceX, deviceY, out, 1);
  checkLaunch();
  expect(std::string(name) + "(" + show(x) + ", " + show(y) + ")", 0, out.get()[0], Real(want));
}

int main() {
  for (int i = 0; i < int(sizeof ones / sizeof *ones); i++)
    check(ones[i], false, i);
  for (int i = 0; i < int(sizeof twos / sizeof *twos); i++)
    check(twos[i], true, i);
  special("sqrt", -1, 0, NAN);
  special("sqrt", -0.0, 0, -0.0);
  special("rsqrt", 0, 0, INFINITY);
  special("exp", -INFINITY, 0, 0);
  special("exp", 1e4, 0, INFINITY);
  special("exp", NAN, 0, NAN);
  special("log", 0, 0, -INFINITY);
  special("log", -1, 0, NAN);
  special("log2", 1024, 0, 10);
  special("log", 1, 0, 0);
  special("sin", INFINITY, 0, NAN);
  special("sin", -0.0, 0, -0.0);
  special("atan2", 0, -1, Pi);
  special("atan2", -0.0, 1, -0.0);
  special("pow", 0, 0, 1);
  special("pow", NAN, 0, 1);
  special("pow", -2, 3, -8);
  special("pow", -2, 0.5, NAN);
  special("pow", 0, -1, INFINITY);
  special("tanh", INFINITY, 0, 1);
  special("erf", INFINITY, 0, 1);
  special("fmax", NAN, 2, 2);
  special("fmin", 3, NAN, 3);
  special("fmod", 5, 0, NAN);
  special("round", 2.5, 0, 3);
  special("rint", 2.5, 0, 2);
  special("round", -0.4, 0, -0.0);
  special("hypot", INFINITY, NAN, INFINITY);
  special("cospi", 0.5, 0, 0);
  return finish();
}
