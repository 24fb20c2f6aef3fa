// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/shape.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace llvm;

namespace heddle::simt {

/// Beyond it, what the lanes of a program add up to could overflow.
static constexpr int64_t LargestStride = int64_t(1) << 40;

static unsigned trailingZeros(int64_t value) {
  return value == 0 ? AlignOfZero : countr_zero(static_cast<uint64_t>(value));
}

unsigned Shape::firstLaneAlign() const {
  bool several = regular && period > segment;
  return several ? std::min(align, trailingZeros(step)) : align;
}

int64_t Shape::offset(unsigned lane) const {
  lane %= period;
  return stride * (lane % segment) + (regular ? step * (lane / segment) : 0);
}

int64_t Shape::span() const {
  if (uniform())
    return 0;
  if (stride < 0 || (regular && step < 0))
    return -1;
  return stride * (segment - 1) + (regular ? step * (period / segment - 1) : 0);
}

bool Shape::cannotCarry(unsigned bits, Sign sign) const {
  unsigned free = std::min({align, sign == Sign::Unsigned ? bits : bits - 1, 62u});
  int64_t most = span();
  return most >= 0 && most < int64_t(1) << free;
}

Shape ShapeAlgebra::normal(Shape shape) const {
  if (!shape.known())
    return shape;
  if (facts_.width == 1)
    return uniform(shape.align);
  auto isLarge = [](int64_t stride) { return stride > LargestStride || stride < -LargestStride; };
  if (isLarge(shape.stride) || isLarge(shape.step))
    shape = {1, shape.period, 0, 0, false, 0};
  if (shape.regular && shape.step == shape.stride * shape.segment)
    shape.segment = shape.period;
  if (shape.regular && shape.step == 0)
    shape.period = shape.segment;
  if (shape.segment == 1 && shape.regular) {
    shape.segment = shape.period;
    shape.stride = shape.step;
  }
  if (shape.segment >= shape.period) {
    shape.regular = true;
    shape.step = 0;
  }
  if (shape.uniform())
    return uniform(shape.align);
  if (shape.regular)
    return shape;
  if (shape.segment < 2)
    shape = {1, shape.period, 0, 0, false, 0};
  if (shape.segment == 1 && shape.period < 8)
    shape.period = facts_.width;
  shape.step = 0;
  return shape;
}

Shape ShapeAlgebra::affine(int64_t stride, unsigned align) const {
  return normal({facts_.width, facts_.width, stride, 0, true, align});
}

Shape ShapeAlgebra::uniformInWarps() const {
  return facts_.width <= WarpSize ? uniform() : normal({WarpSize, facts_.width, 0, 0, false, 0});
}

/// The same variation with smaller segments and a longer period.
Shape ShapeAlgebra::refined(Shape shape, unsigned segment, unsigned period) const {
  if (shape.uniform())
    return {segment, period, 0, 0, true, shape.align};
  if (segment == shape.segment && period == shape.period)
    return shape;
  bool single = shape.segment == shape.period;
  Shape result = {segment, period, shape.stride, 0, false, 0};
  if (single && period == shape.period) {
    result.regular = true;
    result.step = shape.stride * segment;
    result.align = shape.align;
    return result;
  }
  if (single && segment == shape.segment) {
    result.regular = true;
    result.align = shape.align;
    return result;
  }
  result.align = shape.firstLaneAlign();
  if (segment < shape.segment)
    result.align = std::min(result.align, trailingZeros(shape.stride * segment));
  return result;
}

Shape ShapeAlgebra::meet(Shape a, Shape b) const {
  if (!a.known())
    return b;
  if (!b.known())
    return a;
  unsigned segment = std::min(a.segment, b.segment), period = std::max(a.period, b.period);
  a = refined(a, segment, period);
  b = refined(b, segment, period);
  if (a.stride != b.stride)
    return normal({1, period, 0, 0, false, 0});
  bool regular = a.regular && b.regular && a.step == b.step;
  unsigned align =
      regular ? std::min(a.align, b.align) : std::min(a.firstLaneAlign(), b.firstLaneAlign());
  return normal({segment, period, a.stride, regular ? a.step : 0, regular, align});
}

Shape ShapeAlgebra::sum(Shape a, Shape b, int64_t sign) const {
  unsigned segment = std::min(a.segment, b.segment), period = std::max(a.period, b.period);
  a = refined(a, segment, period);
  b = refined(b, segment, period);
  bool regular = a.regular && b.regular;
  unsigned align =
      regular ? std::min(a.align, b.align) : std::min(a.firstLaneAlign(), b.firstLaneAlign());
  return normal({segment, period, a.stride + sign * b.stride, regular ? a.step + sign * b.step : 0,
                 regular, align});
}

Shape ShapeAlgebra::scaled(Shape shape, int64_t factor) const {
  if (MulOverflow(shape.stride, factor, shape.stride) ||
      MulOverflow(shape.step, factor, shape.step))
    return varying();
  shape.align = std::min(AlignOfZero, shape.align + trailingZeros(factor));
  return normal(shape);
}

/// threadIdx.x, y, z: lane `l` of program `w` is thread t = w * width + l of the block, in x, then
/// y, then z.
Shape ShapeAlgebra::threadIndex(unsigned dimension) const {
  unsigned width = facts_.width;
  unsigned inner = 1; // threads per step of this dimension
  for (unsigned d = 0; d < dimension; ++d)
    inner *= facts_.blockDim[d];
  unsigned count = facts_.blockDim[dimension];
  if (count == 1)
    return uniform(AlignOfZero);
  bool last = true;
  for (unsigned d = dimension + 1; d < 3; ++d)
    last &= facts_.blockDim[d] == 1;
  if (inner == 1) { // t % count
    if (last || count % width == 0)
      return affine(1, Log2_32(width));
    if (isPowerOf2_32(count))
      return normal({count, count, 1, 0, true, AlignOfZero});
    unsigned run = std::min(width, 1u << countr_zero(count));
    return normal({run, width, 1, 0, false, Log2_32(run)});
  }
  if (inner % width == 0) // (t / inner) % count
    return uniform();
  if (isPowerOf2_32(inner)) {
    if (last || inner * count % width == 0)
      return normal({inner, width, 0, 1, true, Log2_32(width / inner)});
    if (isPowerOf2_32(count))
      return normal({inner, inner * count, 0, 1, true, AlignOfZero});
  }
  unsigned run = std::min(width, 1u << countr_zero(inner));
  return normal({run, width, 0, 0, false, 0});
}

/// Segments whose values count up by a power of two, from lane to lane or from segment to segment,
/// and that power; -1 where they do not.
static int countsBy(const Shape &x) {
  int64_t unit = x.stride != 0 ? x.stride : x.regular ? x.step : 0;
  bool plain = x.stride == 0 || x.segment == x.period || !x.regular;
  if (!plain || unit <= 0 || !isPowerOf2_64(unit))
    return -1;
  unsigned power = Log2_64(unit);
  return x.firstLaneAlign() >= power || (x.stride == 0 && x.align >= power) ? int(power) : -1;
}

Shape ShapeAlgebra::quotient(Shape x, unsigned shift) const {
  if (!x.known() || shift == 0)
    return x;
  if (x.uniform())
    return uniform(x.align >= AlignOfZero ? AlignOfZero : x.align > shift ? x.align - shift : 0);
  if (x.regular && x.align <= shift && x.span() >= 0 && x.span() < int64_t(1) << x.align)
    return uniform(); // the lanes differ in bits that go
  int power = countsBy(x);
  if (power < 0 || x.align < shift)
    return varying();
  Shape result = x;
  result.align = x.align >= AlignOfZero ? AlignOfZero : x.align - shift;
  if (unsigned(power) >= shift) {
    result.stride >>= shift;
    result.step >>= shift;
    return normal(result);
  }
  unsigned run = 1u << std::min(shift - power, 16u); // values of x that give one
  if (x.stride == 0) {
    result.segment = std::min(x.segment * run, x.period);
    result.step = 1;
    return normal(result);
  }
  bool single = x.segment == x.period;
  result.segment = std::min(run, x.segment);
  result.stride = 0;
  result.step = single ? 1 : 0;
  result.regular = single;
  if (!single)
    result.align = 0;
  return normal(result);
}

Shape ShapeAlgebra::remainder(Shape x, unsigned bits) const {
  if (!x.known())
    return x;
  if (x.uniform())
    return uniform(x.align >= bits ? AlignOfZero : x.align);
  int power = countsBy(x);
  if (power < 0 || unsigned(power) >= bits)
    return varying();
  unsigned run = 1u << std::min(bits - power, 16u); // values before it starts again
  bool fromZero = x.firstLaneAlign() >= bits || (x.stride == 0 && x.align >= bits);
  Shape result = x;
  result.align = fromZero ? AlignOfZero : x.align;
  if (x.stride == 0) { // counts from segment to segment
    unsigned counted = x.period / x.segment;
    if (x.align < std::min(bits, power + Log2_32(counted)))
      return varying();
    result.period = std::min(x.period, run * x.segment);
    return normal(result);
  }
  result.segment = std::min(run, x.segment);
  if (x.firstLaneAlign() < power + Log2_32(result.segment))
    return varying();
  if (fromZero) { // each run starts at 0
    result.period = result.segment;
    result.regular = true;
    result.step = 0;
    return normal(result);
  }
  result.regular = x.segment == x.period && result.segment == x.segment;
  return normal(result);
}

} // namespace heddle::simt
