// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forms with a named rounding: __fadd_rz, __fdiv_ru, __fsqrt_rd, __fmaf_rz, ..., in float and double.
#include "support.h"

#include <cfenv>

template <class F> struct In {
  F a, b, c;
};
template <class F> struct Out {
  F values[24];
};

struct Floats {
  __device__ Out<float> operator()(In<float> in) const {
    float a = in.a, b = in.b, c = in.c, p = fabsf(in.a);
    return {{__fadd_rn(a, b), __fadd_rz(a, b), __fadd_ru(a, b), __fadd_rd(a, b),
             __fsub_rn(a, b), __fsub_rz(a, b), __fsub_ru(a, b), __fsub_rd(a, b),
             __fmul_rn(a, b), __fmul_rz(a, b), __fmul_ru(a, b), __fmul_rd(a, b),
             __fdiv_rn(a, b), __fdiv_rz(a, b), __fdiv_ru(a, b), __fdiv_rd(a, b),
             __fsqrt_rn(p), __fsqrt_rz(p), __fsqrt_ru(p), __fsqrt_rd(p),
             __fmaf_rn(a, b, c), __fmaf_rz(a, b, c), __fmaf_ru(a, b, c), __fmaf_rd(a, b, c)}};
  }
};
struct Doubles {
  __device__ Out<double> operator()(In<double> in) const {
    double a = in.a, b = in.b, c = in.c, p = fabs(in.a);
    return {{__dadd_rn(a, b), __dadd_rz(a, b), __dadd_ru(a, b), __dadd_rd(a, b),
             __dsub_rn(a, b), __dsub_rz(a, b), __dsub_ru(a, b), __dsub_rd(a, b),
             __dmul_rn(a, b), __dmul_rz(a, b), __dmul_ru(a, b), __dmul_rd(a, b),
             __ddiv_rn(a, b), __ddiv_rz(a, b), __ddiv_ru(a, b), __ddiv_rd(a, b),
             __dsqrt_rn(p), __dsqrt_rz(p), __dsqrt_ru(p), __dsqrt_rd(p),
             __fma_rn(a, b, c), __fma_rz(a, b, c), __fma_ru(a, b, c), __fma_rd(a, b, c)}};
  }
};

struct Conversions {
  float fromDouble[4], fromInt[4], fromLong[4];
};
struct ConversionIn {
  double d;
  long long l;
  int i, pad;
};
struct Convert {
  __device__ Conversions operator()(ConversionIn in) const {
    return {{__double2float_rn(in.d), __double2float_rz(in.d), __double2float_ru(in.d), __double2float_rd(in.d)},
            {__int2float_rn(in.i), __int2float_rz(in.i), __int2float_ru(in.i), __int2float_rd(in.i)},
            {__ll2float_rn(in.l), __ll2float_rz(in.l), __ll2float_ru(in.l), __ll2float_rd(in.l)}};
  }
};

// The host computes under its own rounding mode; volatile keeps the compiler from moving it.
static const int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};

template <class F> Out<F> reference(In<F> in) {
  volatile F a = in.a, b = in.b, c = in.c, p = std::fabs(in.a);
  Out<F> out;
  for (int m = 0; m < 4; m++) {
    std::fesetround(modes[m]);
    volatile F sum = a + b, difference = a - b, product = a * b, quotient = a / b, root = std::sqrt(p);
    volatile F fused = std::fma(F(a), F(b), F(c));
    std::fesetround(FE_TONEAREST);
    F values[6] = {sum, difference, product, quotient, root, fused};
    for (int k = 0; k < 6; k++)
      out.values[k * 4 + m] = values[k];
  }
  return out;
}

template <class Body, class F> void check(const std::string &name) {
  Random random(23);
  std::vector<In<F>> in;
  for (int i = 0; i < 500; i++)
    in.push_back({F(random.between(-9, 9)), F(random.between(-9, 9)), F(random.between(-9, 9))});
  in[3] = {0, 1, 0}, in[4] = {1, -1, -1}, in[5] = {std::numeric_limits<F>::max(), 2, 1};
  in[6] = {std::numeric_limits<F>::denorm_min(), F(0.5), 0};
  Buffer<In<F>> deviceIn(in);
  Buffer<Out<F>> out(in.size());
  mapKernel<Body><<<6, 96>>>(deviceIn.data, out.data, unsigned(in.size()));
  checkLaunch();
  auto got = out.get();
  for (size_t i = 0; i < in.size(); i++) {
    Out<F> want = reference(in[i]);
    for (int k = 0; k < 24; k++)
      expect(name + " function " + std::to_string(k), i, got[i].values[k], want.values[k]);
  }
}

static void checkConversions() {
  Random random(24);
  std::vector<ConversionIn> in;
  for (int i = 0; i < 300; i++)
    in.push_back({random.between(-5, 5), (long long)(random.next()) >> random.below(60), int(random.bits()), 0});
  Buffer<ConversionIn> deviceIn(in);
  Buffer<Conversions> out(in.size());
  mapKernel<Convert><<<4, 96>>>(deviceIn.data, out.data, unsigned(in.size()));
  checkLaunch();
  auto got = out.get();
  for (size_t i = 0; i < in.size(); i++)
    for (int m = 0; m < 4; m++) {
      volatile double d = in[i].d;
      volatile long long l = in[i].l;
      volatile int n = in[i].i;
      std::fesetround(modes[m]);
      volatile float fromDouble = float(d), fromInt = float(n), fromLong = float(l);
      std::fesetround(FE_TONEAREST);
      expect("double to float", i * 4 + m, got[i].fromDouble[m], float(fromDouble));
      expect("int to float", i * 4 + m, got[i].fromInt[m], float(fromInt));
      expect("long long to float", i * 4 + m, got[i].fromLong[m], float(fromLong));
    }
}

int main() {
  check<Floats, float>("float");
  check<Doubles, double>("double");
  checkConversions();
  return finish();
}
