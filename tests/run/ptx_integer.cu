// RUN: %nvcc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer instructions of inline PTX against plain C++.
#include "ptx.h"

#define HD __host__ __device__ inline
using i32 = int32_t;
using i64 = int64_t;
using u32 = uint32_t;
using u64 = uint64_t;

HD u32 clampSum(i64 sum) {
  return u32(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : i32(sum));
}
HD u32 signed24(u32 x) { return u32(i32(x << 8) >> 8); }
HD u32 bits(u64 x) {
  u32 n = 0;
  for (; x; x &= x - 1)
    ++n;
  return n;
}
HD u32 zeros(u64 x, int width) {
  u32 n = 0;
  for (int i = width - 1; i >= 0 && !(x >> i & 1); --i)
    ++n;
  return n;
}
HD u32 highest(u64 x, bool isSigned, int width, bool shifts) {
  bool negative = isSigned && (x >> (width - 1) & 1);
  for (int i = width - 1; i >= 0; --i)
    if ((x >> i & 1) != u64(negative))
      return shifts ? width - 1 - i : i;
  return ~0u;
}
HD u64 reversed(u64 x, int width) {
  u64 r = 0;
  for (int i = 0; i < width; ++i)
    r |= (x >> i & 1) << (width - 1 - i);
  return r;
}
/// As the PTX ISA writes it.
HD u32 findNth(u32 mask, u32 base, i32 offset) {
  i32 step = offset < 0 ? -1 : 1, pos = i32(base);
  if (offset == 0)
    return base < 32 && (mask >> base & 1) ? base : ~0u;
  i32 count = 0;
  for (; pos >= 0 && pos < 32; pos += step)
    if (mask >> pos & 1)
      if (++count == (offset < 0 ? -offset : offset))
        return u32(pos);
  return ~0u;
}
HD u32 dot(u32 a, u32 b, u32 c, bool signA, bool signB) {
  for (int i = 0; i < 4; ++i) {
    i32 x = a >> (8 * i) & 255, y = b >> (8 * i) & 255;
    c += u32((signA ? int8_t(x) : x) * (signB ? int8_t(y) : y));
  }
  return c;
}
HD u32 dotPairs(u32 a, u32 b, u32 c, bool signA, bool signB, int first) {
  for (int i = 0; i < 2; ++i) {
    i32 x = a >> (16 * i) & 65535, y = b >> (8 * (first + i)) & 255;
    c += u32(signA ? int16_t(x) : x) * u32(signB ? int8_t(y) : y);
  }
  return c;
}
HD u32 distance(u32 a, u32 b, bool isSigned) {
  return (isSigned ? i32(a) > i32(b) : a > b) ? a - b : b - a;
}
HD u32 halves(u32 low, u32 high) { return (low & 65535) | high << 16; }

WORDS(add, "add.u32 %0, %1, %2;", a + b)
WORDS(addImmediate, "add.s32 %0, %1, -17;", a - 17)
WORDS(addSat, "add.sat.s32 %0, %1, %2;", clampSum(i64(i32(a)) + i32(b)))
WORDS(sub, "sub.s32 %0, %1, %2;", a - b)
WORDS(subSat, "sub.sat.s32 %0, %1, %2;", clampSum(i64(i32(a)) - i32(b)))
WORDS(mulLo, "mul.lo.u32 %0, %1, %2;", a *b)
WORDS(mulHi, "mul.hi.u32 %0, %1, %2;", u64(a) * b >> 32)
WORDS(mulHiSigned, "mul.hi.s32 %0, %1, %2;", i64(i32(a)) * i32(b) >> 32)
WORDS(madLo, "mad.lo.s32 %0, %1, %2, %3;", a *b + c)
WORDS(madHi, "mad.hi.u32 %0, %1, %2, %3;", (u64(a) * b >> 32) + c)
WORDS(madHiSat, "mad.hi.sat.s32 %0, %1, %2, %3;",
      clampSum((i64(i32(a)) * i32(b) >> 32) + i32(c)))
