// RUN: env HEDDLE_WIDTH=1 %heddle run %s
// RUN: env HEDDLE_WIDTH=8 %heddle run %s
// RUN: env HEDDLE_WIDTH=16 %heddle run %s
// RUN: env HEDDLE_WIDTH=32 %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The double precision mathematical functions against the host's long double ones, within the bounds in ULP of the
// CUDA C++ programming guide's table, and their values at special arguments.
#include "support.h"

typedef double Real;
typedef long double Wide;
static const Wide Pi = 3.14159265358979323846264338327950288L;

struct Function {
  const char *name;
  double ulp;
  double low, high;
  Wide (*reference)(Wide, Wide);
};

__device__ Real one(int function, Real x) {
  switch (function) {
  case 0: return sqrt(x);
  case 1: return rsqrt(x);
  case 2: return cbrt(x);
  case 3: return rcbrt(x);
  case 4: return exp(x);
  case 5: return exp2(x);
  case 6: return exp10(x);
  case 7: return expm1(x);
  case 8: return log(x);
  case 9: return log2(x);
  case 10: return log10(x);
  case 11: return log1p(x);
  case 12: return sin(x);
  case 13: return cos(x);
  case 14: return tan(x);
  case 15: return sinpi(x);
  case 16: return cospi(x);
  case 17: return asin(x);
  case 18: return acos(x);
  case 19: return atan(x);
  case 20: return sinh(x);
  case 21: return cosh(x);
  case 22: return tanh(x);
  case 23: return asinh(x);
  case 24: return acosh(x);
  case 25: return atanh(x);
  case 26: return erf(x);
  case 27: return erfc(x);
  case 28: return erfcx(x);
  case 29: return normcdf(x);
  case 30: return tgamma(x);
  case 31: return lgamma(x);
  case 32: return floor(x);
  case 33: return ceil(x);
  case 34: return trunc(x);
  case 35: return rint(x);
  case 36: return round(x);
  case 37: return fabs(x);
  case 38: return logb(x);
  }
  return 0;
}
__device__ Real two(int function, Real x, Real y) {
  switch (function) {
  case 0: return pow(x, y);
  case 1: return atan2(x, y);
  case 2: return hypot(x, y);
  case 3: return fmod(x, y);
  case 4: return remainder(x, y);
  case 5: return fdim(x, y);
  case 6: return fmax(x, y);
  case 7: return fmin(x, y);
  case 8: return copysign(x, y);
  }
  return 0;
}

static const Function ones[] = {
    {"sqrt", 0, 0, 10000000000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return sqrtl(x); }},
    {"rsqrt", 1, 1e-10, 10000000000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return 1 / sqrtl(x); }},
    {"cbrt", 1, -1000000.0, 1000000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return cbrtl(x); }},
    {"rcbrt", 1, 0.001, 1000000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return 1 / cbrtl(x); }},
    {"exp", 1, -85, 85, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return expl(x); }},
    {"exp2", 1, -120, 120, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return exp2l(x); }},
    {"exp10", 1, -36, 36, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return powl(10, x); }},
    {"expm1", 1, -2, 10, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return expm1l(x); }},
    {"log", 1, 1e-06, 1000000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return logl(x); }},
    {"log2", 1, 1e-06, 1000000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return log2l(x); }},
    {"log10", 1, 1e-06, 1000000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return log10l(x); }},
    {"log1p", 1, -0.99, 100, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return log1pl(x); }},
    {"sin", 2, -1000, 1000, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return sinl(x); }},
    {"cos", 2, -1000, 1000, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return cosl(x); }},
    {"tan", 2, -1000, 1000, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return tanl(x); }},
    {"sinpi", 2, -100, 100, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return sinl(Pi * fmodl(x, 2)); }},
    {"cospi", 2, -100, 100, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return sinl(Pi * (0.5L - fabsl(fmodl(x, 2)))); }},
    {"asin", 2, -1, 1, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return asinl(x); }},
    {"acos", 2, -1, 1, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return acosl(x); }},
    {"atan", 2, -100, 100, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return atanl(x); }},
    {"sinh", 2, -80, 80, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return sinhl(x); }},
    {"cosh", 1, -80, 80, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return coshl(x); }},
    {"tanh", 1, -10, 10, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return tanhl(x); }},
    {"asinh", 3, -10000.0, 10000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return asinhl(x); }},
    {"acosh", 3, 1, 10000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return acoshl(x); }},
    {"atanh", 2, -1, 1, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return atanhl(x); }},
    {"erf", 2, -4, 4, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return erfl(x); }},
    {"erfc", 5, -4, 8, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return erfcl(x); }},
    {"erfcx", 4, 0, 5, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return expl(x * x) * erfcl(x); }},
    {"normcdf", 5, -5, 5, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return erfcl(-x / sqrtl(2)) / 2; }},
    {"tgamma", 10, 0.1, 30, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return tgammal(x); }},
    {"lgamma", 4, 3, 1000, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return lgammal(x); }},
    {"floor", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return floorl(x); }},
    {"ceil", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return ceill(x); }},
    {"trunc", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return truncl(x); }},
    {"rint", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return rintl(x); }},
    {"round", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return roundl(x); }},
    {"fabs", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return fabsl(x); }},
    {"logb", 0, 1e-05, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return logbl(x); }},
};
static const Function twos[] = {
    {"pow", 2, 0.01, 30, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return powl(x, y); }},
    {"atan2", 2, -10, 10, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return atan2l(x, y); }},
    {"hypot", 2, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return hypotl(x, y); }},
    {"fmod", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return fmodl(x, y); }},
    {"remainder", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return remainderl(x, y); }},
    {"fdim", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return fdiml(x, y); }},
    {"fmax", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return fmaxl(x, y); }},
    {"fmin", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return fminl(x, y); }},
    {"copysign", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return copysignl(x, y); }},
};

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
