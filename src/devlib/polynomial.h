// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "devlib.h"

namespace heddle::devlib {

/// table[0] + table[1] w + ..., by Horner's rule, unrolled.
template <class T, int N> inline T polynomial(T w, const T (&table)[N]) {
  T sum = table[N - 1];
#pragma unroll
  for (int i = N - 2; i >= 0; i--)
    sum = fma(sum, w, table[i]);
  return sum;
}

} // namespace heddle::devlib
