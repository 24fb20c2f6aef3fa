// RUN: %nvcc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point instructions of inline PTX: against the host's arithmetic in all rounding modes, and approximations
// against their bounds in the PTX ISA.
#include "ptx.h"

#include <cfenv>

using u32 = uint32_t;
using u64 = uint64_t;

template <class To, class From> __host__ __device__ To bitsOf(From from) {
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

/// Random bits, with many numbers of a middling size and all kinds of special ones.
static float randomFloat(Random &random) {
  static const u32 special[] = {0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x800000, 0x7f7fffff, 0x7f800000, 0xff800000,
                                0x7fc00000, 0x3f800000, 0xbf800000, 0x3f000000, 0x40490fdb};
  switch (random.below(5)) {
  case 0:
    return bitsOf<float>(special[random.below(14)]);
  case 1:
    return bitsOf<float>(random.bits());
  case 2:
    return bitsOf<float>(random.bits() & 0x81ffffff); // near the denormal numbers
  default:
    return float(random.between(-8, 8));
  }
}
static double randomDouble(Random &random) {
  return random.below(4) ? random.between(-8, 8)
                         : bitsOf<double>(random.below(2) ? random.next() : u64(random.bits()) << 32);
}

struct Floats {
  float a, b, c;
};
struct Doubles {
  double a, b, c;
};

template <class In> std::vector<In> inputsOf();
template <> std::vector<Floats> inputsOf() {
  Random random(1);
  std::vector<Floats> inputs(600);
  for (Floats &f : inputs)
    f = {randomFloat(random), randomFloat(random), randomFloat(random)};
  return inputs;
}
template <> std::vector<Doubles> inputsOf() {
  Random random(2);
  std::vector<Doubles> inputs(400);
  for (Doubles &d : inputs)
    d = {randomDouble(random), randomDouble(random), randomDouble(random)};
  return inputs;
}

/// The host computes with the rounding that `mode` says; volatile keeps the compiler from doing it before.
template <class T>
T rounded(int mode, T (*function)(volatile T, volatile T, volatile T), T a, T b, T c) {
  fesetround(mode);
  T r = function(a, b, c);
  fesetround(FE_TONEAREST);
  return r;
}

/// One instruction on floats or doubles, whose result the host computes in `mode`.
#define FLOATS(T, In, constraint, name, text, mode, expression)                                    \
  TEST_NAMESPACE {                                                                                 \
    struct Body {                                                                                  \
      __host__ __device__ T operator()(const In &v) const {                                        \
        T r = 0;                                                                                   \
        (void)v;                                                                                   \
        EITHER(asm(text : "=" constraint(r) : constraint(v.a), constraint(v.b), constraint(v.c)), ); \
        return r;                                                                                  \
      }                                                                                            \
    };                                                                                             \
    static T host(volatile T a, volatile T b, volatile T c) {                                      \
      (void)a, (void)b, (void)c;                                                                   \
      volatile T r = expression;                                                                   \
      return r;                                                                                    \
    }                                                                                              \
    static const Tests added([] {                                                                  \
      std::vector<In> inputs = inputsOf<In>();                                                     \
      std::vector<T> want;                                                                         \
      for (const In &v : inputs)                                                                   \
        want.push_back(rounded<T>(mode, host, v.a, v.b, v.c));                                     \
      mapExpect<Body, In, T>(name, inputs, want, OneShape);                            \
    });                                                                                            \
  }
#define F32(text, mode, expression) FLOATS(float, Floats, "f", text, text, mode, expression)
#define F64(text, mode, expression) FLOATS(double, Doubles, "d", text, text, mode, expression)
#define ALL_MODES(F, before, after, expression)                                                    \
  F(before ".rn" after, FE_TONEAREST, expression)                                                  \
  F(before ".rz" after, FE_TOWARDZERO, expression)                                                 \
  F(before ".rm" after, FE_DOWNWARD, expression)                                                   \
  F(before ".rp" after, FE_UPWARD, expression)

static float flush(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }
static float saturate(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }
static float least(float a, float b) {
  return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
}
static float most(float a, float b) { return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b); }

ALL_MODES(F32, "add", ".f32 %0, %1, %2;", a + b)
ALL_MODES(F32, "sub", ".f32 %0, %1, %2;", a - b)
ALL_MODES(F32, "mul", ".f32 %0, %1, %2;", a * b)
ALL_MODES(F32, "div", ".f32 %0, %1, %2;", a / b)
ALL_MODES(F32, "fma", ".f32 %0, %1, %2, %3;", std::fma(a, b, c))
ALL_MODES(F32, "mad", ".f32 %0, %1, %2, %3;", std::fma(a, b, c))
ALL_MODES(F32, "sqrt", ".f32 %0, %1;", std::sqrt(a))
ALL_MODES(F32, "rcp", ".f32 %0, %1;", 1.0f / a)
F32("add.f32 %0, %1, %2;", FE_TONEAREST, a + b)
F32("mul.sat.f32 %0, %1, %2;", FE_TONEAREST, saturate(a * b))
F32("add.rn.ftz.f32 %0, %1, %2;", FE_TONEAREST, flush(flush(a) + flush(b)))
F32("mul.rn.ftz.f32 %0, %1, %2;", FE_TONEAREST, flush(flush(a) * flush(b)))
F32("fma.rn.ftz.sat.f32 %0, %1, %2, %3;", FE_TONEAREST,
    saturate(flush(std::fma(flush(a), flush(b), flush(c)))))
