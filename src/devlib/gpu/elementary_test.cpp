// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of a GPU's elementary functions against the C library's in more digits; bounds: CUDA guide,
// "Mathematical Functions". The machine's approximations are the C library's here.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

extern "C" {
float __nv_sinf(float), __nv_cosf(float), __nv_logf(float), __nv_log2f(float), __nv_log10f(float);
float __nv_powf(float, float), __nv_tanhf(float);
double __nv_sin(double), __nv_cos(double), __nv_exp(double), __nv_log(double);
double __heddle_large_sine(double x) { return static_cast<double>(sinl(x)); }
double __heddle_large_cosine(double x) { return static_cast<double>(cosl(x)); }
}

namespace {

/// In units in the last place of `exact`; 1000 where one is infinite or no number and the other not.
template <class T> long double errorOf(T got, long double exact) {
  const T rounded = static_cast<T>(exact);
  if (std::isnan(rounded) || std::isinf(rounded))
    return std::isnan(rounded) ? (std::isnan(got) ? 0 : 1000) : got == rounded ? 0 : 1000;
  if (!std::isfinite(got))
    return 1000;
  int exponent;
  std::frexp(rounded, &exponent);
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  return std::fabs(got - exact) / std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
}

template <class T, class Function, class Exact>
void measure(const char *name, double bound, T low, T high, Function function, Exact exact) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<T> distribution(low, high);
  long double worst = 0;
  T at = 0;
  for (int i = 0; i < 20000; ++i) {
    const T x = distribution(random);
    const long double error = errorOf(function(x), exact(static_cast<long double>(x)));
    if (error > worst)
      worst = error, at = x;
  }
  EXPECT_LE(worst, bound) << name << " of " << at;
  ::testing::Test::RecordProperty(name, std::to_string(static_cast<double>(worst)));
}

TEST(GpuElementary, Floats) {
  for (float size : {1e-3f, 1.0f, 100.0f, 105615.0f, 1e7f}) {
    measure<float>("sinf", 2, -size, size, __nv_sinf, [](long double x) { return sinl(x); });
    measure<float>("cosf", 2, -size, size, __nv_cosf, [](long double x) { return cosl(x); });
    measure<float>("tanhf", 2, -size, size, __nv_tanhf, [](long double x) { return tanhl(x); });
    measure<float>("logf", 1.5, 0, size, __nv_logf, [](long double x) { return logl(x); });
    measure<float>("log2f", 1.5, 0, size, __nv_log2f, [](long double x) { return log2l(x); });
    measure<float>("log10f", 2, 0, size, __nv_log10f, [](long double x) { return log10l(x); });
  }
  measure<float>("logf near 1", 1.5, 0.5f, 2, __nv_logf, [](long double x) { return logl(x); });
  measure<float>("log2f near 1", 1.5, 0.5f, 2, __nv_log2f, [](long double x) { return log2l(x); });
  measure<float>("log10f near 1", 2, 0.5f, 2, __nv_log10f, [](long double x) { return log10l(x); });
  for (float y : {0.5f, 1.7f, -3.0f, 2.0f, 30.25f, -1e-3f, 1e5f})
    for (float most : {1e-30f, 1.5f, 20.0f, 1e20f})
      measure<float>(
          "powf", 4, 0, most, [&](float x) { return __nv_powf(x, y); },
          [&](long double x) { return powl(x, y); });
}

TEST(GpuElementary, Doubles) {
  for (double size : {1e-3, 1.0, 100.0, 1e6, 1e9}) {
    measure<double>("sin", 2, -size, size, __nv_sin, [](long double x) { return sinl(x); });
    measure<double>("cos", 2, -size, size, __nv_cos, [](long double x) { return cosl(x); });
    measure<double>("exp", 1, -size, size, __nv_exp, [](long double x) { return expl(x); });
    measure<double>("log", 1, 0, size, __nv_log, [](long double x) { return logl(x); });
  }
  measure<double>("exp", 1, -746, 710, __nv_exp, [](long double x) { return expl(x); });
  measure<double>("log near 1", 1, 0.5, 2, __nv_log, [](long double x) { return logl(x); });
}

TEST(GpuElementary, Ends) {
  const float values[] = {0.0f,  -0.0f, 1,      -1,     2,       -2,       3,         -3, 0.5f,
                          -0.5f, 1e30f, -1e30f, 1e-40f, -1e-40f, INFINITY, -INFINITY, NAN};
  for (float x : values) {
    EXPECT_LE(errorOf(__nv_sinf(x), sinl(x)), 2) << x;
    EXPECT_EQ(std::signbit(__nv_sinf(x)), std::signbit(std::sin(x))) << x;
    EXPECT_LE(errorOf(__nv_cosf(x), cosl(x)), 2) << x;
    EXPECT_LE(errorOf(__nv_tanhf(x), tanhl(x)), 2) << x;
    EXPECT_LE(errorOf(__nv_logf(x), logl(x)), 2) << x;
    EXPECT_LE(errorOf(__nv_log2f(x), log2l(x)), 2) << x;
    EXPECT_LE(errorOf(__nv_exp(x), expl(x)), 2) << x;
    EXPECT_LE(errorOf(__nv_log(x), logl(x)), 2) << x;
    EXPECT_LE(errorOf(__nv_sin(x), sinl(x)), 2) << x;
    EXPECT_LE(errorOf(__nv_cos(x), cosl(x)), 2) << x;
    for (float y : values) {
      EXPECT_LE(errorOf(__nv_powf(x, y), powl(x, y)), 4) << x << " " << y;
      EXPECT_EQ(std::signbit(__nv_powf(x, y)) && !std::isnan(__nv_powf(x, y)),
                std::signbit(std::pow(x, y)) && !std::isnan(std::pow(x, y)))
          << x << " " << y;
    }
  }
}

} // namespace
