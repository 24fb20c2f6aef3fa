// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: Nickolls & Kirk, appendix B, section B.6, "Specialized Arithmetic" and figure B.6.1
// (accuracy of the special function approximations); lecture 2, "Device Runtime Component:
// Mathematical Functions" (fast forms).
//
// Each function is evaluated on an interval and compared with double precision. The bounds are
// those that the CUDA C++ Programming Guide documents ("Mathematical Functions Appendix"), in units
// in the last place or as an absolute error. The errors that this device shows are printed as
// notes.
#include "common.h"

#include <algorithm>

enum Function {
  Reciprocal,
  ReciprocalRoot,
  PowerOfTwo,
  Log2,
  Sine,
  Cosine,
  FastSine,
  FastCosine,
  FastLog2,
  FastExp,
  FastDivide
};

__device__ float evaluate(Function function, float x) {
  switch (function) {
  case Reciprocal:
    return 1.0f / x;
  case ReciprocalRoot:
    return rsqrtf(x);
  case PowerOfTwo:
    return exp2f(x);
  case Log2:
    return log2f(x);
  case Sine:
    return sinf(x);
  case Cosine:
    return cosf(x);
  case FastSine:
    return __sinf(x);
  case FastCosine:
    return __cosf(x);
  case FastLog2:
    return __log2f(x);
  case FastExp:
    return __expf(x);
  default:
    return __fdividef(2.0f, x);
  }
}

static double exact(Function function, double x) {
  switch (function) {
  case Reciprocal:
    return 1 / x;
  case ReciprocalRoot:
    return 1 / std::sqrt(x);
  case PowerOfTwo:
    return std::exp2(x);
  case Log2:
  case FastLog2:
    return std::log2(x);
  case Sine:
  case FastSine:
    return std::sin(x);
  case Cosine:
  case FastCosine:
    return std::cos(x);
  case FastExp:
    return std::exp(x);
  default:
    return 2 / x;
  }
}

__global__ void evaluateAll(Function function, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = evaluate(function, x[i]);
}

/// |got - want| in units in the last place of a float of want's size.
static double ulps(float got, double want) {
  int exponent = 0;
  std::frexp(want, &exponent);
  return std::fabs(got - want) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

static void run(const char *name, Function function, double low, double high, double bound,
                bool absolute) {
  const int n = 20001;
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i)
    x[i] = float(low + (high - low) * i / (n - 1));
  float *dx = toDevice(x), *dy = zerosOnDevice<float>(n);
  evaluateAll<<<(n + 127) / 128, 128>>>(function, dx, dy, n);
  std::vector<float> y = toHost(dy, n);
  CUDA_CHECK(cudaFree(dx));
  CUDA_CHECK(cudaFree(dy));
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    double want = exact(function, x[i]);
    double error = absolute ? std::fabs(y[i] - want) : ulps(y[i], want);
    worst = std::isnan(error) ? INFINITY : std::max(worst, error);
  }
  check(worst <= bound, "%s on [%g, %g] within %g%s", name, low, high, bound,
        absolute ? "" : " ulp");
  std::printf("note: %s is off by at most %.3g%s\n", name, worst, absolute ? "" : " ulp");
}

int main() {
  const double pi = 3.14159265358979;
  run("1 / x", Reciprocal, 1, 2, 0.5, false);
  run("rsqrtf", ReciprocalRoot, 1, 4, 2, false);
  run("exp2f", PowerOfTwo, 0, 1, 2, false);
  run("log2f", Log2, 1, 2, 1, false);
  run("sinf", Sine, 0, pi / 2, 2, false);
  run("cosf", Cosine, 0, pi / 2, 2, false);
  run("__sinf", FastSine, -pi, pi, std::exp2(-21.19), true);
  run("__cosf", FastCosine, -pi, pi, std::exp2(-21.19), true);
  run("__log2f", FastLog2, 0.5, 2, std::exp2(-22), true);
  run("__expf", FastExp, -1, 1, 2 + 1, false);
  run("__fdividef", FastDivide, 1, 1000, 2, false);
  return exitCode();
}