F32("div.full.f32 %0, %1, 0f40800000;", FE_TONEAREST, a / 4)
F32("abs.f32 %0, %1;", FE_TONEAREST, std::fabs(a))
F32("neg.f32 %0, %1;", FE_TONEAREST, -a)
F32("min.f32 %0, %1, %2;", FE_TONEAREST, least(a, b))
F32("max.f32 %0, %1, %2;", FE_TONEAREST, most(a, b))
F32("min.NaN.f32 %0, %1, %2;", FE_TONEAREST, a != a || b != b ? NAN : least(a, b))
F32("max.NaN.f32 %0, %1, %2;", FE_TONEAREST, a != a || b != b ? NAN : most(a, b))
F32("max.xorsign.abs.f32 %0, %1, %2;", FE_TONEAREST,
    std::copysign(most(std::fabs(a), std::fabs(b)), std::signbit(a) != std::signbit(b) ? -1.0f : 1.0f))
F32("copysign.f32 %0, %1, %2;", FE_TONEAREST, std::copysign(b, a))
F32("{ .reg .f32 t; mov.f32 t, 1.5; add.rn.f32 %0, %1, t; }", FE_TONEAREST, a + 1.5f)
#define TESTP(test, expression)                                                                    \
F32("{ .reg .pred p; testp." test ".f32 p, %1; selp.f32 %0, 0f3f800000, 0f00000000, p; }",       \
    FE_TONEAREST, (expression) ? 1 : 0)
TESTP("finite", std::isfinite(float(a)))
TESTP("infinite", std::isinf(float(a)))
TESTP("number", !std::isnan(float(a)))
TESTP("notanumber", std::isnan(float(a)))
TESTP("normal", std::isnormal(float(a)) || float(a) == 0)
TESTP("subnormal", std::fpclassify(float(a)) == FP_SUBNORMAL)

ALL_MODES(F64, "add", ".f64 %0, %1, %2;", a + b)
ALL_MODES(F64, "mul", ".f64 %0, %1, %2;", a * b)
ALL_MODES(F64, "div", ".f64 %0, %1, %2;", a / b)
ALL_MODES(F64, "fma", ".f64 %0, %1, %2, %3;", std::fma(a, b, c))
ALL_MODES(F64, "sqrt", ".f64 %0, %1;", std::sqrt(a))
F64("sub.f64 %0, %1, %2;", FE_TONEAREST, a - b)
F64("min.f64 %0, %1, %2;", FE_TONEAREST, std::fmin(a, b))
F64("neg.f64 %0, %1;", FE_TONEAREST, -a)
F64("copysign.f64 %0, %1, %2;", FE_TONEAREST, std::copysign(b, a))

/// An approximation, whose error must stay below `relative` of the result or `absolute`.
template <class Body>
void near(const char *name, double low, double high, double (*exact)(double), double relative,
          double absolute) {
  Random random(3);
  std::vector<float> inputs(1000);
  for (float &x : inputs)
    x = float(random.between(low, high));
  Buffer<float> in(inputs), out(inputs.size());
  mapKernel<Body><<<11, 96>>>(in.data, out.data, unsigned(inputs.size()));
  checkLaunch();
  std::vector<float> got = out.get();
  for (size_t i = 0; i < got.size(); ++i) {
    double want = exact(inputs[i]), bound = std::fmax(std::fabs(want) * relative, absolute);
    if (got[i] != want && !(std::fabs(got[i] - want) <= bound))
      report(name, (long long)i, show(got[i]), show(want));
  }
}

#define NEAR(name, text, low, high, exact, relative, absolute)                                     \
  TEST_NAMESPACE {                                                                                 \
    struct Body {                                                                                  \
      __host__ __device__ float operator()(float x) const {                                        \
        float r = 0;                                                                               \
        (void)x;                                                                                   \
        EITHER(asm(text : "=f"(r) : "f"(x)), );                                                    \
        return r;                                                                                  \
      }                                                                                            \
    };                                                                                             \
    static double host(double x) { return exact; }                                                 \
    static const Tests added([] { near<Body>(name, low, high, host, relative, absolute); });       \
  }
// PTX ISA: "Floating-Point Instructions", the bounds of each approximation.
NEAR("sin", "sin.approx.f32 %0, %1;", -3.14, 3.14, std::sin(x), 0, 0.7e-6)
NEAR("cos", "cos.approx.f32 %0, %1;", -3.14, 3.14, std::cos(x), 0, 0.7e-6)
NEAR("lg2", "lg2.approx.f32 %0, %1;", 2, 1e6, std::log2(x), 0x1p-22, 0)
NEAR("lg2 near 1", "lg2.approx.f32 %0, %1;", 0.5, 2, std::log2(x), 0, 0x1p-22)
NEAR("ex2", "ex2.approx.f32 %0, %1;", -60, 60, std::exp2(x), 0x1p-22, 0)
NEAR("tanh", "tanh.approx.f32 %0, %1;", -6, 6, std::tanh(x), 0x1p-11, 0)
NEAR("rsqrt", "rsqrt.approx.f32 %0, %1;", 0.001, 1000, 1 / std::sqrt(x), 1.9e-7, 0)
NEAR("rsqrt of zero", "rsqrt.approx.f32 %0, %1;", 0, 0, 1 / std::sqrt(x), 0, 0)
NEAR("rcp", "rcp.approx.ftz.f32 %0, %1;", 0.001, 1000, 1 / x, 0x1p-23, 0)
NEAR("sqrt", "sqrt.approx.f32 %0, %1;", 0.001, 1000, std::sqrt(x), 0x1p-23, 0)
NEAR("div", "div.approx.f32 %0, 0f40490fdb, %1;", 0.001, 1000, 3.14159274101257324 / x, 0x1p-22, 0)

int main() {
  runTests();
  return finish();
}
