// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cube root of floats, for kernels to inline and widen, without branches: y = 1 / cbrt(a) from
// the exponent and the mantissa at once (the bits of a float are nearly its logarithm), two steps
// of an iteration without division, and a last one on the root a y^2 itself.
#include "float_parts.h"
#include "polynomial.h"

using namespace heddle::devlib;

namespace {

/// (1 - r)^(-1/3), powers of r from 1 on, over r.
constexpr float InverseRoot[] = {1.0f / 3, 2.0f / 9, 14.0f / 81, 35.0f / 243};
constexpr float InverseRootNear[] = {1.0f / 3, 2.0f / 9};

/// y times (1 - r)^(-1/3), with r = 1 - a y^3: the next y.
template <int N> inline float nearer(float a, float y, const float (&series)[N]) {
  float r = fma(-(a * y), y * y, 1.0f);
  return fma(y * r, polynomial(r, series), y);
}

} // namespace

HEDDLE_PURE float __nv_cbrtf(float x) {
  float a = absolute(x);
  bool tiny = a < 0x1p-126f;
  float scaled = tiny ? a * 0x1p24f : a;
  float estimate = fma((float)(i32)bits(scaled), -1.0f / 3, 0x1.52876p30f);
  float y = fromBits((u32)(i32)estimate);
  y = nearer(scaled, nearer(scaled, y, InverseRoot), InverseRootNear);
  float square = y * y, root = scaled * square;
  float left = fma(-(root * root), root, scaled);
  root = fma(left, square * (1.0f / 3), root);
  root = tiny ? root * 0x1p-8f : root;
  return withSign(a < __builtin_inff() ? root : a, x);
}
