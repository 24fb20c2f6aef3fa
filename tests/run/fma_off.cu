// NVCC: -fmad=false
// RUN: %heddle cc -fmad=false %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -fmad=false: no product is fused with an addition, but fma() still is one operation.
#include "support.h"

template <class F> struct In {
  F a, b, c;
};
template <class F> struct Apart {
  __device__ F operator()(In<F> in) const { return in.a * in.b + in.c; }
};
template <class F> struct Explicit {
  __device__ F operator()(In<F> in) const { return fma(in.a, in.b, in.c); }
};

template <class F> void check(const std::string &name) {
  Random random(21);
  std::vector<In<F>> in;
  std::vector<F> apart, fused;
  for (int i = 0; i < 300; i++) {
    F a = F(random.between(-2, 2)), b = F(random.between(-2, 2)), c = F(random.between(-2, 2));
    volatile F product = a * b;
    if (i & 1)
      c = -product;
    in.push_back({a, b, c});
    apart.push_back(product + c);
    fused.push_back(std::fma(a, b, c));
  }
  mapExpect<Apart<F>>(name + " a*b+c", in, apart, {dim3(96)});
  mapExpect<Explicit<F>>(name + " fma", in, fused, {dim3(96)});
}

int main() {
  check<float>("float");
  check<double>("double");
  return finish();
}
