// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL C, "Integer Functions": what libclc 22 gets wrong, mad_sat of long.
#include "builtins.h"

#define LONG_MAX 0x7fffffffffffffffL

long OVERLOADABLE mul_hi(long, long);

CONST_FUNCTION long mad_sat(long a, long b, long c) {
  const ulong product = (ulong)a * (ulong)b, low = product + (ulong)c;
  const long high = mul_hi(a, b) + (c >> 63) + (low < product); // 128 bits: no overflow
  if (high == (long)low >> 63)
    return (long)low;
  return high < 0 ? -LONG_MAX - 1 : LONG_MAX;
}

#define VECTOR(n)                                                                                  \
  CONST_FUNCTION long##n mad_sat(long##n a, long##n b, long##n c) {                                \
    long##n r;                                                                                     \
    for (uint i = 0; i < n; ++i)                                                                   \
      r[i] = mad_sat(a[i], b[i], c[i]);                                                            \
    return r;                                                                                      \
  }
VECTOR(2)
VECTOR(3)
VECTOR(4)
VECTOR(8)
VECTOR(16)
