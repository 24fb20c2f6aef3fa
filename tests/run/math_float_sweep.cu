// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %cpu(x86-64-v3) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Single precision functions over all of their range: every 40009th bit pattern, denormals, infinities and NaNs
// among them, and all patterns around a few places, against the host's double functions, within the bounds of the
// CUDA C++ programming guide's table; of two arguments, pairs. The same on a value that is uniform over the warp.
#include "support.h"

static double ulps(float got, double exact) {
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) && std::isnan(got) ? 0 : INFINITY;
  if (double(got) == exact)
    return std::signbit(got) == std::signbit(exact) ? 0 : INFINITY;
  if (std::isinf(got))
    return std::fabs(exact) >= 0x1.fffffep127 && (got > 0) == (exact > 0) ? 0 : INFINITY;
  int exponent;
  std::frexp(exact, &exponent);
  return std::fabs(got - exact) * std::ldexp(1.0, -std::max(exponent - 24, -149));
}

static std::vector<float> inputs() {
  std::vector<float> all;
  auto add = [&](uint32_t bits) {
    float x;
    std::memcpy(&x, &bits, 4);
    all.push_back(x);
  };
  for (uint64_t bits = 0; bits < 1ull << 32; bits += 40009)
    add(uint32_t(bits));
  for (float at : {0.0f, 1.0f, 0.75f, 1.5f, 0.70710678f, 0x1p-126f, INFINITY, 88.722839f, 87.336545f, 103.97208f,
                   128.0f, 149.0f, 38.53184f, 44.853519f, 0.34657359f, 3.14159274f, 0.785398185f, 105615.0f, 0x1p24f, 17.32868f,
                   0.405465126f, 0.287682086f, 0.173286796f, 9.01091385f, 0x1p30f, 1.70141173e38f, 8.7765f, 3.9192059f, 89.415985f, 0.0615811f})
    for (uint32_t sign : {0u, 0x80000000u})
      for (int step = -40; step <= 40; step++) {
        uint32_t bits;
        std::memcpy(&bits, &at, 4);
        add((bits + step) ^ sign);
      }
  return all;
}

template <class Body> __global__ void each(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = Body()(in[i]);
}
/// One element a block.
template <class Body> __global__ void uniform(const float *in, float *out) {
  float value = Body()(in[blockIdx.x]);
  if (threadIdx.x == 0)
    out[blockIdx.x] = value;
}

template <class Body> void sweep(const char *name, double bound, double (*exact)(double)) {
  std::vector<float> x = inputs();
  Buffer<float> in(x), out(x.size()), few(2000);
  each<Body><<<unsigned(x.size() + 95) / 96, 96>>>(in, out, int(x.size()));
  uniform<Body><<<2000, 32>>>(in + 100000, few);
  checkLaunch();
  std::vector<float> got = out.get(), scalar = few.get();
  for (size_t i = 0; i < x.size(); i++)
    if (!(ulps(got[i], exact(x[i])) <= bound))
      report(std::string(name) + "(" + show(x[i]) + ")", (long long)i, show(got[i]), show(exact(x[i])));
  for (size_t i = 0; i < scalar.size(); i++)
    expect(std::string(name) + " of a uniform value", (long long)i, scalar[i], got[i + 100000]);
}

template <class Body> __global__ void eachPair(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = Body()(x[i], y[i]);
}

/// All pairs of special values, random ones of whose powers most are finite, and pairs of one size.
static void pairs(std::vector<float> &x, std::vector<float> &y) {
  std::vector<float> special = {0,   1,         2,         3,    0.5f,    1.5f,    10,         0x1p-149f,   0x1p-126f,      3.4e38f,       INFINITY,
                                NAN, 0x1p-140f, 0x1p-31f, 150, 0x1p23f, 0x1p24f, 8388609.f, 16777217.f, 0x1.fffffep-1f, 0x1.000002p0f, 0x1p31f};
  for (size_t i = 0, n = special.size(); i < n; i++)
    special.push_back(-special[i]);
  for (float a : special)
    for (float b : special)
      x.push_back(a), y.push_back(b);
  Random random(31);
  while (x.size() < 200001) {
    float a = x.size() % 3 ? float(random.between(0.5, 2)) : float(std::exp2(random.between(-149, 128)));
    double limit = 140 / std::fmax(std::fabs(std::log2(double(a))), 1e-6);
    float b = float(random.between(-limit, limit));
    bool isWhole = x.size() % 5 == 0;
    x.push_back(isWhole ? -a : a), y.push_back(isWhole ? std::rint(b) : b);
    x.push_back(float(random.between(-1, 1))), y.push_back(float(random.between(-1, 1)));
  }
}

template <class Body> void sweepPairs(const char *name, double bound, double (*exact)(double, double)) {
  std::vector<float> x, y;
  pairs(x, y);
  Buffer<float> first(x), second(y), out(x.size());
  eachPair<Body><<<unsigned(x.size() + 95) / 96, 96>>>(first, second, out, int(x.size()));
  checkLaunch();
  std::vector<float> got = out.get();
  for (size_t i = 0; i < x.size(); i++)
    if (double right = exact(x[i], y[i]); !(ulps(got[i], right) <= bound))
      report(std::string(name) + "(" + show(x[i]) + ", " + show(y[i]) + ")", (long long)i, show(got[i]), show(right));
}

#define SWEEP_PAIRS(function, bound, reference)                                                                        \
  {                                                                                                                    \
    struct Body {                                                                                                      \
      __device__ float operator()(float x, float y) { return function(x, y); }                                         \
    };                                                                                                                 \
    sweepPairs<Body>(#function, bound, [](double x, double y) -> double { return reference; });                        \
  }

#define SWEEP(function, bound, reference)                                                                              \
  {                                                                                                                    \
    struct Body {                                                                                                      \
      __device__ float operator()(float x) { return function(x); }                                                     \
    };                                                                                                                 \
    sweep<Body>(#function, bound, [](double x) -> double { return reference; });                                       \
  }

int main() {
  SWEEP(expf, 2, std::exp(x))
  SWEEP(exp2f, 2, std::exp2(x))
  SWEEP(exp10f, 2, std::pow(10.0, x))
  SWEEP(logf, 1, std::log(x))
  SWEEP(log2f, 1, std::log2(x))
  SWEEP(log10f, 2, std::log10(x))
  SWEEP(rsqrtf, 2, 1 / std::sqrt(x))
  SWEEP(log1pf, 1, std::log1p(x))
  SWEEP(expm1f, 1, std::expm1(x))
  SWEEP(tanhf, 2, std::tanh(x))
  SWEEP(sinhf, 3, std::sinh(x))
  SWEEP(coshf, 2, std::cosh(x))
  SWEEP(erff, 2, std::erf(x))
  SWEEP(atanf, 2, std::atan(x))
  SWEEP(asinf, 4, std::asin(x))
  SWEEP(acosf, 3, std::acos(x))
  SWEEP(asinhf, 3, std::asinh(x))
  SWEEP(acoshf, 4, std::acosh(x))
  SWEEP(atanhf, 3, std::atanh(x))
  SWEEP(cbrtf, 1, std::cbrt(x))
  SWEEP_PAIRS(powf, 4, std::pow(x, y))
  SWEEP_PAIRS(atan2f, 3, std::atan2(x, y))
  return finish();
}
