// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding in a chosen direction without touching the machine's rounding mode (which a vector unit
// shares between lanes, and LLVM's optimiser assumes to be nearest).
//
// Method: compute the result rounded to nearest together with what that lost, exactly (an
// error-free transformation), then step to the neighbour if the loss has the wrong sign. Only the
// sign of the loss counts. Its two weak points are treated where they arise: a loss that underflows
// (operands are scaled), and a sum of exactly zero, whose sign depends on the direction (IEEE
// 754, 6.3).
#pragma once

#include "devlib.h"

namespace heddle::devlib {

/// `value` as T, and the sign of what it lost: exact - result.
template <class T> struct Nearest {
  T value;
  double loss;
};

template <class T> inline Nearest<T> nearest(Exact exact) {
  T value = (T)exact.high;
  double back = (double)value;
  // When high is no T, high - back is exact and its sign is that of the whole: low is less than
  // half an ulp of high.
  return {value, exact.high == back ? exact.low : exact.high - back};
}

template <class T> inline T downward(Nearest<T> n) {
  return n.loss < 0 ? nextDown(n.value) : n.value;
}
template <class T> inline T upward(Nearest<T> n) { return n.loss > 0 ? nextUp(n.value) : n.value; }
template <class T> inline T towardZero(Nearest<T> n) {
  return n.value > 0 || (n.value == 0 && n.loss > 0) ? downward(n) : upward(n);
}
template <class T> inline T downward(Exact e) { return downward(nearest<T>(e)); }
template <class T> inline T upward(Exact e) { return upward(nearest<T>(e)); }
template <class T> inline T towardZero(Exact e) { return towardZero(nearest<T>(e)); }

} // namespace heddle::devlib
