// RUN: env HEDDLE_WIDTH=1 %heddle run %s
// RUN: env HEDDLE_WIDTH=8 %heddle run %s
// RUN: env HEDDLE_WIDTH=16 %heddle run %s
// RUN: env HEDDLE_WIDTH=32 %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The single precision mathematical functions against the host's long double ones, within the bounds in ULP of the
// CUDA C++ programming guide's table, and their values at special arguments.
#include "support.h"

typedef float Real;
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
  case 0: return sqrtf(x);
  case 1: return rsqrtf(x);
  case 2: return cbrtf(x);
  case 3: return rcbrtf(x);
  case 4: return expf(x);
  case 5: return exp2f(x);
  case 6: return exp10f(x);
  case 7: return expm1f(x);
  case 8: return logf(x);
  case 9: return log2f(x);
  case 10: return log10f(x);
  case 11: return log1pf(x);
  case 12: return sinf(x);
  case 13: return cosf(x);
  case 14: return tanf(x);
  case 15: return sinpif(x);
  case 16: return cospif(x);
  case 17: return asinf(x);
  case 18: return acosf(x);
  case 19: return atanf(x);
  case 20: return sinhf(x);
  case 21: return coshf(x);
  case 22: return tanhf(x);
  case 23: return asinhf(x);
  case 24: return acoshf(x);
  case 25: return atanhf(x);
  case 26: return erff(x);
  case 27: return erfcf(x);
  case 28: return erfcxf(x);
  case 29: return normcdff(x);
  case 30: return tgammaf(x);
  case 31: return lgammaf(x);
  case 32: return floorf(x);
  case 33: return ceilf(x);
  case 34: return truncf(x);
  case 35: return rintf(x);
  case 36: return roundf(x);
  case 37: return fabsf(x);
  case 38: return logbf(x);
  }
  return 0;
}
__device__ Real two(int function, Real x, Real y) {
  switch (function) {
  case 0: return powf(x, y);
  case 1: return atan2f(x, y);
  case 2: return hypotf(x, y);
  case 3: return fmodf(x, y);
  case 4: return remainderf(x, y);
  case 5: return fdimf(x, y);
  case 6: return fmaxf(x, y);
  case 7: return fminf(x, y);
  case 8: return copysignf(x, y);
  }
  return 0;
}

static const Function ones[] = {
    {"sqrtf", 0, 0, 10000000000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return sqrtl(x); }},
    {"rsqrtf", 2, 1e-10, 10000000000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return 1 / sqrtl(x); }},
    {"cbrtf", 1, -1000000.0, 1000000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return cbrtl(x); }},
    {"rcbrtf", 1, 0.001, 1000000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return 1 / cbrtl(x); }},
    {"expf", 2, -85, 85, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return expl(x); }},
    {"exp2f", 2, -120, 120, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return exp2l(x); }},
    {"exp10f", 2, -36, 36, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return powl(10, x); }},
    {"expm1f", 1, -2, 10, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return expm1l(x); }},
    {"logf", 1, 1e-06, 1000000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return logl(x); }},
    {"log2f", 1, 1e-06, 1000000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return log2l(x); }},
    {"log10f", 2, 1e-06, 1000000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return log10l(x); }},
    {"log1pf", 1, -0.99, 100, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return log1pl(x); }},
    {"sinf", 2, -1000, 1000, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return sinl(x); }},
    {"cosf", 2, -1000, 1000, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return cosl(x); }},
    {"tanf", 4, -1000, 1000, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return tanl(x); }},
    {"sinpif", 1, -100, 100, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return sinl(Pi * fmodl(x, 2)); }},
    {"cospif", 1, -100, 100, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return sinl(Pi * (0.5L - fabsl(fmodl(x, 2)))); }},
    {"asinf", 2, -1, 1, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return asinl(x); }},
    {"acosf", 2, -1, 1, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return acosl(x); }},
    {"atanf", 2, -100, 100, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return atanl(x); }},
    {"sinhf", 3, -80, 80, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return sinhl(x); }},
    {"coshf", 2, -80, 80, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return coshl(x); }},
    {"tanhf", 2, -10, 10, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return tanhl(x); }},
    {"asinhf", 3, -10000.0, 10000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return asinhl(x); }},
    {"acoshf", 4, 1, 10000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return acoshl(x); }},
    {"atanhf", 3, -1, 1, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return atanhl(x); }},
    {"erff", 2, -4, 4, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return erfl(x); }},
    {"erfcf", 4, -4, 8, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return erfcl(x); }},
    {"erfcxf", 4, 0, 5, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return expl(x * x) * erfcl(x); }},
    {"normcdff", 5, -5, 5, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return erfcl(-x / sqrtl(2)) / 2; }},
    {"tgammaf", 5, 0.1, 30, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return tgammal(x); }},
    {"lgammaf", 6, 3, 1000, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return lgammal(x); }},
    {"floorf", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return floorl(x); }},
    {"ceilf", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return ceill(x); }},
    {"truncf", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return truncl(x); }},
    {"rintf", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return rintl(x); }},
    {"roundf", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return roundl(x); }},
    {"fabsf", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return fabsl(x); }},
    {"logbf", 0, 1e-05, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return logbl(x); }},
};
static const Function twos[] = {
    {"powf", 4, 0.01, 30, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return powl(x, y); }},
    {"atan2f", 3, -10, 10, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return atan2l(x, y); }},
    {"hypotf", 3, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return hypotl(x, y); }},
    {"fmodf", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return fmodl(x, y); }},
    {"remainderf", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return remainderl(x, y); }},
    {"fdimf", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return fdiml(x, y); }},
    {"fmaxf", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return fmaxl(x, y); }},
    {"fminf", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return fminl(x, y); }},
    {"copysignf", 0, -100000.0, 100000.0, [](Wide x, Wide y) -> Wide { (void)x, (void)y; return copysignl(x, y); }},
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
  special("sqrtf", -1, 0, NAN);
  special("sqrtf", -0.0, 0, -0.0);
  special("rsqrtf", 0, 0, INFINITY);
  special("expf", -INFINITY, 0, 0);
  special("expf", 1e4, 0, INFINITY);
  special("expf", NAN, 0, NAN);
  special("logf", 0, 0, -INFINITY);
  special("logf", -1, 0, NAN);
  special("log2f", 1024, 0, 10);
  special("logf", 1, 0, 0);
  special("sinf", INFINITY, 0, NAN);
  special("sinf", -0.0, 0, -0.0);
  special("atan2f", 0, -1, Pi);
  special("atan2f", -0.0, 1, -0.0);
  special("powf", 0, 0, 1);
  special("powf", NAN, 0, 1);
  special("powf", -2, 3, -8);
  special("powf", -2, 0.5, NAN);
  special("powf", 0, -1, INFINITY);
  special("tanhf", INFINITY, 0, 1);
  special("erff", INFINITY, 0, 1);
  special("fmaxf", NAN, 2, 2);
  special("fminf", 3, NAN, 3);
  special("fmodf", 5, 0, NAN);
  special("roundf", 2.5, 0, 3);
  special("rintf", 2.5, 0, 2);
  special("roundf", -0.4, 0, -0.0);
  special("hypotf", INFINITY, NAN, INFINITY);
  special("cospif", 0.5, 0, 0);
  return finish();
}
