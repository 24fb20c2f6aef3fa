// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %if avx512 %{ env HEDDLE_CPU=x86-64-v3 %t %}
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mathematical functions with several results or integer arguments, and the fast __ forms within their bounds.
#include "support.h"

__global__ void several(const float *x, float *out, int n) {
  int i = threadInGrid();
  if (i >= n)
    return;
  float *o = out + i * 16, s, c, whole;
  int e, quotient;
  sincosf(x[i], &s, &c);
  o[0] = s - sinf(x[i]), o[1] = c - cosf(x[i]);
  o[2] = frexpf(x[i], &e), o[3] = float(e);
  o[4] = modff(x[i], &whole), o[5] = whole;
  o[6] = ldexpf(x[i], i % 9 - 4), o[7] = scalbnf(x[i], -3);
  o[8] = remquof(x[i], 3.0f, &quotient), o[9] = float(quotient & 7);
  o[10] = float(ilogbf(x[i])), o[11] = nextafterf(x[i], 100.0f);
  o[12] = float(lrintf(x[i]) + llroundf(x[i])), o[13] = norm3df(x[i], 2, 3);
  o[14] = fmaf(x[i], 3, 4), o[15] = float(signbit(x[i]) + 2 * isfinite(x[i]));
}

__global__ void fast(const float *x, float *out, int n) {
  int i = threadInGrid();
  if (i >= n)
    return;
  float *o = out + i * 10, v = x[i], p = fabsf(v) + 0.5f;
  o[0] = __sinf(v), o[1] = __cosf(v), o[2] = __tanf(v * 0.4f), o[3] = __expf(v), o[4] = __logf(p + 1);
  o[5] = __log2f(p + 1), o[6] = __powf(p, 2.5f), o[7] = __fdividef(v, p), o[8] = __exp10f(v * 0.5f); o[9] = __tanhf(v);
}

struct Saturate {
  __device__ float operator()(float x) const { return __saturatef(x) + fminf(fmaxf(x, -2.0f), 2.0f); }
};
struct Reciprocal {
  __device__ float operator()(float x) const { return __frcp_rn(x) + __frsqrt_rn(fabsf(x)) * 0; }
};
// min, max and abs overloads as C++ finds them.
struct Overloads {
  __device__ double operator()(int x) const {
    return min(x, 5) + max(x, -5) + abs(x) + double(min(3u, unsigned(x & 7))) + double(max(2ll, (long long)(x))) + fabs(x * 0.5f) +
           floor(x * 0.25f) + sqrt(float(x & 15)) * 0 + pow(2.0f, 3.0f) + min(1.5f, float(x)) + max(0.5, double(x));
  }
};

int main() {
  Random random(70);
  const int n = 300;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; i++) {
    x[i] = float(random.between(-50, 50)), y[i] = float(random.between(-3, 3));
    if (i % 5 == 0)
      x[i] = float(random.below(200) - 100) / 2;
  }
  Buffer<float> deviceX(x), deviceY(y), out(n * 16);
  several<<<4, 96>>>(deviceX, out, n);
  checkLaunch();
  auto got = out.get();
  for (int i = 0; i < n; i++) {
    float whole;
    int e, quotient;
    float f = std::frexp(x[i], &e), m = std::modf(x[i], &whole), r = std::remquo(x[i], 3.0f, &quotient);
    float norm = std::sqrt(x[i] * x[i] + 13);
    float want[16] = {0, 0, f, float(e), m, whole, std::ldexp(x[i], i % 9 - 4), std::scalbn(x[i], -3), r,
                      float(quotient & 7), float(std::ilogb(x[i])), std::nextafter(x[i], 100.0f),
                      float(std::lrint(x[i]) + std::llround(x[i])), norm, std::fma(x[i], 3.0f, 4.0f),
                      float(std::signbit(x[i]) + 2)};
    if (x[i] == 0)
      want[10] = float(INT32_MIN); // FP_ILOGB0 of the device
    for (int k = 0; k < 16; k++) {
      float v = got[i * 16 + k];
      if (k == 13 && std::fabs(v - want[k]) < 4e-7f * want[k])
        continue;
      expect("several " + std::to_string(k), i, v, want[k]);
    }
  }

  fast<<<4, 96>>>(deviceY, out, n);
  checkLaunch();
  got = out.get();
  for (int i = 0; i < n; i++) {
    double v = y[i], p = double(std::fabs(y[i]) + 0.5f);
    double want[10] = {std::sin(v), std::cos(v), std::tan(double(y[i] * 0.4f)), std::exp(v), std::log(double(float(p) + 1)),
                      std::log2(double(float(p) + 1)), std::pow(p, 2.5), v / p, std::pow(10.0, double(y[i] * 0.5f)),
                       std::tanh(v)};
    for (int k = 0; k < 10; k++)
      if (!(std::fabs(got[i * 10 + k] - want[k]) <= (k == 9 ? 1e-3 : 4e-6) * std::fmax(1, std::fabs(want[k]))))
        report("fast " + std::to_string(k), i, show(got[i * 10 + k]), show(want[k]));
  }

  std::vector<float> special = {0.0f, -0.0f, 0.5f, 1.5f, -1.0f, INFINITY, -INFINITY, NAN, 3.0f}, wantSaturate, wantReciprocal;
  for (float v : special) {
    float s = v > 0 ? std::fmin(v, 1.0f) : 0.0f, c = std::isnan(v) ? -2 : std::fmin(std::fmax(v, -2.0f), 2.0f);
    wantSaturate.push_back(s + c);
  }
  mapExpect<Saturate>("saturate", special, wantSaturate, {dim3(32)});
  std::vector<float> nonZero;
  for (int i = 0; i < n; i++) {
    nonZero.push_back(y[i] == 0 ? 1 : y[i]);
    wantReciprocal.push_back(1 / nonZero[i]);
  }
  mapExpect<Reciprocal>("reciprocal", nonZero, wantReciprocal, {dim3(96)});
  std::vector<int> ints;
  std::vector<double> wantOverloads;
  for (int i = -40; i < 40; i++) {
    ints.push_back(i);
    wantOverloads.push_back(std::min(i, 5) + std::max(i, -5) + std::abs(i) + double(std::min(3u, unsigned(i & 7))) +
                            double(std::max(2, i)) + std::fabs(i * 0.5) + std::floor(i * 0.25) + 8 +
                            std::min(1.5, double(i)) + std::max(0.5, double(i)));
  }
  mapExpect<Overloads>("overloads", ints, wantOverloads, {dim3(96)});
  return finish();
}
