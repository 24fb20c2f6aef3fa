// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product that is added or subtracted is fused by default, across statements and in loops, as nvcc does;
// __fmul_rn and __fadd_rn are never fused.
#include "support.h"

template <class F> struct In {
  F a, b, c;
};

template <class F> struct Fused {
  __device__ F operator()(In<F> in) const { return in.a * in.b + in.c; }
};
template <class F> struct FusedSubtract {
  __device__ F operator()(In<F> in) const { return in.a * in.b - in.c; }
};
template <class F> struct FusedNegative {
  __device__ F operator()(In<F> in) const { return in.c - in.a * in.b; }
};
template <class F> struct FusedStatements {
  __device__ F operator()(In<F> in) const {
    F product = in.a * in.b;
    F sum = in.c;
    sum += product;
    return sum;
  }
};
template <class F> struct FusedLoop {
  __device__ F operator()(In<F> in) const {
    F sum = in.c;
    for (int i = 0; i < 5; i++)
      sum += in.a * in.b;
    return sum;
  }
};
template <class F> struct Apart;
template <> struct Apart<float> {
  __device__ float operator()(In<float> in) const { return __fadd_rn(__fmul_rn(in.a, in.b), in.c); }
};
template <> struct Apart<double> {
  __device__ double operator()(In<double> in) const { return __dadd_rn(__dmul_rn(in.a, in.b), in.c); }
};
template <class F> struct Explicit {
  __device__ F operator()(In<F> in) const { return fma(in.a, in.b, in.c); }
};

template <class F> void check(const std::string &name) {
  Random random(20);
  std::vector<In<F>> in;
  std::vector<F> plus, minus, negative, loop, apart;
  for (int i = 0; i < 500; i++) {
    F a = F(random.between(-2, 2)), b = F(random.between(-2, 2)), c = F(random.between(-2, 2));
    if (i & 1) // what is left of the product after rounding: only a fused operation finds it
      c = -(a * b);
    in.push_back({a, b, c});
    plus.push_back(std::fma(a, b, c));
    minus.push_back(std::fma(a, b, -c));
    negative.push_back(std::fma(-a, b, c));
    F sum = c;
    for (int k = 0; k < 5; k++)
      sum = std::fma(a, b, sum);
    loop.push_back(sum);
    volatile F product = a * b;
    apart.push_back(product + c);
  }
  std::vector<dim3> shapes = {dim3(96), dim3(33)};
  mapExpect<Fused<F>>(name + " a*b+c", in, plus, shapes);
  mapExpect<FusedSubtract<F>>(name + " a*b-c", in, minus, shapes);
  mapExpect<FusedNegative<F>>(name + " c-a*b", in, negative, shapes);
  mapExpect<FusedStatements<F>>(name + " across statements", in, plus, shapes);
  mapExpect<FusedLoop<F>>(name + " in a loop", in, loop, shapes);
  mapExpect<Apart<F>>(name + " __fmul_rn", in, apart, shapes);
  mapExpect<Explicit<F>>(name + " fma", in, plus, shapes);
}

int main() {
  check<float>("float");
  check<double>("double");
  return finish();
}
