// REQUIRES: opencl
// RUN: %opencl %s -o %t && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of mathematics within OpenCL's bounds (OpenCL C, "Relative Error as ULPs"), as scalars and in vectors.
#include "opencl_test.h"

#include <cmath>

struct Function {
  const char *name;
  double (*right)(double);
  double ulps; ///< of floats, full profile
  double low, high;
};
static const Function Functions[] = {
    {"acos", std::acos, 4, -1, 1},        {"asinh", std::asinh, 4, -50, 50}, {"atan", std::atan, 5, -50, 50},
    {"cbrt", std::cbrt, 2, -50, 50},      {"cos", std::cos, 4, -50, 50},     {"cosh", std::cosh, 4, -20, 20},
    {"erf", std::erf, 16, -3, 3},         {"exp", std::exp, 3, -50, 50},     {"exp2", std::exp2, 3, -50, 50},
    {"expm1", std::expm1, 3, -20, 20},    {"log", std::log, 3, 0.01, 500},   {"log10", std::log10, 3, 0.01, 500},
    {"log1p", std::log1p, 2, -0.9, 500},  {"sin", std::sin, 4, -50, 50},     {"sinh", std::sinh, 4, -20, 20},
    {"tan", std::tan, 5, -50, 50},        {"tanh", std::tanh, 5, -5, 5},     {"tgamma", std::tgamma, 16, 0.5, 20},
    {"rsqrt", [](double x) { return 1 / std::sqrt(x); }, 2, 0.01, 500},
    {"asinpi", [](double x) { return std::asin(x) / M_PI; }, 5, -1, 1},
    {"atanpi", [](double x) { return std::atan(x) / M_PI; }, 5, -50, 50},
    {"tanpi", [](double x) { return std::tan(M_PI * x); }, 6, -0.45, 0.45},
};

template <typename T> static double error(T got, double right) {
  const double unit = std::nextafter(static_cast<T>(std::fabs(right)), static_cast<T>(1e30)) - static_cast<T>(std::fabs(right));
  return std::fabs(got - right) / unit;
}

