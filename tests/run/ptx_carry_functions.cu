// RUN: %nvcc %s -o %t
// RUN: %widths %t
// RUN: %nvcc -G %s -o %t.g && %t.g
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Long numbers by functions of one instruction each, between which the carry flag goes, as libraries have them; and by
// functions of these.
#include "ptx.h"

using u32 = uint32_t;
using u64 = uint64_t;

#define CARRY_FUNCTION(NAME, TEXT)                                                                                     \
  __device__ static u32 NAME(u32 a, u32 b) {                                                                           \
    u32 r;                                                                                                             \
    asm volatile(TEXT " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));                                                      \
    return r;                                                                                                          \
  }
CARRY_FUNCTION(addCC, "add.cc.u32")
CARRY_FUNCTION(addcCC, "addc.cc.u32")
CARRY_FUNCTION(addc, "addc.u32")
CARRY_FUNCTION(subCC, "sub.cc.u32")
CARRY_FUNCTION(subcCC, "subc.cc.u32")
CARRY_FUNCTION(subc, "subc.u32")

#define PRODUCT_FUNCTION(NAME, TEXT)                                                                                   \
  __device__ u32 NAME(u32 a, u32 b, u32 c) {                                                                           \
    u32 r;                                                                                                             \
    asm volatile(TEXT " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));                                          \
    return r;                                                                                                          \
  }
PRODUCT_FUNCTION(madLowCC, "mad.lo.cc.u32")
PRODUCT_FUNCTION(madcLowCC, "madc.lo.cc.u32")
PRODUCT_FUNCTION(madcHigh, "madc.hi.u32")
PRODUCT_FUNCTION(madcHighCC, "madc.hi.cc.u32")

struct Long {
  u32 words[4];
};

/// The carry of the sum is left to who calls.
__device__ static Long addOut(const Long &a, const Long &b) {
  Long sum;
  sum.words[0] = addCC(a.words[0], b.words[0]);
  for (int i = 1; i < 4; ++i)
    sum.words[i] = addcCC(a.words[i], b.words[i]);
  return sum;
}

__device__ static Long subtract(const Long &a, const Long &b) {
  Long difference;
  difference.words[0] = subCC(a.words[0], b.words[0]);
  difference.words[1] = subcCC(a.words[1], b.words[1]);
  difference.words[2] = subcCC(a.words[2], b.words[2]);
  difference.words[3] = subc(a.words[3], b.words[3]);
  return difference;
}

/// One word times two, and two more added.
__device__ __noinline__ void product(u32 a, u64 b, u64 plus, u32 *out) {
  out[0] = madLowCC(a, u32(b), u32(plus));
  out[1] = madcHighCC(a, u32(b), u32(plus >> 32));
  out[2] = addc(0, 0);
  out[1] = madLowCC(a, u32(b >> 32), out[1]);
  out[2] = madcHigh(a, u32(b >> 32), out[2]);
}

struct Result {
  Long sum, difference;
  u32 over, product[3];
};

__global__ void compute(int n, const Long *a, const Long *b, Result *out) {
  int i = threadInGrid();
  if (i >= n)
    return;
  Result &r = out[i];
  if (i % 3) { // lanes part
    r.sum = addOut(a[i], b[i]);
    r.over = addc(0, 0);
  } else {
    r.sum = addOut(b[i], a[i]);
    r.over = addc(5, 0) - 5;
  }
  r.difference = subtract(a[i], b[i]);
  product(a[i].words[0], u64(a[i].words[2]) << 32 | a[i].words[1], u64(b[i].words[1]) << 32 | b[i].words[0], r.product);
}

int main() {
  const int n = 1003;
  Random random(3);
  std::vector<Long> a(n), b(n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 4; ++k) {
      const u32 special[] = {0, 1, ~0u, ~0u - 1, 0x80000000u};
      a[i].words[k] = random.below(2) ? random.bits() : special[random.below(5)];
      b[i].words[k] = random.below(2) ? random.bits() : special[random.below(5)];
    }
  Buffer<Long> deviceA(a), deviceB(b);
  Buffer<Result> out(n);
  compute<<<(n + 63) / 64, 64>>>(n, deviceA, deviceB, out);
  checkLaunch();
  std::vector<Result> got = out.get();
  auto number = [](const u32 *words, int count) {
    unsigned __int128 result = 0;
    for (int k = count - 1; k >= 0; --k)
      result = result << 32 | words[k];
    return result;
  };
  auto expectWide = [](const char *what, int i, unsigned __int128 is, unsigned __int128 wanted) {
    expect(what, i, u64(is), u64(wanted));
    expect(what, i, u64(is >> 64), u64(wanted >> 64));
  };
  for (int i = 0; i < n; ++i) {
    unsigned __int128 x = number(a[i].words, 4), y = number(b[i].words, 4);
    expectWide("sum", i, number(got[i].sum.words, 4), x + y);
    expect("carry", i, got[i].over, u32(x + y < x));
    expectWide("difference", i, number(got[i].difference.words, 4), x - y);
    unsigned __int128 all = u64(a[i].words[2]) << 32 | a[i].words[1];
    all = all * a[i].words[0] + (u64(b[i].words[1]) << 32 | b[i].words[0]);
    expectWide("product", i, number(got[i].product, 3), all);
  }
  return finish();
}
