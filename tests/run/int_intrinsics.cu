// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %if avx512 %{ env HEDDLE_CPU=x86-64-v3 %t %}
// RUN: %cpu(x86-64-v2) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer intrinsics: popc, clz, ffs, brev, byte_perm, mul24, mulhi, sad, hadd, dp4a, dp2a, bit casts.
#include "support.h"

struct In {
  unsigned long long a, b;
  unsigned c, pad;
};
struct Out {
  unsigned long long wide[6];
  unsigned v[26];
};

struct Apply {
  __device__ Out operator()(In in) const {
    unsigned a = unsigned(in.a), b = unsigned(in.b), c = in.c;
    int sa = int(a), sb = int(b), sc = int(c);
    return {{__umul64hi(in.a, in.b), (unsigned long long)__mul64hi((long long)in.a, (long long)in.b),
             __brevll(in.a) ^ __nv_bswap64(in.b),
             (unsigned long long)__double_as_longlong(__longlong_as_double((long long)in.a)),
             (unsigned long long)__popcll(in.a), (unsigned long long)(__clzll((long long)in.b) * 100 + __ffsll((long long)in.a))},
            {unsigned(__popc(a)), unsigned(__clz(sa)), unsigned(__ffs(sa)), __brev(a), __byte_perm(a, b, c),
             unsigned(__mul24(sa, sb)), __umul24(a, b), unsigned(__mulhi(sa, sb)), __umulhi(a, b), __sad(sa, sb, c),
             __usad(a, b, c), unsigned(__hadd(sa, sb)), __uhadd(a, b), unsigned(__rhadd(sa, sb)), __urhadd(a, b),
             unsigned(__dp4a(sa, sb, sc)), __dp4a(a, b, c), unsigned(__dp2a_lo(sa, sb, sc)), __dp2a_hi(a, b, c),
             unsigned(__float_as_int(__int_as_float(sa))), __float_as_uint(__uint_as_float(b)),
             unsigned(__double2hiint(__hiloint2double(sa, sb))), unsigned(__double2loint(__hiloint2double(sa, sb))),
             __funnelshift_l(a, b, c), unsigned(__clz(0) + __ffs(0) + __popc(0xffffffffu)), unsigned(abs(sa >> 1))}};
  }
};

static unsigned bitReverse(unsigned x) {
  unsigned r = 0;
  for (int i = 0; i < 32; i++)
    r |= (x >> i & 1) << (31 - i);
  return r;
}
static unsigned bytePermute(unsigned a, unsigned b, unsigned selector) {
  unsigned long long both = (unsigned long long)b << 32 | a;
  unsigned r = 0;
  for (int i = 0; i < 4; i++)
    r |= unsigned(both >> (8 * (selector >> (4 * i) & 7)) & 0xff) << (8 * i);
  return r;
}
static int leadingZeros(unsigned long long x, int width) {
  int n = 0;
  while (n < width && !(x >> (width - 1 - n) & 1))
    n++;
  return n;
}
static int firstSet(unsigned long long x) {
  for (int i = 0; i < 64; i++)
    if (x >> i & 1)
      return i + 1;
  return 0;
}
static int sign24(unsigned x) { return int(x << 8) >> 8; }

static Out reference(In in) {
  unsigned a = unsigned(in.a), b = unsigned(in.b), c = in.c;
  int sa = int(a), sb = int(b);
  Out o = {};
  o.wide[0] = (unsigned long long)((unsigned __int128)(in.a) * in.b >> 64);
  o.wide[1] = (unsigned long long)((__int128)((long long)in.a) * (long long)in.b >> 64);
  o.wide[2] = (unsigned long long)(bitReverse(unsigned(in.a))) << 32 | bitReverse(unsigned(in.a >> 32));
  o.wide[2] ^= __builtin_bswap64(in.b);
  o.wide[3] = in.a;
  o.wide[4] = (unsigned long long)(__builtin_popcountll(in.a));
  o.wide[5] = (unsigned long long)(leadingZeros(in.b, 64) * 100 + firstSet(in.a));
  unsigned *v = o.v;
  v[0] = unsigned(__builtin_popcount(a)), v[1] = unsigned(leadingZeros(a, 32)), v[2] = unsigned(firstSet(a));
  v[3] = bitReverse(a), v[4] = bytePermute(a, b, c);
  v[5] = unsigned((long long)sign24(a) * sign24(b));
  v[6] = unsigned((unsigned long long)(a & 0xffffff) * (b & 0xffffff));
  v[7] = unsigned((long long)sa * sb >> 32), v[8] = unsigned((unsigned long long)a * b >> 32);
  v[9] = unsigned(sa > sb ? (long long)sa - sb : (long long)sb - sa) + c;
  v[10] = (a > b ? a - b : b - a) + c;
  v[11] = unsigned(((long long)sa + sb) >> 1), v[12] = unsigned(((unsigned long long)a + b) >> 1);
  v[13] = unsigned(((long long)sa + sb + 1) >> 1), v[14] = unsigned(((unsigned long long)a + b + 1) >> 1);
  v[15] = v[16] = v[17] = v[18] = c;
  for (int i = 0; i < 4; i++) {
    v[15] += unsigned(int((signed char)(a >> (8 * i))) * int((signed char)(b >> (8 * i))));
    v[16] += (a >> (8 * i) & 0xff) * (b >> (8 * i) & 0xff);
  }
  for (int i = 0; i < 2; i++) {
    v[17] += unsigned(int(short(a >> (16 * i))) * int((signed char)(b >> (8 * i))));
    v[18] += (a >> (16 * i) & 0xffff) * (b >> (16 + 8 * i) & 0xff);
  }
  v[19] = a, v[20] = b, v[21] = a, v[22] = b;
  v[23] = c & 31 ? b << (c & 31) | a >> (32 - (c & 31)) : b;
  v[24] = 64, v[25] = unsigned(std::abs(sa >> 1));
  return o;
}

int main() {
  Random random(71);
  std::vector<In> in;
  std::vector<Out> want;
  for (int i = 0; i < 400; i++) {
    In v = {random.next() >> random.below(64), random.next() >> random.below(64), random.bits(), 0};
    if (i % 4 == 0)
      v.a = random.next(), v.b = random.next();
    if (i == 5)
      v.a = v.b = 0x8080808080808080; // the largest sum of products of bytes
    if (i == 6)
      v.a = v.b = ~0ull;
    if (i == 3)
      v.a = v.b = 0;
    // Bit patterns that are signalling NaNs may be made quiet in a register: not the subject here.
    if ((v.a & 0x7f800000) == 0x7f800000 || (v.b & 0x7f800000) == 0x7f800000)
      v.a &= ~0x40000000ull, v.b &= ~0x40000000ull;
    in.push_back(v);
    want.push_back(reference(v));
  }
  mapExpect<Apply>("intrinsics", in, want, {dim3(96), dim3(5, 7)});
  return finish();
}
