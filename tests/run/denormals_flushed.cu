// NVCC: -ftz=true
// RUN: %heddle cc -ftz=true %s -o %t
// RUN: %t
// RUN: env HEDDLE_WIDTH=1 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -ftz=true: single precision operations take denormal inputs as zero and give zero for denormal results, the
// sign kept; double precision does not change; loads, stores and bit casts keep all bits.
#include "support.h"

struct In {
  float a, b;
};

static float flush(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

struct Add {
  __device__ float operator()(In in) const { return in.a + in.b; }
};
struct Multiply {
  __device__ float operator()(In in) const { return in.a * in.b; }
};
struct Keep {
  __device__ float operator()(In in) const { return __int_as_float(__float_as_int(in.a)); }
};
struct Twice {
  __device__ double operator()(double x) const { return x * 0.5; }
};

int main() {
  Random random(25);
  std::vector<In> in;
  std::vector<float> sums, products, same;
  std::vector<double> doubles, halves;
  for (int i = 0; i < 400; i++) {
    float a = float(std::ldexp(random.between(-1, 1), -120 - random.below(28)));
    float b = float(std::ldexp(random.between(-1, 1), i & 1 ? -120 - random.below(28) : -random.below(30)));
    in.push_back({a, b});
    volatile float sum = flush(a) + flush(b), product = flush(a) * flush(b);
    sums.push_back(flush(sum));
    products.push_back(flush(product));
    same.push_back(a);
    doubles.push_back(std::ldexp(random.between(-1, 1), -1015 - random.below(50)));
    halves.push_back(doubles.back() * 0.5);
  }
  mapExpect<Add>("sum", in, sums, {dim3(96)});
  mapExpect<Multiply>("product", in, products, {dim3(96)});
  mapExpect<Keep>("bits", in, same, {dim3(96)});
  mapExpect<Twice>("double", doubles, halves, {dim3(96)});
  return finish();
}
