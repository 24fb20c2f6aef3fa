// RUN: %nvcc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons, predicates, guarded instructions, labels and scopes of inline PTX against plain C++.
#include "ptx.h"

using i32 = int32_t;
using i64 = int64_t;
using u32 = uint32_t;
using u64 = uint64_t;

static __host__ __device__ float asFloat(u32 bits) {
  float f;
  memcpy(&f, &bits, 4);
  return f;
}
static __host__ __device__ bool isNan(float f) { return f != f; }

/// One comparison as a number: setp and selp.
#define SETP(name, op, host)                                                                       \
  WORDS(name, "{ .reg .pred p; setp." op " p, %1, %2; selp.u32 %0, 1, 0, p; }", (host) ? 1 : 0)
#define SETF(name, op, host)                                                                       \
  WORDS(name,                                                                                      \
        "{ .reg .pred p; .reg .f32 x, y; mov.b32 x, %1; mov.b32 y, %2; setp." op ".f32 p, x, y;"   \
        "  selp.u32 %0, 1, 0, p; }",                                                               \
        (host) ? 1 : 0)

SETP(equal, "eq.u32", a == b)
SETP(unequal, "ne.s32", a != b)
SETP(below, "lt.s32", i32(a) < i32(b))
SETP(belowOrSame, "le.s32", i32(a) <= i32(b))
SETP(above, "gt.s32", i32(a) > i32(b))
SETP(aboveOrSame, "ge.s32", i32(a) >= i32(b))
SETP(lower, "lt.u32", a < b)
SETP(lo, "lo.u32", a < b)
SETP(ls, "ls.u32", a <= b)
SETP(hi, "hi.u32", a > b)
SETP(hs, "hs.u32", a >= b)
WORDS(both,
      "{ .reg .pred p, q, r; setp.ne.u32 r, %3, 0; setp.lt.and.s32 p|q, %1, %2, r;"
      "  selp.u32 %0, 1, 0, p; @q or.b32 %0, %0, 2; }",
      ((i32(a) < i32(b)) && c ? 1 : 0) | (!(i32(a) < i32(b)) && c ? 2 : 0))
WORDS(either, "{ .reg .pred p, r; setp.ne.u32 r, %3, 0; setp.eq.or.u32 p, %1, %2, !r; selp.u32 %0, 5, 6, p; }",
      a == b || !c ? 5 : 6)
WORDS(exclusive, "{ .reg .pred p, r; setp.ne.u32 r, %3, 0; setp.gt.xor.u32 p, %1, %2, r; selp.u32 %0, 5, 6, p; }",
      (a > b) != (c != 0) ? 5 : 6)
WORDS(setMask, "set.lt.u32.s32 %0, %1, %2;", i32(a) < i32(b) ? ~0u : 0)
WORDS(setFloat, "{ .reg .f32 t; set.gt.f32.u32 t, %1, %2; mov.b32 %0, t; }", a > b ? 0x3f800000 : 0)
WORDS(choose, "slct.u32.s32 %0, %1, %2, %3;", i32(c) >= 0 ? a : b)
WORDS(predicates, "{ .reg .pred p, q; setp.gt.u32 p, %1, %2; setp.ne.u32 q, %3, 0; xor.pred p, p, q; not.pred q, q;"
                  "  and.pred p, p, q; selp.u32 %0, 1, 0, p; }",
      ((a > b) != (c != 0)) && c == 0)


static std::vector<Words> floatWords() {
  std::vector<Words> words = randomWords();
  Random random(5);
  for (Words &w : words) { // of the same size, and NaNs
    if (random.below(3) == 0)
      w.b = w.a ^ (random.below(2) ? 0x80000000 : random.below(8));
    if (random.below(8) == 0)
      w.a = 0x7fc00000;
  }
  return words;
}
#undef WORD_INPUTS
#define WORD_INPUTS floatWords()
#define F asFloat(a)
#define G asFloat(b)
#define NANS (isNan(F) || isNan(G))
SETF(feq, "eq", F == G)
SETF(fne, "ne", !NANS && F != G)
SETF(flt, "lt", F < G)
SETF(fle, "le", F <= G)
SETF(fgt, "gt", F > G)
SETF(fge, "ge", F >= G)
SETF(fequ, "equ", NANS || F == G)
SETF(fneu, "neu", NANS || F != G)
SETF(fltu, "ltu", NANS || F < G)
SETF(fleu, "leu", NANS || F <= G)
SETF(fgtu, "gtu", NANS || F > G)
SETF(fgeu, "geu", NANS || F >= G)
SETF(fnum, "num", !NANS)
SETF(fnan, "nan", NANS)
WORDS(chooseByFloat, "{ .reg .f32 x; mov.b32 x, %3; slct.u32.f32 %0, %1, %2, x; }", asFloat(c) >= 0 ? a : b)

