// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What floats of 8, 6 and 4 bits share (OCP Microscaling Formats, version 1.0): a sign, an
// exponent, `digits` behind the point.
#ifndef HEDDLE_TINY_FLOAT_H
#define HEDDLE_TINY_FLOAT_H

#include "../cuda_bf16.h"
#include "../cuda_fp16.h"

#pragma push_macro("HEDDLE_HD")
#define HEDDLE_HD static __host__ __device__ __forceinline__

struct __heddle_tiny_format {
  unsigned digits, bias, bits;
  unsigned largest; ///< the code of the largest number
  unsigned over;    ///< that of what is larger, and of infinity
  unsigned nan;
};

HEDDLE_HD enum __heddle_rounding __heddle_rounding_of(enum cudaRoundMode mode) {
  return mode == cudaRoundZero     ? __heddle_zero
         : mode == cudaRoundPosInf ? __heddle_up
         : mode == cudaRoundMinInf ? __heddle_down
                                   : __heddle_nearest;
}

HEDDLE_HD unsigned char __heddle_to_tiny(float x, __heddle_tiny_format format,
                                         enum __heddle_rounding mode = __heddle_nearest) {
  unsigned bits = __heddle_bits(x), magnitude = bits & 0x7fffffff, negative = bits >> 31;
  if (magnitude > 0x7f800000)
    return (unsigned char)format.nan;
  // The float's exponent field where this type's denormals end; below, the unit stays the same.
  const unsigned least = 128 - format.bias;
  unsigned field = magnitude >> 23, whole = (magnitude & 0x7fffff) | (field ? 0x800000 : 0);
  unsigned shift = 23 - format.digits + (field < least ? least - field : 0);
  shift = shift > 31 ? 31 : shift;
  unsigned result = whole >> shift;
  result += __heddle_step(mode, negative, result & 1,
                          __heddle_rest(whole & ((1u << shift) - 1), 1u << (shift - 1)));
  if (field > least) // the hidden bit of `result` adds one to the exponent
    result += (field - least) << format.digits;
  if (result > format.largest || magnitude == 0x7f800000)
    result = format.over;
  return (unsigned char)(negative << (format.bits - 1) | result);
}

/// Every number of these types but NaN and infinity is exact.
HEDDLE_HD float __heddle_from_tiny(unsigned x, __heddle_tiny_format format) {
  unsigned magnitude = x & ((1u << (format.bits - 1)) - 1);
  float unit = __heddle_float((128 - format.bias - format.digits) << 23);
  float value =
      magnitude < 1u << format.digits
          ? (float)magnitude * unit
          : __heddle_float((magnitude << (23 - format.digits)) + ((127 - format.bias) << 23));
  return x >> (format.bits - 1) & 1 ? -value : value;
}

#undef HEDDLE_HD
#pragma pop_macro("HEDDLE_HD")
#endif
