// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shifts by the width and more give what PTX gives (the count is clamped), funnel shifts wrap or clamp.
#include "support.h"

struct In {
  unsigned long long value;
  unsigned high, count;
};
struct Out {
  unsigned long long left64, right64;
  long long arithmetic64;
  unsigned left, right;
  int arithmetic, pad;
  unsigned wrapLeft, wrapRight, clampLeft, clampRight;
};

struct ShiftOperators {
  __device__ Out operator()(In in) const {
    unsigned low = unsigned(in.value), n = in.count;
    Out o = {};
    o.left = low << n;
    o.right = low >> n;
    o.arithmetic = int(low) >> n;
    o.left64 = in.value << n;
    o.right64 = in.value >> n;
    o.arithmetic64 = (long long)(in.value) >> n;
    o.wrapLeft = __funnelshift_l(low, in.high, n);
    o.wrapRight = __funnelshift_r(low, in.high, n);
    o.clampLeft = __funnelshift_lc(low, in.high, n);
    o.clampRight = __funnelshift_rc(low, in.high, n);
    return o;
  }
};

int main() {
  Random random(7);
  std::vector<In> in;
  std::vector<Out> want;
  const unsigned counts[] = {0, 1, 5, 31, 32, 33, 63, 64, 65, 100, 255, 256, 0x7fffffff, 0x80000000, 0xffffffff};
  for (int i = 0; i < 600; i++) {
    In v = {random.next(), random.bits(), counts[random.below(15)]};
    if (i % 50 == 0)
      v.value |= 0x8000000080000000ull;
    unsigned low = unsigned(v.value), n = v.count;
    uint64_t both = uint64_t(v.high) << 32 | low;
    Out o = {};
    o.left = n < 32 ? low << n : 0;
    o.right = n < 32 ? low >> n : 0;
    o.arithmetic = int(low) >> (n < 32 ? n : 31);
    o.left64 = n < 64 ? v.value << n : 0;
    o.right64 = n < 64 ? v.value >> n : 0;
    o.arithmetic64 = (long long)(v.value) >> (n < 64 ? n : 63);
    unsigned wrap = n & 31, clamp = n < 32 ? n : 32;
    o.wrapLeft = unsigned(both << wrap >> 32);
    o.wrapRight = unsigned(both >> wrap);
    o.clampLeft = unsigned(both << clamp >> 32);
    o.clampRight = unsigned(both >> clamp);
    in.push_back(v);
    want.push_back(o);
  }
  std::vector<dim3> shapes = {dim3(96), dim3(5, 7)};
  mapExpect<ShiftOperators>("shift", in, want, shapes);
  return finish();
}
