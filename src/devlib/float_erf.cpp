// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error function of floats, for kernels to inline and widen, without branches: y(a) =
// -log(1 - erf(a)) is so smooth that one polynomial follows it until erf is 1 as a float. What
// remains is 1 - exp(-y), for small y too, as in float_hyperbolic.cpp.
#include "float_coefficients.h"
#include "float_parts.h"
#include "polynomial.h"

using namespace heddle::devlib;

HEDDLE_PURE float __nv_erff(float x) {
  float a = atMost(absolute(x), 3.95f);
  float first = a * 1.12837923f, lost = fma(a, 1.12837923f, -first);
  float y = first + fma(a, polynomial(a, ErfPower), lost);
  Power n = powerOf(fma(y, -0x1.715476p+0f, RoundToPower));
  float r = fma(n.value, 0x1.62e43p-1f, y); // of -y it is -r
  float p = fma(r * r, polynomial(r, ErfTail), r);
  return withSign(fma(n.power, p, 1.0f - n.power), x);
}