WORDS(mul24Lo, "mul24.lo.u32 %0, %1, %2;", (a & 0xffffff) * (b & 0xffffff))
WORDS(mul24Hi, "mul24.hi.s32 %0, %1, %2;", i64(i32(signed24(a))) * i32(signed24(b)) >> 16)
WORDS(mad24Lo, "mad24.lo.s32 %0, %1, %2, %3;", signed24(a) * signed24(b) + c)
WORDS(sad, "sad.u32 %0, %1, %2, %3;", distance(a, b, false) + c)
WORDS(sadSigned, "sad.s32 %0, %1, %2, %3;", distance(a, b, true) + c)
WORDS(divide, "{ .reg .u32 d; or.b32 d, %2, 1; div.u32 %0, %1, d; }", a / (b | 1))
WORDS(divideSigned, "{ .reg .s32 d; and.b32 d, %2, 0xffff; or.b32 d, d, 1; div.s32 %0, %1, d; }",
      i32(a) / i32((b & 0xffff) | 1))
WORDS(remainder, "{ .reg .u32 d; or.b32 d, %2, 1; rem.u32 %0, %1, d; }", a % (b | 1))
WORDS(remainderSigned, "{ .reg .s32 d; and.b32 d, %2, 255; or.b32 d, d, 1; rem.s32 %0, %1, d; }",
      i32(a) % i32((b & 255) | 1))
WORDS(absolute, "abs.s32 %0, %1;", i32(a) < 0 ? 0 - a : a)
WORDS(negate, "neg.s32 %0, %1;", 0 - a)
WORDS(least, "min.u32 %0, %1, %2;", a < b ? a : b)
WORDS(leastSigned, "min.s32 %0, %1, %2;", i32(a) < i32(b) ? a : b)
WORDS(most, "max.u32 %0, %1, %2;", a > b ? a : b)
WORDS(mostSigned, "max.s32 %0, %1, %2;", i32(a) > i32(b) ? a : b)
WORDS(leastRelu, "min.s32.relu %0, %1, %2;",
      (i32(a) < i32(b) ? i32(a) : i32(b)) < 0 ? 0 : (i32(a) < i32(b) ? a : b))
WORDS(addPairs, "add.u16x2 %0, %1, %2;", halves(a + b, (a >> 16) + (b >> 16)))
WORDS(maxPairs, "max.s16x2 %0, %1, %2;",
      halves(int16_t(a) > int16_t(b) ? a : b,
             int16_t(a >> 16) > int16_t(b >> 16) ? a >> 16 : b >> 16))
WORDS(count, "popc.b32 %0, %1;", bits(a))
WORDS(leading, "clz.b32 %0, %1;", zeros(a, 32))
WORDS(findBit, "bfind.u32 %0, %1;", highest(a, false, 32, false))
WORDS(findBitSigned, "bfind.s32 %0, %1;", highest(a, true, 32, false))
WORDS(findShift, "bfind.shiftamt.s32 %0, %1;", highest(a, true, 32, true))
WORDS(reverse, "brev.b32 %0, %1;", reversed(a, 32))
WORDS(nth, "{ .reg .u32 p; .reg .s32 n; and.b32 p, %2, 31; and.b32 n, %3, 15; sub.s32 n, n, 8;"
           "  fns.b32 %0, %1, p, n; }",
      findNth(a, b & 31, i32(c & 15) - 8))
WORDS(dotUnsigned, "dp4a.u32.u32 %0, %1, %2, %3;", dot(a, b, c, false, false))
WORDS(dotSigned, "dp4a.s32.s32 %0, %1, %2, %3;", dot(a, b, c, true, true))
WORDS(dotMixed, "dp4a.s32.u32 %0, %1, %2, %3;", dot(a, b, c, true, false))
WORDS(dotLow, "dp2a.lo.s32.s32 %0, %1, %2, %3;", dotPairs(a, b, c, true, true, 0))
WORDS(dotHigh, "dp2a.hi.u32.u32 %0, %1, %2, %3;", dotPairs(a, b, c, false, false, 2))
WORDS(dotHighMixed, "dp2a.hi.u32.s32 %0, %1, %2, %3;", dotPairs(a, b, c, false, true, 2))

