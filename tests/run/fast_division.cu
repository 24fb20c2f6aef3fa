// RUN: %heddle cc -use_fast_math -DFAST %s -o %t.fast
// RUN: %widths %t.fast
// RUN: %cpu(x86-64-v3) %t.fast
// RUN: %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With -use_fast_math divisions of floats are right to 2 ulp for divisors between 2^-126 and 2^126, as the CUDA guide says of
// __fdividef, and zeros, infinities and NaNs give what they do otherwise; without it `/` is right to the last bit.
#include "support.h"

constexpr int Outputs = 6;

/// `Real`: of a number beside the floats; doubles keep their denormals, so the flushing goes another way.
template <class Real> __global__ void divide(int n, const float *x, const float *y, float *out, Real *sum) {
  int i = threadInGrid();
  if (i >= n)
    return;
  float *o = out + Outputs * i;
  o[0] = x[i] / y[i];
  o[1] = 1.0f / y[i];
  o[2] = x[i] / 3.0f;
  o[3] = x[i] / sqrtf(y[i]);
  o[4] = __fdividef(x[i], y[i]);
  o[5] = x[i] / 0.0f;
  sum[i] = Real(x[i]) + Real(y[i]);
}

static bool isTiny(double v) { return v != 0 && std::fabs(v) < 0x1p-126; }

static void expectNear(const char *what, int i, float x, float y, float got, double exact) {
#ifdef FAST
  double bound = what[0] == 'r' ? 3 : 2; // roots are approximate on a GPU, too
  if (isTiny(x) || isTiny(y) || isTiny(exact) || std::fabs(y) > 0x1p126)
    return;
#else
  double bound = what[0] == 'r' || what[0] == '_' ? 2 : 0.5;
#endif
  float rounded = float(exact);
  bool isRight = same(got, rounded);
  if (!isRight && std::isfinite(rounded) && std::isfinite(got)) {
    double ulp = std::nextafter(std::fabs(rounded), INFINITY) - std::fabs(rounded);
    isRight = std::fabs(got - exact) <= bound * ulp && std::signbit(got) == std::signbit(rounded);
  }
  if (!isRight)
    report(std::string(what) + " of " + show(x) + " and " + show(y), i, show(got), show(rounded));
}

template <class Real> static void check(Random &random) {
  const float special[] = {0.0f, -0.0f, 1.0f, -1.0f, 3.0f, INFINITY, -INFINITY, NAN, 1e30f, 1e-30f, 0x1p-126f, 0x1p126f, 1e-40f, 3e38f};
  std::vector<float> x, y;
  for (float a : special)
    for (float b : special)
      x.push_back(a), y.push_back(b);
  while (x.size() < 10007) {
    x.push_back(float(std::ldexp(random.between(-2, 2), random.below(120) - 60)));
    y.push_back(float(std::ldexp(random.between(-2, 2), random.below(120) - 60)));
  }
  int n = int(x.size());
  Buffer<float> inX(x), inY(y), out(Outputs * n);
  Buffer<Real> sum(n);
  divide<Real><<<(n + 95) / 96, 96>>>(n, inX, inY, out, sum.data);
  checkLaunch();
  std::vector<float> got = out.get();
  for (int i = 0; i < n; ++i) {
    const float *o = &got[Outputs * i];
    double a = x[i], b = y[i], root = std::sqrt(b);
    expectNear("quotient", i, x[i], y[i], o[0], a / b);
    expectNear("1 / y", i, 1, y[i], o[1], 1 / b);
    expectNear("x / 3", i, x[i], 3, o[2], a / 3);
    expectNear("root", i, x[i], y[i], o[3], a / root);
    if (!(std::fabs(b) > 0x1p126 && std::isfinite(b)))
      expectNear("__fdividef", i, x[i], y[i], o[4], a / b);
    expectNear("x / 0", i, x[i], 0, o[5], a / 0.0);
  }
}

int main() {
  Random random(71);
  check<float>(random);
  check<double>(random);
  return finish();
}
