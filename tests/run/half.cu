// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %all env HEDDLE_DISABLE=native-halves %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __half and __nv_bfloat16: conversions and arithmetic round once to the type; comparison; half2.
#include "support.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

/// Rounds to `digits` significant bits and least exponent `lowest` (of the last bit), ties to even.
static float roundTo(double x, int digits, int lowest, double highest) {
  if (!(std::fabs(x) < INFINITY) || x == 0)
    return float(x);
  int exponent = std::ilogb(x) - digits + 1;
  if (exponent < lowest)
    exponent = lowest;
  double r = std::ldexp(std::nearbyint(std::ldexp(x, -exponent)), exponent);
  return std::fabs(r) > highest ? std::copysign(INFINITY, float(x)) : float(r);
}
static float toHalf(double x) { return roundTo(x, 11, -24, 65504); }
static float toBfloat(double x) { return roundTo(x, 8, -133, 3.3895313892515355e38); }

struct In {
  float a, b, c;
};
struct Out {
  float values[10];
};

struct Halves {
  __device__ Out operator()(In in) const {
    __half a = __float2half(in.a), b = __float2half(in.b), c = __float2half(in.c);
    __half2 both = __hadd2(__halves2half2(a, b), __halves2half2(c, c));
    return {{__half2float(a), __half2float(__hadd(a, b)), __half2float(a - b), __half2float(__hmul(a, b)),
             __half2float(a / b), __half2float(__hfma(a, b, c)), __low2float(both), __high2float(both),
             float(a < b) + 2 * float(__hge(a, c)), __half2float(__hneg(a))}};
  }
};
struct Bfloats {
  __device__ Out operator()(In in) const {
    __nv_bfloat16 a = __float2bfloat16(in.a), b = __float2bfloat16(in.b), c = __float2bfloat16(in.c);
    __nv_bfloat162 both = __hadd2(__halves2bfloat162(a, b), __halves2bfloat162(c, c));
    return {{__bfloat162float(a), __bfloat162float(__hadd(a, b)), __bfloat162float(a - b), __bfloat162float(__hmul(a, b)),
             __bfloat162float(a / b), __bfloat162float(__hfma(a, b, c)), __low2float(both), __high2float(both),
             float(a < b) + 2 * float(__hge(a, c)), __bfloat162float(__hneg(a))}};
  }
};

template <class Body> void check(const std::string &name, float (*round)(double)) {
  Random random(26);
  std::vector<In> in;
  for (int i = 0; i < 500; i++)
    in.push_back({float(random.between(-100, 100)), float(random.between(-3, 3)), float(random.between(-9, 9))});
  for (int i = 0; i < 40; i++)
    in.push_back({float(std::ldexp(random.between(-1, 1), -14 - random.below(12))), float(random.between(-2, 2)), 0});
  in[0].a = 1e30f, in[1].a = 65519.0f, in[2].a = 65520.0f, in[3].a = INFINITY, in[4].a = 2049, in[5].a = 2051;
  Buffer<In> deviceIn(in);
  Buffer<Out> out(in.size());
  mapKernel<Body><<<6, 96>>>(deviceIn.data, out.data, unsigned(in.size()));
  checkLaunch();
  auto got = out.get();
  for (size_t i = 0; i < in.size(); i++) {
    float a = round(in[i].a), b = round(in[i].b), c = round(in[i].c);
    float fused = round(double(std::fma((long double)(a), b, c)));
    float want[10] = {a, round(double(a) + b), round(double(a) - b), round(double(a) * b), round(double(a) / b), fused,
                      round(double(a) + c), round(double(b) + c), float(a < b) + 2 * float(a >= c), -a};
    for (int k = 0; k < 10; k++) {
      // Division is done in single precision first and may round twice.
      if (k == 4 && std::fabs(got[i].values[k] - want[k]) <= std::fabs(want[k]) / 64)
        continue;
      expect(name + " value " + std::to_string(k), i, got[i].values[k], want[k]);
    }
  }
}

int main() {
  expectTrue("sizes", sizeof(__half) == 2 && sizeof(__half2) == 4 && sizeof(__nv_bfloat16) == 2);
  check<Halves>("half", toHalf);
  check<Bfloats>("bfloat16", toBfloat);
  // On the host too.
  expect("host half", 0, __half2float(__float2half(1.0f / 3)), toHalf(1.0f / 3));
  expect("host bfloat16", 0, __bfloat162float(__float2bfloat16(1.0f / 3)), toBfloat(1.0f / 3));
  return finish();
}
