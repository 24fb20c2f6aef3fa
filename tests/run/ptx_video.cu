// RUN: %nvcc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar video instructions of inline PTX against plain C++ in 128 bits, and the selectors and masks of the SIMD ones.
#include "ptx.h"

#define HD __host__ __device__ inline

using Wide = __int128;

/// `bits` of a word from `first` on, signed or not.
HD Wide part(uint32_t word, int first, int bits, bool isSigned) {
  uint32_t low = bits == 32 ? word : word >> first & ((1u << bits) - 1);
  return isSigned && low >> (bits - 1) & 1 ? Wide(low) - (Wide(1) << bits) : Wide(low);
}

HD Wide clamp(Wide value, bool isSigned, int bits) {
  Wide most = (Wide(1) << (isSigned ? bits - 1 : bits)) - 1, least = isSigned ? -most - 1 : 0;
  return value < least ? least : value > most ? most : value;
}

HD Wide least(Wide a, Wide b) { return a < b ? a : b; }
HD Wide greatest(Wide a, Wide b) { return a < b ? b : a; }

/// The low bits of a value at a place in c.
HD uint32_t merge(Wide value, uint32_t c, int first, int bits) {
  uint32_t mask = ((1u << bits) - 1) << first;
  return (uint32_t(value) << first & mask) | (c & ~mask);
}

#define U(first, bits) first, bits, false
#define S(first, bits) first, bits, true

WORDS(Add, "vadd.u32.u32.u32 %0, %1, %2;", part(a, U(0, 32)) + part(b, U(0, 32)))
WORDS(AddParts, "vadd.s32.u32.s32 %0, %1.b2, %2.h1;", part(a, U(16, 8)) + part(b, S(16, 16)))
WORDS(AddClamped, "vadd.s32.s32.s32.sat %0, %1, %2;", clamp(part(a, S(0, 32)) + part(b, S(0, 32)), true, 32))
WORDS(AddClampedUnsigned, "vadd.u32.s32.u32.sat %0, %1, %2.b3;", clamp(part(a, S(0, 32)) + part(b, U(24, 8)), false, 32))
WORDS(AddThenAdd, "vadd.u32.u32.u32.add %0, %1.h0, %2.b1, %3;", part(a, U(0, 16)) + part(b, U(8, 8)) + c)
WORDS(AddThenMax, "vadd.s32.s32.s32.sat.max %0, %1, %2, %3;",
      greatest(clamp(part(a, S(0, 32)) + part(b, S(0, 32)), true, 32), part(c, S(0, 32))))
WORDS(AddMerged, "vadd.u32.u32.u32.sat %0.b1, %1.b0, %2.b0, %3;",
      merge(clamp(part(a, U(0, 8)) + part(b, U(0, 8)), false, 8), c, 8, 8))
WORDS(Sub, "vsub.s32.s32.s32.sat %0, %1, %2;", clamp(part(a, S(0, 32)) - part(b, S(0, 32)), true, 32))
WORDS(SubMerged, "vsub.s32.u32.u32.sat %0.h1, %1, %2, %3;",
      merge(clamp(part(a, U(0, 32)) - part(b, U(0, 32)), true, 16), c, 16, 16))
WORDS(SubThenMin, "vsub.u32.u32.u32.min %0, %1.b1, %2.b0, %3;",
      least(Wide(uint32_t(part(a, U(8, 8)) - part(b, U(0, 8)))), c))
WORDS(Distance, "vabsdiff.u32.s32.s32 %0, %1, %2;",
      greatest(part(a, S(0, 32)) - part(b, S(0, 32)), part(b, S(0, 32)) - part(a, S(0, 32))))
WORDS(DistanceClamped, "vabsdiff.s32.u32.u32.sat.add %0, %1, %2, %3;",
      clamp(greatest(Wide(a) - Wide(b), Wide(b) - Wide(a)), true, 32) + c)
WORDS(Min, "vmin.s32.s32.u32 %0, %1, %2;", least(part(a, S(0, 32)), part(b, U(0, 32))))
WORDS(MinParts, "vmin.s32.s32.s32 %0.b3, %1.h1, %2.b0, %3;", merge(least(part(a, S(16, 16)), part(b, S(0, 8))), c, 24, 8))
WORDS(Max, "vmax.u32.u32.u32.add %0, %1, %2, %3;", greatest(a, b) + c)
WORDS(MaxMixed, "vmax.s32.s32.u32.sat %0, %1, %2;", clamp(greatest(part(a, S(0, 32)), part(b, U(0, 32))), true, 32))

HD Wide distanceOf(Wide by, bool wraps) { return wraps ? by & 31 : by > 32 ? 32 : by; }
WORDS(Left, "vshl.u32.u32.u32.wrap %0, %1, %2;", Wide(a) << int(distanceOf(b, true)))
WORDS(LeftClamped, "vshl.u32.u32.u32.sat.clamp %0, %1, %2;", clamp(Wide(a) << int(distanceOf(b, false)), false, 32))
WORDS(LeftUnsignedToSigned, "vshl.s32.u32.u32.sat.clamp %0, %1, %2;", clamp(Wide(a) << int(distanceOf(b, false)), true, 32))
WORDS(LeftSigned, "vshl.s32.s32.u32.sat.clamp %0, %1.h0, %2.b0;",
      clamp(part(a, S(0, 16)) * (Wide(1) << int(distanceOf(b & 255, false))), true, 32))
