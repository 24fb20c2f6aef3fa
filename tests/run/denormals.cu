// NVCC: -ftz=true -DFLUSHES
// RUN: %heddle cc -ftz=true -DFLUSHES %s -o %t.ftz
// RUN: %widths %t.ftz
// RUN: %heddle cc %s -o %t && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -ftz=true: single precision operations take denormal inputs as zero and give zero for denormal results, the
// sign kept; double precision does not change, not in the same kernel either; loads, stores and bit casts keep all bits.
// Without it denormals are kept.
#include "support.h"

#include <cstring>

struct In {
  float a, b;
};

#ifdef FLUSHES
constexpr bool Flushes = true;
#else
constexpr bool Flushes = false;
#endif

static float flush(float x) {
  return Flushes && std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

template <class To, class From> To bitsOf(From from) {
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

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

struct Pair {
  float single;
  double twice;
};
struct Bits {
  unsigned long long single, twice;
};
struct Mixed {
  __device__ Bits operator()(Pair in) const {
    float sum = 0;
    for (int k = 0; k < 3; ++k)
      sum += in.single * 0.25f;
    return {__float_as_uint(sum), (unsigned long long)__double_as_longlong(in.twice * 0.5)};
  }
};

int main() {
  Random random(25);
  std::vector<In> in;
  std::vector<float> sums, products, same;
  std::vector<double> doubles, halves;
  std::vector<Pair> pairs;
  std::vector<Bits> mixed;
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
    pairs.push_back({a, doubles.back()});
    float threeQuarters = 0;
    for (int k = 0; k < 3; ++k)
      threeQuarters = flush(std::fma(flush(a), 0.25f, threeQuarters));
    mixed.push_back({bitsOf<unsigned>(threeQuarters), bitsOf<unsigned long long>(halves.back())});
  }
  mapExpect<Add>("sum", in, sums, {dim3(96)});
  mapExpect<Multiply>("product", in, products, {dim3(96)});
  mapExpect<Keep>("bits", in, same, {dim3(96)});
  mapExpect<Mixed>("both", pairs, mixed, {dim3(96)});
  mapExpect<Twice>("double", doubles, halves, {dim3(96)});
  return finish();
}
