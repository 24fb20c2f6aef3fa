// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// + - * / sqrt in float and double are IEEE's to the last bit, denormals and infinities and NaN included; so
// are the forms with a named rounding; comparisons, min, max, abs, copysign, conversions between the two.
#include "support.h"

template <class F> struct In {
  F a, b;
};

template <class F, int Op> struct Apply {
  __host__ __device__ F operator()(In<F> in) const {
    F a = in.a, b = in.b;
    switch (Op) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return a / b;
    case 4: return sqrt(a);
    case 5: return a < b ? a : b;
    case 6: return (a == b) + 2 * (a < b) + 4 * (a <= b) + 8 * (a != b) + 16 * (a > b) + 32 * !(a >= b);
    case 7: return F(fabs(a)) + F(copysign(F(1), b));
    case 8: return 1 / a;
    case 9: return sizeof(F) == 4 ? F(double(a) * 1.000000001) : F(float(a)) - F(float(b));
    case 10: return isnan(a) + 2 * isinf(b) + 4 * isfinite(a) + 8 * bool(signbit(b));
    case 11: return floor(a) + ceil(b);
    default: return trunc(a) + rint(b);
    }
  }
};

template <class F> std::vector<In<F>> inputs() {
  Random random(22);
  const double special[] = {0.0, -0.0, 1.0, -1.5, INFINITY, -INFINITY, NAN, double(std::numeric_limits<F>::min()),
                            double(std::numeric_limits<F>::denorm_min()), double(std::numeric_limits<F>::max())};
  std::vector<In<F>> in;
  for (double a : special)
    for (double b : special)
      in.push_back({F(a), F(b)});
  for (int i = 0; i < 500; i++) {
    // Everywhere in the range, results in the denormal range included.
    int range = sizeof(F) == 4 ? 126 : 1020;
    F a = F(std::ldexp(random.between(-1, 1), random.below(2 * range) - range));
    F b = F(std::ldexp(random.between(-1, 1), random.below(2 * range) - range));
    if (i % 3 == 0)
      b = F(random.between(-10, 10)), a = std::numeric_limits<F>::min() * F(random.between(-4, 4));
    if (i % 3 == 1)
      b = F(random.between(-10, 10)), a = F(random.between(-10, 10));
    in.push_back({a, b});
  }
  return in;
}

template <class F, int Op = 0> void check(const std::string &name) {
  mapOnDevice<Apply<F, Op>>(name + " operation " + std::to_string(Op), inputs<F>(), {dim3(100)});
  if constexpr (Op < 12)
    check<F, Op + 1>(name);
}

int main() {
  check<float>("float");
  check<double>("double");
  return finish();
}