WORDS(Right, "vshr.u32.u32.u32.clamp.add %0, %1, %2.b0, %3;", (Wide(a) >> int(distanceOf(b & 255, false))) + c)
WORDS(RightSigned, "vshr.s32.s32.u32.wrap %0.h0, %1, %2, %3;",
      merge(part(a, S(0, 32)) >> int(distanceOf(b, true)), c, 0, 16))

WORDS(Less, "vset.s32.u32.lt %0, %1, %2;", part(a, S(0, 32)) < part(b, U(0, 32)))
WORDS(GreaterAdded, "vset.u32.u32.gt.add %0, %1.b0, %2.b3, %3;", (part(a, U(0, 8)) > part(b, U(24, 8))) + c)
WORDS(NotEqualMerged, "vset.s32.s32.ne %0.b2, %1.h0, %2.h0, %3;", merge(part(a, S(0, 16)) != part(b, S(0, 16)), c, 16, 8))

WORDS(Mad, "vmad.u32.u32.u32 %0, %1, %2, %3;", Wide(a) * b + c)
WORDS(MadParts, "vmad.s32.u32.u32 %0, %1.h0, %2.h1, 0;", part(a, U(0, 16)) * part(b, U(16, 16)))
WORDS(MadNegated, "vmad.s32.u32.u32 %0, -%1.h0, %2.h0, %3;", -(part(a, U(0, 16)) * part(b, U(0, 16))) + part(c, S(0, 32)))
WORDS(MadMinusC, "vmad.s32.s32.s32 %0, %1.b0, %2.b1, -%3;", part(a, S(0, 8)) * part(b, S(8, 8)) - part(c, S(0, 32)))
WORDS(MadShifted, "vmad.u32.u32.u32.shr7 %0, %1, %2, %3;", (Wide(a) * b + c) >> 7)
WORDS(MadShiftedFar, "vmad.s32.s32.u32.shr15 %0, %1, %2, %3;", (part(a, S(0, 32)) * b + part(c, S(0, 32))) >> 15)
WORDS(MadPlusOne, "vmad.u32.u32.u32.po %0, %1, %2.b0, %3;", Wide(a) * (b & 255) + c + 1)
WORDS(MadClamped, "vmad.u32.u32.u32.sat %0, %1, %2, %3;", clamp(Wide(a) * b + c, false, 32))
WORDS(MadClampedSigned, "vmad.s32.s32.s32.sat.shr7 %0, %1, %2, %3;",
      clamp((part(a, S(0, 32)) * part(b, S(0, 32)) + part(c, S(0, 32))) >> 7, true, 32))
WORDS(MadClampedNegated, "vmad.s32.u32.u32.sat.shr15 %0, %1, -%2, %3;",
      clamp((-(Wide(a) * b) + part(c, S(0, 32))) >> 15, true, 32))
WORDS(MadClampedMixed, "vmad.s32.u32.s32.sat %0, %1, %2, -%3;",
      clamp(Wide(a) * part(b, S(0, 32)) - part(c, S(0, 32)), true, 32))

/// Element i of a and b together, which a begins.
HD int chosen(uint32_t a, uint32_t b, int i, int bits, bool isSigned) {
  int count = 32 / bits;
  return int(part(i < count ? a : b, i % count * bits, bits, isSigned));
}
/// Sums of the elements that the lists choose; what the mask leaves out is c's.
HD uint32_t sums(uint32_t a, uint32_t b, uint32_t c, int bits, bool isSigned, uint32_t fromA, uint32_t fromB,
                 uint32_t mask, bool adds) {
  uint32_t result = c;
  for (int i = 0; i < 32 / bits; ++i) {
    if (!(mask >> i & 1))
      continue;
    int sum = chosen(a, b, fromA >> (4 * i) & 7, bits, isSigned) + chosen(a, b, fromB >> (4 * i) & 7, bits, isSigned);
    result = adds ? result + uint32_t(sum) : merge(sum, result, i * bits, bits);
  }
  return result;
}
WORDS(Chosen4, "vadd4.u32.u32.u32 %0, %1.b7531, %2.b0246, %3;", sums(a, b, c, 8, false, 0x7531, 0x0246, 15, false))
WORDS(Masked4, "vadd4.s32.s32.s32 %0.b20, %1, %2, %3;", sums(a, b, c, 8, true, 0x3210, 0x7654, 5, false))
WORDS(MaskedSum4, "vadd4.s32.s32.s32.add %0.b321, %1.b0000, %2, %3;", sums(a, b, c, 8, true, 0x0000, 0x7654, 14, true))
WORDS(Chosen2, "vadd2.s32.s32.s32 %0, %1.h12, %2.h30, %3;", sums(a, b, c, 16, true, 0x12, 0x30, 3, false))
WORDS(Masked2, "vadd2.u32.u32.u32 %0.h1, %1, %2.h01, %3;", sums(a, b, c, 16, false, 0x10, 0x01, 2, false))
WORDS(SetChosen4, "vset4.u32.u32.gt %0.b1, %1.b3333, %2, %3;", merge((a >> 24) > (b >> 8 & 255), c, 8, 8))

int main() {
  runTests();
  return finish();
}