int main() {
  Machine m;
  std::string source;
  for (const Function &f : Functions)
    source += std::string("kernel void ") + f.name + "_of(global float *a, global float3 *b, global double *c) {\n"
              "  int i = get_global_id(0);\n  b[i] = " + f.name + "((float3)(a[i], a[i], 1.0f));\n  c[i] = " + f.name +
              "((double)a[i]);\n  a[i] = " + f.name + "(a[i]);\n}\n";
  cl_program program = m.build(source.c_str());
  constexpr int N = 512;
  for (const Function &f : Functions) {
    std::vector<float> x(N);
    for (int i = 0; i < N; ++i)
      x[i] = static_cast<float>(f.low + (f.high - f.low) * (i + 0.3) / N);
    cl_mem a = m.buffer(x), b = m.buffer(std::vector<float>(4 * N)), c = m.buffer(std::vector<double>(N));
    cl_kernel kernel = m.kernel(program, (std::string(f.name) + "_of").c_str());
    setArguments(kernel, a, b, c);
    m.run(kernel, {N});
    std::vector<float> scalar = m.read<float>(a), vectors = m.read<float>(b);
    std::vector<double> wide = m.read<double>(c);
    for (int i = 0; i < N; ++i) {
      const double right = f.right(x[i]);
      if (error(scalar[i], right) > f.ulps || std::fabs(wide[i] - right) > 1e-14 * (1 + std::fabs(right)))
        std::printf("%s(%g) = %.9g, %.17g instead of %.17g\n", f.name, x[i], scalar[i], wide[i], right);
      CHECK(error(scalar[i], right) <= f.ulps);
      CHECK(std::fabs(wide[i] - right) <= 1e-14 * (1 + std::fabs(right)));
      CHECK(vectors[4 * i] == scalar[i] && vectors[4 * i + 1] == scalar[i]);
    }
  }

  cl_kernel scale = m.kernel(m.build("kernel void scale(global float *a, global double *b) {\n"
                                     "  a[0] = ldexp(a[0], 1031696211); a[1] = ldexp((float2)(a[1]), 1).y;\n"
                                     "  b[0] = ldexp(b[0], -1893213283);\n}\n"),
                             "scale");
  cl_mem small = m.buffer(std::vector<float>{0x1p-127f, 0x1.8p-127f}), none = m.buffer(std::vector<double>{NAN});
  setArguments(scale, small, none);
  m.run(scale, {1});
  CHECK(m.read<float>(small) == (std::vector<float>{HUGE_VALF, 0x1.8p-126f}) && std::isnan(m.read<double>(none)[0]));

  // The gamma function near the smallest numbers.
  cl_kernel gamma = m.kernel(m.build("kernel void gamma(global float *a, global double *b) {\n"
                                     "  int i = get_global_id(0);\n  a[i] = tgamma(a[i]);\n  b[i] = tgamma(b[i]);\n}\n"),
                             "gamma");
  const std::vector<float> low = {-0x1.17f4p+5f, -0x1.1fffe8p+5f, -34.5f, -40.25f};
  const std::vector<double> lower = {-0x1.58000000002p+7, -168.0001, -175.5, -182.25};
  cl_mem lows = m.buffer(low), lowers = m.buffer(lower);
  setArguments(gamma, lows, lowers);
  m.run(gamma, {4});
  for (int i = 0; i < 4; ++i) {
    CHECK(error(m.read<float>(lows)[i], std::tgamma(static_cast<double>(low[i]))) <= 16);
    CHECK(error(m.read<double>(lowers)[i], std::tgamma(lower[i])) <= 16);
  }

  // Where exp(x) is infinite and half of it is or is not.
  cl_kernel ends = m.kernel(m.build("kernel void ends(global double *a) {\n"
                                    "  int i = get_global_id(0);\n  a[i] = i % 2 ? cosh(-a[i]) : sinh(a[i]);\n}\n"),
                            "ends");
  cl_mem large = m.buffer(std::vector<double>{710, 710, 710.4, 710.4, 710.6, 710.6, 712, 712, 719, 719, 721, 721});
  setArguments(ends, large);
  m.run(ends, {12});
  const std::vector<double> got = m.read<double>(large);
  for (int i = 0; i < 12; ++i)
    CHECK(i < 4 ? std::fabs(got[i] / std::cosh(i < 2 ? 710 : 710.4) - 1) < 1e-14 : got[i] == HUGE_VAL);

  // powr: no number where exp2(y * log2(x)) is none; powers that no logarithm's product has room for.
  cl_kernel powers = m.kernel(m.build("kernel void powers(global double *a, global double *b, global float *c) {\n"
                                      "  int i = get_global_id(0);\n  c[i] = powr((float)a[i], (float)b[i]);\n  a[i] = powr(a[i], b[i]);\n}\n"),
                              "powers");
  const std::vector<double> bases = {-1, -0.0, 0, 0, HUGE_VAL, 1, 2, 0x1p577, 0x1p577, 4, NAN, 0x1.fffffffffffffp1023, -0.0, HUGE_VAL, 3, 1};
  const std::vector<double> exponents = {2, 0, -1, 3, 0, HUGE_VAL, NAN, -0x1p764, 0x1p764, 0.5, 0, 1, -3, -1, 0, 0x1p900};
  const std::vector<double> wanted = {NAN, NAN, HUGE_VAL, 0, NAN, NAN, NAN, 0, HUGE_VAL, 2, NAN, bases[11], HUGE_VAL, 0, 1, 1};
  cl_mem base = m.buffer(bases), exponent = m.buffer(exponents), floats = m.buffer(std::vector<float>(16));
  setArguments(powers, base, exponent, floats);
  m.run(powers, {16});
  const std::vector<double> power = m.read<double>(base);
  const std::vector<float> powerf = m.read<float>(floats);
  for (int i = 0; i < 16; ++i) {
    CHECK(std::isnan(wanted[i]) ? std::isnan(power[i]) : power[i] == wanted[i]);
    if (i != 15) // a float's exponent is infinite
      CHECK(std::isnan(wanted[i]) ? std::isnan(powerf[i]) : powerf[i] == static_cast<float>(wanted[i]));
  }
}
