// RUN: %heddle cc -use_fast_math -DFAST %s -o %t.fast
// RUN: %widths %t.fast
// RUN: %cpu(x86-64-v3) %t.fast
// RUN: %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With -use_fast_math expf, exp10f and tanhf are __expf, __exp10f and __tanhf, and right to what the CUDA guide allows these; without it,
// to what it allows expf and tanhf. __tanhf is odd and at most 1. Infinities, zeros and NaNs go through as they do through the exact functions.
#include "support.h"

constexpr int Outputs = 7;

__global__ static void each(const float *x, float *out, int n) {
  int i = threadInGrid();
  if (i >= n)
    return;
  float *o = out + Outputs * i;
  o[0] = expf(x[i]), o[1] = __expf(x[i]), o[2] = exp10f(x[i] * 0.4f), o[3] = __exp10f(x[i] * 0.4f), o[4] = logf(x[i]);
  o[5] = tanhf(x[i]), o[6] = __tanhf(x[i]);
}

/// Whether `got` is within `bound` ulp of `exact`, denormals taken for zero.
static bool isNear(float got, double exact, double bound) {
  if (std::isnan(exact) || std::isinf(exact))
    return std::isnan(exact) ? std::isnan(got) : double(got) == exact;
  if (std::fabs(exact) < 0x1.1p-126)
    return std::fabs(got) < 0x1.2p-126;
  if (std::isinf(got))
    return exact > 0x1.ffffp127;
  int exponent;
  std::frexp(exact, &exponent);
  return std::fabs(got - exact) <= bound * std::ldexp(1.0, exponent - 24);
}

int main() {
  Random random(5);
  std::vector<float> x = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 88.7f, 88.8f, -87.3f, -104.0f, 1e30f, -1e30f, 1.0f, 0x1p-126f, 5.3f, 5.5f, -9.0f};
  while (x.size() < 20011) // the last warp is not whole
    x.push_back(float(x.size() % 2 ? random.between(-90, 90) : random.between(0, 3)));
  int n = int(x.size());
  Buffer<float> in(x), out(Outputs * n);
  each<<<(n + 95) / 96, 96>>>(in, out, n);
  checkLaunch();
  std::vector<float> got = out.get();
  for (int i = 0; i < n; ++i) {
    const float *o = &got[Outputs * i];
    double v = x[i], tenth = x[i] * 0.4f, size = std::isfinite(v) ? std::fabs(v) : 0;
    double exact[] = {std::exp(v), std::pow(10.0, tenth), std::log(v)};
#ifdef FAST
    double ofExp = 2 + 1.173 * size, ofExp10 = 2 + 2.97 * size * 0.4, ofTanh = 0x1p-11;
#else
    double ofExp = 2, ofExp10 = 2, ofTanh = 0x1p-22;
#endif
    // Of logarithms near one the absolute error is bounded. A GPU's are 3.1 ulp wrong where the guide says 3.
    bool isNearOne = x[i] > 0.4 && x[i] < 2.5;
    bool isLogarithm = isNearOne ? std::fabs(o[4] - exact[2]) < 4e-7 : isNear(o[4], exact[2], 3.5);
    bool isRight = isNear(o[0], exact[0], ofExp) && isNear(o[2], exact[1], ofExp10) && isLogarithm;
    if (!isRight)
      report("functions of " + show(x[i]), i, show(o[0]) + " " + show(o[2]) + " " + show(o[4]),
             show(exact[0]) + " " + show(exact[1]) + " " + show(exact[2]));
    auto isTanh = [&](float value, double bound) {
      double off = std::fabs(value - std::tanh(v)), least = 0x1p-126; // denormals may be zero
      return std::isnan(v) ? std::isnan(value)
                           : off <= bound * std::fabs(std::tanh(v)) + least && std::fabs(value) <= 1 && std::signbit(value) == std::signbit(v) &&
                                 (std::fabs(v) < 10 || std::fabs(value) == 1);
    };
    if (!isTanh(o[5], ofTanh) || !isTanh(o[6], 0x1p-11))
      report("tanhf, __tanhf of " + show(x[i]), i, show(o[5]) + " " + show(o[6]), show(std::tanh(v)));
#ifdef FAST
    expect("tanhf is __tanhf", i, std::memcmp(&o[5], &o[6], 4), 0);
    expect("expf is __expf", i, std::memcmp(&o[0], &o[1], 4), 0);
    expect("exp10f is __exp10f", i, std::memcmp(&o[2], &o[3], 4), 0);
#endif
  }
  return finish();
}