#undef WORD_INPUTS
#define WORD_INPUTS randomWords()

static __host__ __device__ u32 looped(u32 a, u32 b) {
  for (u32 i = 0; i < (a & 15); ++i)
    b = b * 3 + i;
  return b;
}
WORDS(guarded, "{ .reg .pred p; mov.u32 %0, 3; setp.lt.u32 p, %1, %2; @p mov.u32 %0, %1; @!p add.u32 %0, %0, %2; }",
      a < b ? a : 3 + b)
WORDS(loop,
      "{ .reg .pred p; .reg .u32 i, n; and.b32 n, %1, 15; mov.u32 i, 0; mov.u32 %0, %2;\n"
      "again:\n\t setp.ge.u32 p, i, n; @p bra done;\n"
      "  mad.lo.u32 %0, %0, 3, i; add.u32 i, i, 1; bra.uni again;\n"
      "done: }",
      looped(a, b))
WORDS(unique, "{ .reg .pred p; setp.gt.s32 p, %1, 0; mov.u32 %0, 1; @p bra over_%=; mov.u32 %0, 2; over_%=: }",
      i32(a) > 0 ? 1 : 2)
WORDS(nested, "{ .reg .u32 t; add.u32 t, %1, 1; { .reg .u32 t; add.u32 t, %2, 2; mov.u32 %0, t; } add.u32 %0, %0, t; }",
      a + 1 + b + 2)
WORDS(ranges, "{ .reg .u32 r<4>; mov.u32 r0, %1; add.u32 r3, r0, %2; mov.u32 %0, r3; }", a + b)
WORDS(vectors, "{ .reg .v2 .b32 v; mov.b32 v.x, %1; mov.b32 v.y, %2; add.u32 %0, v.x, v.y; }", a + b)
WORDS(commented, "// nothing\n /* and\n nothing */ mov.u32 %0, %1; // more", a)
WORDS(constants, "{ .reg .u32 t; mov.b32 t, 0f3f800000; xor.b32 %0, t, 0x10U; mov.u32 t, WARP_SZ; add.u32 %0, %0, t; }",
      (0x3f800000 ^ 0x10) + 32)

#ifdef __clang__ // nvcc knows no names of operands
/// Names of operands, constants as operands, and operands that are read and written.
struct Names {
  __host__ __device__ u32 operator()(const Words &w) const {
    u32 sum = w.a;
    EITHER(asm("mad.lo.u32 %[sum], %[x], %[factor], %[sum];\n\t add.u32 %[sum], %[sum], %3;"
               : [sum] "+r"(sum)
               : [x] "r"(w.b), [factor] "n"(40), "n"(-3)),
           sum = w.a + w.b * 40 - 3);
    return sum;
  }
};
#endif

/// A register that one statement declares and another uses.
struct Shared {
  __host__ __device__ u32 operator()(const Words &w) const {
    u32 r = 0;
#ifdef __CUDA_ARCH__
    asm volatile(".reg .pred isLarge;");
    asm volatile("setp.gt.u32 isLarge, %0, 1000;" ::"r"(w.a));
    asm volatile("@isLarge mov.u32 %0, %1;" : "+r"(r) : "r"(w.b));
#else
    r = w.a > 1000 ? w.b : 0;
#endif
    return r;
  }
};

/// Threads that leave the kernel from an asm statement.
__global__ void leave(u32 *out, u32 n) {
  u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("{ .reg .pred p; setp.ge.u32 p, %0, %1; @p exit; }" ::"r"(i), "r"(n));
  out[i] = i + 1;
}

/// The same in a function, which does not go on either.
__device__ __noinline__ u32 keepBelow(u32 i, u32 n) {
  asm volatile("{ .reg .pred p; setp.ge.u32 p, %0, %1; @p exit; }" ::"r"(i), "r"(n));
  return i + 2;
}
__global__ void leaveInFunction(u32 *out, u32 n) {
  u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = keepBelow(i, n);
}

int main() {
  runTests();
  std::vector<Words> words = randomWords();
#ifdef __clang__
  mapOnDevice<Names>("names", words);
#endif
  mapOnDevice<Shared>("shared", words);
  Buffer<u32> out(300);
  leave<<<3, 100>>>(out, 133);
  checkLaunch();
  std::vector<u32> got = out.get();
  for (u32 i = 0; i < 300; ++i)
    expect("leave", i, got[i], i < 133 ? i + 1 : 0);
  leaveInFunction<<<3, 100>>>(out, 77);
  checkLaunch();
  got = out.get();
  for (u32 i = 0; i < 300; ++i)
    expect("leaveInFunction", i, got[i], i < 77 ? i + 2 : i < 133 ? i + 1 : 0);
  return finish();
}
