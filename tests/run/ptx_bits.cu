// RUN: %nvcc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Logic, shifts, bit fields and bytes of inline PTX against plain C++.
#include "ptx.h"

#define HD __host__ __device__ inline
using i32 = int32_t;
using i64 = int64_t;
using u32 = uint32_t;
using u64 = uint64_t;

HD u64 shiftLeft(u64 a, u32 n, u32 width) { return n >= width ? 0 : a << n; }
HD u64 shiftRight(u64 a, u32 n, u32 width) { return n >= width ? 0 : a >> n; }
HD i64 shiftSigned(i64 a, u32 n, u32 width) { return a >> (n >= width ? width - 1 : n); }
HD u32 lop3(u32 a, u32 b, u32 c, u32 table) {
  u32 r = 0;
  for (int i = 0; i < 32; ++i)
    r |= (table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i;
  return r;
}
HD u32 funnel(u32 low, u32 high, u32 n, bool left, bool wraps) {
  n = wraps ? n & 31 : n > 32 ? 32 : n;
  u64 all = u64(high) << 32 | low;
  return left ? u32(n == 0 ? high : all << n >> 32) : u32(all >> n);
}
/// As the PTX ISA writes it.
HD u64 extract(u64 a, u32 b, u32 c, bool isSigned, u32 width) {
  u32 pos = b & 255, len = c & 255, last = pos + len - 1 < width - 1 ? pos + len - 1 : width - 1;
  u64 sign = isSigned && len != 0 ? a >> last & 1 : 0, d = 0;
  for (u32 i = 0; i < width; ++i)
    d |= (i < len && pos + i < width ? a >> (pos + i) & 1 : sign) << i;
  return d;
}
HD u64 insert(u64 a, u64 b, u32 c, u32 d, u32 width) {
  u32 pos = c & 255, len = d & 255;
  for (u32 i = 0; i < len && pos + i < width; ++i)
    b = (b & ~(1ull << (pos + i))) | (a >> i & 1) << (pos + i);
  return b;
}
HD u32 mask(u32 pos, u32 len, bool clamps) {
  if (!clamps)
    pos &= 31, len &= 31;
  u32 d = 0;
  for (u64 i = pos; i < 32 && i < u64(pos) + len; ++i)
    d |= 1u << i;
  return d;
}
HD u32 extend(u32 a, u32 n, bool isSigned, bool clamps) {
  if (clamps && n >= 32)
    return a;
  n &= 31;
  if (n == 0)
    return 0;
  u32 low = a & ((1u << n) - 1);
  return isSigned && (a >> (n - 1) & 1) ? low | ~0u << n : low;
}
HD u32 bytes(u32 a, u32 b, u32 selectors) {
  u64 all = u64(b) << 32 | a;
  u32 r = 0;
  for (int i = 0; i < 4; ++i) {
    u32 s = selectors >> (4 * i) & 15, byte = u32(all >> (8 * (s & 7))) & 255;
    r |= (s & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * i);
  }
  return r;
}
/// The selectors of a mode of prmt.
HD u32 selectors(int mode, u32 c) {
  static constexpr u32 table[6][4] = {{0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
                                      {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
                                      {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
  return table[mode][c & 3];
}

#define LOP3(table) WORDS(lop, "lop3.b32 %0, %1, %2, %3, " #table ";", lop3(a, b, c, table))
#define PRMT(mode, number) WORDS(prmt, "prmt.b32." #mode " %0, %1, %2, %3;", bytes(a, b, selectors(number, c)))

WORDS(land, "and.b32 %0, %1, %2;", a &b)
WORDS(lor, "or.b32 %0, %1, %2;", a | b)
WORDS(lxor, "xor.b32 %0, %1, %2;", a ^ b)
WORDS(lnot, "not.b32 %0, %1;", ~a)
WORDS(cnot, "cnot.b32 %0, %1;", a == 0)
LOP3(0x96) LOP3(0xe8) LOP3(0xca) LOP3(0xd8) LOP3(0x80) LOP3(0xfe) LOP3(0x1b) LOP3(0x00)
LOP3(0xff) LOP3(0x6a) LOP3(0x3c) LOP3(0x0f) LOP3(0x47) LOP3(0xf0) LOP3(0xcc) LOP3(0xaa)
WORDS(lopSet,
      "{ .reg .pred p, q; .reg .u32 t; setp.ne.u32 q, %3, 0; lop3.and.b32 t|p, %1, %2, %3, 0x80, q;"
      "  selp.u32 %0, t, 77, p; }",
      (a & b & c) && c ? a &b &c : 77)
WORDS(lopConstant, "lop3.b32 %0, %1, 0xf0f0f0f0, %3, 0x96;", a ^ 0xf0f0f0f0 ^ c)
WORDS(left, "shl.b32 %0, %1, %2;", shiftLeft(a, b, 32))
WORDS(right, "shr.u32 %0, %1, %2;", shiftRight(a, b, 32))
WORDS(rightSigned, "shr.s32 %0, %1, %2;", shiftSigned(i32(a), b, 32))
WORDS(rightBits, "shr.b32 %0, %1, 7;", a >> 7)
WORDS(funnelLeft, "shf.l.wrap.b32 %0, %1, %2, %3;", funnel(a, b, c, true, true))
WORDS(funnelLeftClamp, "shf.l.clamp.b32 %0, %1, %2, %3;", funnel(a, b, c, true, false))
WORDS(funnelRight, "shf.r.wrap.b32 %0, %1, %2, %3;", funnel(a, b, c, false, true))
WORDS(funnelRightClamp, "shf.r.clamp.b32 %0, %1, %2, %3;", funnel(a, b, c, false, false))
WORDS(field, "bfe.u32 %0, %1, %2, %3;", extract(a, b, c, false, 32))
WORDS(fieldSigned, "bfe.s32 %0, %1, %2, %3;", extract(a, b, c, true, 32))
WORDS(fieldConstant, "bfe.u32 %0, %1, 8, 8;", a >> 8 & 255)
WORDS(put, "{ .reg .u32 t; shr.u32 t, %3, 5; bfi.b32 %0, %1, %2, %3, t; }", insert(a, b, c, c >> 5, 32))
WORDS(putConstant, "bfi.b32 %0, %1, %2, 12, 9;", insert(a, b, 12, 9, 32))
WORDS(maskWrap, "bmsk.wrap.b32 %0, %1, %2;", mask(a, b, false))
WORDS(maskClamp, "bmsk.clamp.b32 %0, %1, %2;", mask(a, b, true))
WORDS(extendWrap, "szext.wrap.s32 %0, %1, %2;", extend(a, b, true, false))
WORDS(extendClamp, "szext.clamp.u32 %0, %1, %2;", extend(a, b, false, true))
WORDS(extendSigned, "szext.clamp.s32 %0, %1, %2;", extend(a, b, true, true))
WORDS(permute, "prmt.b32 %0, %1, %2, %3;", bytes(a, b, c))
WORDS(swap, "prmt.b32 %0, %1, 0, 0x0123;", bytes(a, 0, 0x123))
PRMT(f4e, 0) PRMT(b4e, 1) PRMT(rc8, 2) PRMT(ecl, 3) PRMT(ecr, 4) PRMT(rc16, 5)

LONGS(xorLong, "xor.b64 %0, %1, %2;", a ^ b)
LONGS(leftLong, "{ .reg .u32 n; cvt.u32.u64 n, %2; shl.b64 %0, %1, n; }", shiftLeft(a, u32(b), 64))
LONGS(rightLong, "{ .reg .u32 n; cvt.u32.u64 n, %2; shr.u64 %0, %1, n; }", shiftRight(a, u32(b), 64))
LONGS(rightLongSigned, "{ .reg .u32 n; cvt.u32.u64 n, %2; shr.s64 %0, %1, n; }",
      shiftSigned(i64(a), u32(b), 64))
LONGS(fieldLong, "{ .reg .u32 n, m; cvt.u32.u8 n, %2; cvt.u32.u8 m, %3; bfe.s64 %0, %1, n, m; }",
      extract(a, u32(b), u32(c), true, 64))
LONGS(fieldLongPlain, "{ .reg .u32 n, m; cvt.u32.u8 n, %2; cvt.u32.u8 m, %3; bfe.u64 %0, %1, n, m; }",
      extract(a, u32(b), u32(c), false, 64))
LONGS(putLong, "{ .reg .u32 n; cvt.u32.u8 n, %3; bfi.b64 %0, %1, %2, n, 20; }", insert(a, b, u32(c), 20, 64))
LONGS(swapHalves, "{ .reg .b32 low, high; mov.b64 {low, high}, %1; mov.b64 %0, {high, low}; }", a << 32 | a >> 32)
LONGS(quarters, "{ .reg .b16 p, q, r, s; mov.b64 {p, q, r, s}, %1; mov.b64 %0, {s, r, q, p}; }",
      a << 48 | (a & 0xffff0000) << 16 | (a >> 16 & 0xffff0000) | a >> 48)
LONGS(upper, "{ .reg .b32 high; mov.b64 {_, high}, %1; mov.b64 %0, {high, high}; }", a >> 32 << 32 | a >> 32)

struct ShortShift {
  __host__ __device__ uint16_t operator()(const Words &w) const {
    uint16_t a = uint16_t(w.a), r;
    EITHER(asm("{ .reg .u16 t; shl.b16 t, %1, %2; not.b16 %0, t; }" : "=h"(r) : "h"(a), "r"(w.b)),
           r = uint16_t(~shiftLeft(a, w.b, 16)));
    return r;
  }
};

/// Operands of 128 bits.
struct Quad {
  __host__ __device__ u64 operator()(const Longs &w) const {
    u64 r;
#ifdef __CUDA_ARCH__
    unsigned __int128 both;
    asm("mov.b128 %0, {%1, %2};" : "=q"(both) : "l"(w.a), "l"(w.b));
    asm("{ .reg .b64 low, high; mov.b128 {low, high}, %1; sub.u64 %0, high, low; }" : "=l"(r) : "q"(both));
#else
    r = w.b - w.a;
#endif
    return r;
  }
};

int main() {
  runTests();
  mapOnDevice<Quad>("quad", randomLongs());
  mapOnDevice<ShortShift>("shortShift", randomWords());
  return finish();
}
