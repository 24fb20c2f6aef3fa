// RUN: %nvcc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of inline PTX on halves, bfloat16 and pairs of them, against the functions of cuda_fp16.h and
// cuda_bf16.h on the host.
// NVCC: -arch=sm_90
#include "ptx.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

using u16 = uint16_t;
using u32 = uint32_t;

template <class To, class From> __host__ __device__ To bitsOf(From from) {
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}
#define H(x) bitsOf<__half>(u16(x))
#define B(x) bitsOf<__nv_bfloat16>(u16(x))
#define BITS(x) bitsOf<u16>(x)

/// NaNs have one pattern.
static __host__ __device__ u16 plain(u16 x) { return (x & 0x7fff) > 0x7c00 ? 0x7fff : x; }
static __host__ __device__ u16 plainBrain(u16 x) { return (x & 0x7fff) > 0x7f80 ? 0x7fff : x; }

#define HALF(name, text, plain, expression)                                                        \
  TEST_NAMESPACE {                                                                                 \
    struct name {                                                                                  \
      __host__ __device__ u16 operator()(const Words &w) const {                                   \
        u16 a = u16(w.a), b = u16(w.b), c = u16(w.c), r = 0;                                       \
        (void)a, (void)b, (void)c;                                                                 \
        EITHER(asm(text : "=h"(r) : "h"(a), "h"(b), "h"(c)), r = expression);                      \
        return plain(r);                                                                           \
      }                                                                                            \
    };                                                                                             \
    static const Tests added([] { mapOnDevice<name>(#name, halfWords(), OneShape); });                       \
  }

#define EACH(f) (u32(f(u16(a), u16(b), u16(c))) | u32(f(u16(a >> 16), u16(b >> 16), u16(c >> 16))) << 16)
#define PAIR(name, text, plain, f)                                                                 \
  TEST_NAMESPACE {                                                                                 \
    struct name {                                                                                  \
      __host__ __device__ u32 operator()(const Words &w) const {                                   \
        u32 a = w.a, b = w.b, c = w.c, r = 0;                                                      \
        (void)a, (void)b, (void)c;                                                                 \
        EITHER(asm(text : "=r"(r) : "r"(a), "r"(b), "r"(c)), r = EACH(f));                         \
        return plain(u16(r)) | u32(plain(u16(r >> 16))) << 16;                                     \
      }                                                                                            \
    };                                                                                             \
    static const Tests added([] { mapOnDevice<name>(#name, halfWords(), OneShape); });                       \
  }

static __host__ u16 addHalf(u16 a, u16 b, u16) { return BITS(__hadd_rn(H(a), H(b))); }
static __host__ u16 maxHalf(u16 a, u16 b, u16) { return BITS(__hmax(H(a), H(b))); }

static std::vector<Words> halfWords() {
  std::vector<Words> words = randomWords(800);
  Random random(9);
  for (size_t i = 0; i < words.size(); i += 2) // numbers whose sums and products are in range
    words[i] = {(random.bits() & 0x83ff83ff) + 0x34003800, (random.bits() & 0x83ff83ff) + 0x38003400,
                (random.bits() & 0x87ff87ff) + 0x34003400, 0};
  return words;
}

#undef WORD_INPUTS
#define WORD_INPUTS halfWords()
HALF(add, "add.rn.f16 %0, %1, %2;", plain, BITS(__hadd_rn(H(a), H(b))))
HALF(sub, "sub.rn.f16 %0, %1, %2;", plain, BITS(__hsub_rn(H(a), H(b))))
HALF(mul, "mul.rn.f16 %0, %1, %2;", plain, BITS(__hmul_rn(H(a), H(b))))
HALF(mulSat, "mul.rn.sat.f16 %0, %1, %2;", plain, BITS(__hmul_sat(H(a), H(b))))
HALF(absolute, "abs.f16 %0, %1;", plain, BITS(__habs(H(a))))
HALF(least, "min.f16 %0, %1, %2;", plain, BITS(__hmin(H(a), H(b))))
HALF(addBrain, "add.rn.bf16 %0, %1, %2;", plainBrain, BITS(__hadd_rn(B(a), B(b))))
HALF(isLess, "{ .reg .pred p; setp.lt.f16 p, %1, %2; selp.b16 %0, 1, 0, p; }", u16, u16(__hlt(H(a), H(b))))
HALF(isLessOrNan, "{ .reg .pred p; setp.ltu.bf16 p, %1, %2; selp.b16 %0, 1, 0, p; }", u16,
     u16(__hltu(B(a), B(b))))
PAIR(addPair, "add.rn.f16x2 %0, %1, %2;", plain, addHalf)
PAIR(maxPair, "max.f16x2 %0, %1, %2;", plain, maxHalf)
WORDS(setPair, "set.gt.u32.f16x2 %0, %1, %2;", __hgt2_mask(bitsOf<__half2>(a), bitsOf<__half2>(b)))
WORDS(setpPair, "{ .reg .pred p, q; setp.gt.f16x2 p|q, %1, %2; selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2; }",
      u32(__hgt(H(a), H(b))) + 2 * u32(__hgt(H(a >> 16), H(b >> 16))))

#ifdef __clang__ // with nvcc the host has no __hfma, and no order of zeros
static __host__ u16 fmaHalf(u16 a, u16 b, u16 c) { return BITS(__hfma(H(a), H(b), H(c))); }
static __host__ u16 fmaBrain(u16 a, u16 b, u16 c) { return BITS(__hfma(B(a), B(b), B(c))); }
static __host__ u16 reluHalf(u16 a, u16 b, u16 c) { return BITS(__hfma_relu(H(a), H(b), H(c))); }
HALF(fma, "fma.rn.f16 %0, %1, %2, %3;", plain, fmaHalf(a, b, c))
HALF(fmaBrains, "fma.rn.bf16 %0, %1, %2, %3;", plainBrain, fmaBrain(a, b, c))
PAIR(fmaPair, "fma.rn.f16x2 %0, %1, %2, %3;", plain, fmaHalf)
PAIR(fmaRelu, "fma.rn.relu.f16x2 %0, %1, %2, %3;", plain, reluHalf)
PAIR(fmaBrainPair, "fma.rn.bf16x2 %0, %1, %2, %3;", plainBrain, fmaBrain)
static __host__ u16 minNanBrain(u16 a, u16 b, u16) { return BITS(__hmin_nan(B(a), B(b))); }
PAIR(minBrainPair, "min.NaN.bf16x2 %0, %1, %2;", plainBrain, minNanBrain)
#endif

int main() {
  runTests();
  return finish();
}