LONGS(addLong, "add.s64 %0, %1, %2;", a + b)
LONGS(subLong, "sub.u64 %0, %1, %2;", a - b)
LONGS(mulLong, "mul.lo.u64 %0, %1, %2;", a *b)
LONGS(mulLongHi, "mul.hi.u64 %0, %1, %2;", (unsigned __int128)(a)*b >> 64)
LONGS(mulLongHiSigned, "mul.hi.s64 %0, %1, %2;", (__int128)i64(a) * i64(b) >> 64)
LONGS(madLong, "mad.lo.u64 %0, %1, %2, %3;", a *b + c)
LONGS(mulWide, "{ .reg .u32 x, y; cvt.u32.u64 x, %1; cvt.u32.u64 y, %2; mul.wide.u32 %0, x, y; }",
      u64(u32(a)) * u32(b))
LONGS(mulWideSigned,
      "{ .reg .s32 x, y; cvt.s32.s64 x, %1; cvt.s32.s64 y, %2; mul.wide.s32 %0, x, y; }",
      i64(i32(a)) * i32(b))
LONGS(madWide,
      "{ .reg .u32 x, y; cvt.u32.u64 x, %1; cvt.u32.u64 y, %2; mad.wide.u32 %0, x, y, %3; }",
      u64(u32(a)) * u32(b) + c)
LONGS(divLong, "{ .reg .u64 d; or.b64 d, %2, 1; div.u64 %0, %1, d; }", a / (b | 1))
LONGS(remLong, "{ .reg .u64 d; or.b64 d, %2, 1; rem.u64 %0, %1, d; }", a % (b | 1))
LONGS(minLong, "min.s64 %0, %1, %2;", i64(a) < i64(b) ? a : b)
LONGS(maxLong, "max.u64 %0, %1, %2;", a > b ? a : b)
LONGS(absLong, "abs.s64 %0, %1;", i64(a) < 0 ? 0 - a : a)
LONGS(countLong, "{ .reg .u32 n; popc.b64 n, %1; cvt.u64.u32 %0, n; }", bits(a))
LONGS(leadingLong, "{ .reg .u32 n; clz.b64 n, %1; cvt.u64.u32 %0, n; }", zeros(a, 64))
LONGS(findLong, "{ .reg .u32 n; bfind.s64 n, %1; cvt.u64.u32 %0, n; }",
      highest(a, true, 64, false))
LONGS(reverseLong, "brev.b64 %0, %1;", reversed(a, 64))

struct Short {
  __host__ __device__ uint16_t operator()(const Words &w) const {
    uint16_t a = uint16_t(w.a), b = uint16_t(w.b), r;
    EITHER(asm("{ .reg .u16 t; mul.lo.u16 t, %1, %2; add.u16 %0, t, %1; }" : "=h"(r) : "h"(a), "h"(b)),
           r = uint16_t(a * b + a));
    return r;
  }
};

