// RUN: %nvcc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The SIMD instructions of inline PTX on halfwords and bytes against plain C++.
#include "ptx.h"

#define HD __host__ __device__ inline

enum class Op { Add, Sub, Average, Distance, Min, Max, Less, NotEqual };

HD int compute(Op op, int a, int b) {
  switch (op) {
  case Op::Add:
    return a + b;
  case Op::Sub:
    return a - b;
  case Op::Average:
    return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
  case Op::Distance:
    return a > b ? a - b : b - a;
  case Op::Min:
    return a < b ? a : b;
  case Op::Max:
    return a > b ? a : b;
  case Op::Less:
    return a < b;
  case Op::NotEqual:
    return a != b;
  }
  return 0;
}

HD int element(uint32_t word, int i, int bits, bool isSigned) {
  int value = int(word >> (bits * i) & ((1u << bits) - 1));
  return isSigned && value >> (bits - 1) ? value - (1 << bits) : value;
}

/// How the result is made of the elements.
enum class End { Merge, ClampUnsigned, ClampSigned, Sum };

HD uint32_t simd(Op op, int bits, bool signA, bool signB, End end, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t merged = 0, sum = c;
  for (int i = 0; i < 32 / bits; ++i) {
    int t = compute(op, element(a, i, bits, signA), element(b, i, bits, signB));
    int least = end == End::ClampSigned ? -(1 << (bits - 1)) : 0;
    int most = end == End::ClampSigned ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    if (end == End::ClampUnsigned || end == End::ClampSigned)
      t = t < least ? least : t > most ? most : t;
    merged |= (uint32_t(t) & ((1u << bits) - 1)) << (bits * i);
    sum += uint32_t(t);
  }
  return end == End::Sum ? sum : merged;
}

WORDS(Add4, "vadd4.u32.u32.u32 %0, %1, %2, %3;", simd(Op::Add, 8, false, false, End::Merge, a, b, c))
WORDS(Add2, "vadd2.s32.s32.s32 %0, %1, %2, %3;", simd(Op::Add, 16, true, true, End::Merge, a, b, c))
WORDS(AddClamped4, "vadd4.u32.u32.s32.sat %0, %1, %2, %3;",
      simd(Op::Add, 8, false, true, End::ClampUnsigned, a, b, c))
WORDS(AddClamped2, "vadd2.s32.s32.u32.sat %0, %1, %2, %3;",
      simd(Op::Add, 16, true, false, End::ClampSigned, a, b, c))
WORDS(SubClamped4, "vsub4.s32.s32.s32.sat %0, %1, %2, %3;",
      simd(Op::Sub, 8, true, true, End::ClampSigned, a, b, c))
WORDS(SubClamped2, "vsub2.u32.u32.u32.sat %0, %1, %2, %3;",
      simd(Op::Sub, 16, false, false, End::ClampUnsigned, a, b, c))
WORDS(Average4, "vavrg4.u32.u32.u32 %0, %1, %2, %3;", simd(Op::Average, 8, false, false, End::Merge, a, b, c))
WORDS(Average2, "vavrg2.s32.s32.s32 %0, %1, %2, %3;", simd(Op::Average, 16, true, true, End::Merge, a, b, c))
WORDS(Distance4, "vabsdiff4.u32.u32.u32 %0, %1, %2, %3;", simd(Op::Distance, 8, false, false, End::Merge, a, b, c))
WORDS(Distances4, "vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;", simd(Op::Distance, 8, false, false, End::Sum, a, b, c))
WORDS(Distances2, "vabsdiff2.u32.s32.s32.add %0, %1, %2, %3;", simd(Op::Distance, 16, true, true, End::Sum, a, b, c))
WORDS(Min4, "vmin4.s32.s32.s32 %0, %1, %2, %3;", simd(Op::Min, 8, true, true, End::Merge, a, b, c))
WORDS(Min2, "vmin2.u32.u32.u32 %0, %1, %2, %3;", simd(Op::Min, 16, false, false, End::Merge, a, b, c))
WORDS(Max4, "vmax4.u32.u32.u32 %0, %1, %2, %3;", simd(Op::Max, 8, false, false, End::Merge, a, b, c))
WORDS(Max2, "vmax2.s32.s32.s32 %0, %1, %2, %3;", simd(Op::Max, 16, true, true, End::Merge, a, b, c))
WORDS(Less4, "vset4.u32.u32.lt %0, %1, %2, %3;", simd(Op::Less, 8, false, false, End::Merge, a, b, c))
WORDS(Less2, "vset2.s32.s32.lt %0, %1, %2, %3;", simd(Op::Less, 16, true, true, End::Merge, a, b, c))
WORDS(CountDifferent4, "vset4.u32.u32.ne.add %0, %1, %2, %3;", simd(Op::NotEqual, 8, false, false, End::Sum, a, b, c))

int main() {
  runTests();
  return finish();
}
