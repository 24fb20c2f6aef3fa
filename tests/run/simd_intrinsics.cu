// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The SIMD-in-a-word intrinsics __v*2 and __v*4 against the same arithmetic part by part.
#include "support.h"

struct In {
  unsigned a, b;
};
enum { Count = 44 };
struct Out {
  unsigned v[Count];
};

struct Apply {
  __device__ Out operator()(In in) const {
    unsigned a = in.a, b = in.b;
    return {{__vadd2(a, b),     __vadd4(a, b),     __vsub2(a, b),     __vsub4(a, b),     __vaddss2(a, b),   __vaddss4(a, b),
             __vaddus2(a, b),   __vaddus4(a, b),   __vsubss2(a, b),   __vsubss4(a, b),   __vsubus2(a, b),   __vsubus4(a, b),
             __vmaxs2(a, b),    __vmaxs4(a, b),    __vmaxu2(a, b),    __vmaxu4(a, b),    __vmins2(a, b),    __vmins4(a, b),
             __vminu2(a, b),    __vminu4(a, b),    __vabsdiffs2(a, b), __vabsdiffs4(a, b), __vabsdiffu2(a, b), __vabsdiffu4(a, b),
             __vcmpeq2(a, b),   __vcmpeq4(a, b),   __vcmpgts2(a, b),  __vcmpgts4(a, b),  __vcmpltu2(a, b),  __vcmpltu4(a, b),
             __vseteq2(a, b),   __vseteq4(a, b),   __vsetles2(a, b),  __vsetles4(a, b),  __vavgs2(a, b),    __vavgu4(a, b),
             __vhaddu2(a, b),   __vhaddu4(a, b),   __vneg2(a),        __vneg4(a),        __vabs2(a),        __vabs4(a),
             __vabsss4(a),      __vsads4(a, b)}};
  }
};

template <class F> unsigned parts(int bits, unsigned a, unsigned b, F f) {
  unsigned r = 0, mask = (1u << bits) - 1;
  for (int i = 0; i < 32; i += bits) {
    int ua = int(a >> i & mask), ub = int(b >> i & mask), half = 1 << (bits - 1);
    int sa = ua >= half ? ua - 2 * half : ua, sb = ub >= half ? ub - 2 * half : ub;
    r |= (unsigned(f(ua, ub, sa, sb, half)) & mask) << i;
  }
  return r;
}

static Out reference(In in) {
  Out o = {};
  unsigned a = in.a, b = in.b, *v = o.v;
  auto clampS = [](int x, int half) { return std::min(std::max(x, -half), half - 1); };
  auto clampU = [](int x, int half) { return std::min(std::max(x, 0), 2 * half - 1); };
  for (int k = 0; k < 2; k++) {
    int bits = k ? 8 : 16;
    auto set = [&](int at, auto f) { v[at + k] = parts(bits, a, b, f); };
    set(0, [](int x, int y, int, int, int) { return x + y; });
    set(2, [](int x, int y, int, int, int) { return x - y; });
    set(4, [&](int, int, int x, int y, int h) { return clampS(x + y, h); });
    set(6, [&](int x, int y, int, int, int h) { return clampU(x + y, h); });
    set(8, [&](int, int, int x, int y, int h) { return clampS(x - y, h); });
    set(10, [&](int x, int y, int, int, int h) { return clampU(x - y, h); });
    set(12, [](int, int, int x, int y, int) { return std::max(x, y); });
    set(14, [](int x, int y, int, int, int) { return std::max(x, y); });
    set(16, [](int, int, int x, int y, int) { return std::min(x, y); });
    set(18, [](int x, int y, int, int, int) { return std::min(x, y); });
    set(20, [](int, int, int x, int y, int) { return std::abs(x - y); });
    set(22, [](int x, int y, int, int, int) { return std::abs(x - y); });
    set(24, [](int x, int y, int, int, int) { return x == y ? -1 : 0; });
    set(26, [](int, int, int x, int y, int) { return x > y ? -1 : 0; });
    set(28, [](int x, int y, int, int, int) { return x < y ? -1 : 0; });
    set(30, [](int x, int y, int, int, int) { return x == y; });
    set(32, [](int, int, int x, int y, int) { return x <= y; });
    set(36, [](int x, int y, int, int, int) { return (x + y) >> 1; });
    set(38, [](int x, int, int, int, int) { return -x; });
    set(40, [](int, int, int x, int, int) { return std::abs(x); });
  }
  // The signed average rounds away from zero.
  v[34] = parts(16, a, b, [](int, int, int x, int y, int) { return x + y >= 0 ? (x + y + 1) >> 1 : -((-x - y + 1) >> 1); });
  v[35] = parts(8, a, b, [](int x, int y, int, int, int) { return (x + y + 1) >> 1; });
  v[42] = parts(8, a, b, [](int, int, int x, int, int h) { return std::min(std::abs(x), h - 1); });
  for (int i = 0; i < 32; i += 8)
    v[43] += unsigned(std::abs(int((signed char)(a >> i)) - int((signed char)(b >> i))));
  return o;
}

int main() {
  Random random(72);
  std::vector<In> in;
  for (int i = 0; i < 400; i++) {
    In v = {random.bits(), random.bits()};
    if (i % 3 == 0)
      v.b = (v.a & 0xff00ffff) | (v.b & 0x00ff0000);
    if (i % 5 == 0)
      v.a = (v.a & 0x00ffff00) | 0x80000080;
    in.push_back(v);
  }
  Buffer<In> deviceIn(in);
  Buffer<Out> out(in.size());
  mapKernel<Apply><<<9, 50>>>(deviceIn.data, out.data, unsigned(in.size()));
  checkLaunch();
  auto got = out.get();
  for (size_t i = 0; i < in.size(); i++) {
    Out want = reference(in[i]);
    for (int k = 0; k < Count; k++)
      expect("function " + std::to_string(k), (long long)(i), got[i].v[k], want.v[k]);
  }
  return finish();
}