/// Four words by four words, the carry going from one asm statement to the next, as big-integer programs do.
struct Product {
  u32 word[8];
};
struct Multiply {
  __host__ __device__ Product operator()(const Longs &l) const {
    Product r;
#ifdef __CUDA_ARCH__
    u32 a[4] = {u32(l.a), u32(l.a >> 32), u32(l.b), u32(l.b >> 32)};
    u32 b[4] = {u32(l.c), u32(l.c >> 32), u32(l.d), u32(l.d >> 32)};
    for (u32 &word : r.word)
      word = 0;
    for (int i = 0; i < 4; ++i) {
      asm volatile("mad.lo.cc.u32 %0, %1, %2, %0;" : "+r"(r.word[i]) : "r"(a[0]), "r"(b[i]));
      for (int j = 1; j < 4; ++j)
        asm volatile("madc.lo.cc.u32 %0, %1, %2, %0;" : "+r"(r.word[i + j]) : "r"(a[j]), "r"(b[i]));
      asm volatile("addc.u32 %0, %0, 0;" : "+r"(r.word[i + 4]));
      asm volatile("mad.hi.cc.u32 %0, %1, %2, %0;" : "+r"(r.word[i + 1]) : "r"(a[0]), "r"(b[i]));
      for (int j = 1; j < 3; ++j)
        asm volatile("madc.hi.cc.u32 %0, %1, %2, %0;" : "+r"(r.word[i + j + 1]) : "r"(a[j]), "r"(b[i]));
      asm volatile("madc.hi.u32 %0, %1, %2, %0;" : "+r"(r.word[i + 4]) : "r"(a[3]), "r"(b[i]));
    }
#else
    unsigned __int128 x = (unsigned __int128)l.b << 64 | l.a, y = (unsigned __int128)l.d << 64 | l.c;
    u32 a[4], b[4];
    for (int i = 0; i < 4; ++i)
      a[i] = u32(x >> (32 * i)), b[i] = u32(y >> (32 * i)), r.word[i] = r.word[i + 4] = 0;
    for (int i = 0; i < 4; ++i) {
      u64 carry = 0;
      for (int j = 0; j < 4; ++j) {
        u64 sum = u64(a[j]) * b[i] + r.word[i + j] + carry;
        r.word[i + j] = u32(sum), carry = sum >> 32;
      }
      r.word[i + 4] = u32(carry);
    }
#endif
    return r;
  }
};

/// 128 bits in one statement: sums, differences, and the carry as a number.
struct Wide {
  u64 low, high, carry;
};
struct AddWide {
  __host__ __device__ Wide operator()(const Longs &l) const {
    Wide r;
    EITHER(asm("add.cc.u64 %0, %3, %5;\n\t addc.cc.u64 %1, %4, %6;\n\t addc.u64 %2, 0, 0;"
               : "=l"(r.low), "=l"(r.high), "=l"(r.carry)
               : "l"(l.a), "l"(l.b), "l"(l.c), "l"(l.d)),
           (r.low = l.a + l.c, r.high = l.b + l.d,
            r.carry = u64(r.high < l.b || (r.high == ~0ull && r.low < l.a)), r.high += r.low < l.a));
    return r;
  }
};
struct SubtractWide {
  __host__ __device__ Wide operator()(const Longs &l) const {
    Wide r;
    EITHER(asm("sub.cc.u64 %0, %3, %5; subc.cc.u64 %1, %4, %6; subc.u64 %2, 0, 0;"
               : "=l"(r.low), "=l"(r.high), "=l"(r.carry)
               : "l"(l.a), "l"(l.b), "l"(l.c), "l"(l.d)),
           (r.low = l.a - l.c, r.high = l.b - l.d - (l.a < l.c),
            r.carry = l.b < l.d || (l.b == l.d && l.a < l.c) ? ~0ull : 0));
    return r;
  }
};

/// The flag of a subtraction is that of a + ~b + 1, as addc sees it (and nvcc's own division counts on that).
struct CarryOfDifference {
  __host__ __device__ Wide operator()(const Longs &l) const {
    Wide r;
    EITHER(asm("sub.cc.u64 %0, %3, %5; subc.cc.u64 %1, %4, %6; addc.u64 %2, 0, 0;"
               : "=l"(r.low), "=l"(r.high), "=l"(r.carry)
               : "l"(l.a), "l"(l.b), "l"(l.c), "l"(l.d)),
           (r.low = l.a - l.c, r.high = l.b - l.d - (l.a < l.c),
            r.carry = l.b < l.d || (l.b == l.d && l.a < l.c) ? 0 : 1));
    return r;
  }
};

int main() {
  runTests();
  mapOnDevice<Short>("short", randomWords());
  mapOnDevice<Multiply>("multiply", randomLongs());
  mapOnDevice<AddWide>("addWide", randomLongs());
  mapOnDevice<SubtractWide>("subtractWide", randomLongs());
  mapOnDevice<CarryOfDifference>("carryOfDifference", randomLongs());
  return finish();
}
