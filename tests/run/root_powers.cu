// RUN: %heddle cc -ffast-math %s -o %t.fast
// RUN: %widths %t.fast
// RUN: %all env HEDDLE_DISABLE=root-powers %t.fast
// RUN: %cpu(x86-64-v3) %t.fast
// RUN: %cpu(x86-64-v3) %at(1) %t.fast
// RUN: %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Powers of reciprocal roots beside other factors, as forces have them, against double precision: products in any order
// and one step of Newton's for all of a power must not be less exact than roots of full precision.
#include "support.h"

constexpr int Count = 4099; // the last warp is not whole

template <int Power> __device__ static float powerOf(float root) {
  float all = root;
  for (int i = 1; i < Power; ++i)
    all *= root;
  return all;
}

template <int Power> __global__ static void weighed(const float *x, const float *weights, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < Count)
    out[i] = weights[i % 7] * powerOf<Power>(rsqrtf(x[i])) * (1 + x[i]);
}

/// The root is also wanted itself: two powers of two roots in one product.
__global__ static void twoRoots(const float *x, const float *weights, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= Count)
    return;
  float first = rsqrtf(x[i]), second = rsqrtf(1 + x[i]);
  out[i] = first * second * first * weights[i % 7] * second * second;
}

static void check(const char *what, void (*kernel)(const float *, const float *, float *), const std::vector<float> &x,
                  const std::vector<float> &weights, double (*want)(double x, double weight)) {
  Buffer<float> in(x), factors(weights), out(Count);
  kernel<<<(Count + 127) / 128, 128>>>(in, factors, out);
  checkLaunch();
  std::vector<float> got = out.get();
  for (int i = 0; i < Count; ++i) {
    double exact = want(x[i], weights[i % 7]), error = (got[i] - exact) / exact;
    if (!(std::fabs(error) < 16 * 0x1p-24)) // CUDA allows each root 2 ulp: 20 of these for the fifth power
      report(what, i, show(got[i]), show(exact));
  }
}

int main() {
  Random random(3);
  std::vector<float> x(Count), weights(7);
  for (float &one : x)
    one = float(std::ldexp(random.between(1, 2), random.below(16) - 8));
  for (float &one : weights)
    one = float(random.between(0.5, 2));
  check("first", weighed<1>, x, weights, [](double a, double w) { return w * (1 + a) / std::sqrt(a); });
  check("second", weighed<2>, x, weights, [](double a, double w) { return w * (1 + a) / a; });
  check("third", weighed<3>, x, weights, [](double a, double w) { return w * (1 + a) / (a * std::sqrt(a)); });
  check("fourth", weighed<4>, x, weights, [](double a, double w) { return w * (1 + a) / (a * a); });
  check("fifth", weighed<5>, x, weights, [](double a, double w) { return w * (1 + a) / (a * a * std::sqrt(a)); });
  check("two roots", twoRoots, x, weights,
        [](double a, double w) { return w / (a * (1 + a) * std::sqrt(1 + a)); });
  return finish();
}
