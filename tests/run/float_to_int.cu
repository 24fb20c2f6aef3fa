// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions from floating point to integers saturate; NaN gives 0, or the lowest bit pattern where the PTX
// manual says so (a 64-bit source or destination: 1 << (width - 1)). And the rounding intrinsics.
#include "support.h"

template <class F> struct Out {
  int i;
  unsigned u;
  long long l;
  unsigned long long ul;
  int rn, rd, ru;
  unsigned urn;
  long long lrn;
  unsigned long long ulru;
};

template <class F> struct Convert;
template <> struct Convert<float> {
  __device__ Out<float> operator()(float x) const {
    return {__float2int_rz(x),  __float2uint_rz(x), __float2ll_rz(x),   __float2ull_rz(x), __float2int_rn(x),
            __float2int_rd(x),  __float2int_ru(x),  __float2uint_rn(x), __float2ll_rn(x),  __float2ull_ru(x)};
  }
};
template <> struct Convert<double> {
  __device__ Out<double> operator()(double x) const {
    return {__double2int_rz(x), __double2uint_rz(x), __double2ll_rz(x),   __double2ull_rz(x), __double2int_rn(x),
            __double2int_rd(x), __double2int_ru(x),  __double2uint_rn(x), __double2ll_rn(x),  __double2ull_ru(x)};
  }
};

struct Plain4 {
  int i;
  unsigned u;
  long long l;
  unsigned long long ul;
};
template <class F> struct Cast {
  __device__ Plain4 operator()(F x) const { return {int(x), unsigned(x), (long long)(x), (unsigned long long)(x)}; }
};

template <class I> I saturate(double rounded, I nan) {
  if (std::isnan(rounded))
    return nan;
  if (rounded <= double(std::numeric_limits<I>::min()))
    return std::numeric_limits<I>::min();
  if (rounded >= double(std::numeric_limits<I>::max()))
    return std::numeric_limits<I>::max();
  return I(rounded);
}

template <class F> void check(const char *name) {
  Random random(8);
  const int nanInt = sizeof(F) == 8 ? INT32_MIN : 0;
  const unsigned nanUnsigned = sizeof(F) == 8 ? 0x80000000u : 0;
  const double special[] = {0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.99999994, -0.99999994, 2147483647.0, 2147483648.0,
                            -2147483648.0, -2147483904.0, 4294967295.0, 4294967296.0, 9.2233720368547758e18,
                            -9.2233720368547758e18, 1.8446744073709552e19, 1e30, -1e30, INFINITY, -INFINITY, NAN, 1e-40,
                            -1.0, -1e-5};
  std::vector<F> in;
  for (double v : special)
    in.push_back(F(v));
  for (int i = 0; i < 500; i++)
    in.push_back(F(std::ldexp(random.between(-1, 1), random.below(70))));
  std::vector<Out<F>> want;
  std::vector<Plain4> wantCast;
  for (F v : in) {
    double x = double(v), z = std::trunc(x), n = std::nearbyint(x);
    Plain4 c = {saturate<int>(z, nanInt), saturate<unsigned>(z, nanUnsigned), saturate<long long>(z, INT64_MIN),
                saturate<unsigned long long>(z, 1ull << 63)};
    wantCast.push_back(c);
    Out<F> o;
    std::memset(&o, 0, sizeof o);
    o.i = c.i, o.u = c.u, o.l = c.l, o.ul = c.ul;
    o.rn = saturate<int>(n, nanInt), o.rd = saturate<int>(std::floor(x), nanInt);
    o.ru = saturate<int>(std::ceil(x), nanInt), o.urn = saturate<unsigned>(n, nanUnsigned);
    o.lrn = saturate<long long>(n, INT64_MIN);
    o.ulru = saturate<unsigned long long>(std::ceil(x), 1ull << 63);
    want.push_back(o);
  }
  mapExpect<Convert<F>>(std::string(name) + " intrinsics", in, want, {dim3(96), dim3(7)});
  mapExpect<Cast<F>>(std::string(name) + " casts", in, wantCast, {dim3(96), dim3(7)});
}

int main() {
  check<float>("float");
  check<double>("double");
  return finish();
}
