// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>

namespace heddle::simt {

/// Threads of a CUDA warp.
inline constexpr unsigned WarpSize = 32;

/// Every power of two divides zero. (Of numbers of n bits 2^n says the same.)
inline constexpr unsigned AlignOfZero = 64;

/// How a number of n bits is read when it is extended.
enum class Sign { Unsigned, Signed };

/// How a value varies over the lanes of a warp program. The lanes fall into aligned segments of
/// `segment` lanes, and repeat after `period` lanes (both powers of two). Inside a segment
///
///     value(lane) = value(first lane of the segment) + stride * (lane - first lane)
///
/// in the value's own modular arithmetic; for a pointer the stride is in bytes. If `regular`, the
/// first lanes of a period's segments lie `step` apart too, so that the value in lane 0 says all.
/// Otherwise nothing is known of them.
///
/// One segment as wide as the program with stride 0 is uniform, with another stride affine (a
/// pointer whose stride is its element's size is contiguous). The rest comes from 2D blocks and
/// from programs of several warps. A block of 16x16 threads as 256 lanes: `threadIdx.x` has stride
/// 1, segment 16 and period 16; `threadIdx.y` stride 0, segment 16, period 256 and step 1;
/// `threadIdx.y * n` is the same with unknown steps; an element of the row `p[threadIdx.x]` has
/// segment 1 and period 16.
///
/// A value is kept as its values in `parts()` lanes: lane 0, `segment`, 2 * `segment` and so on up
/// to the period.
struct Shape {
  unsigned segment = 0; ///< 0: not yet known (the top of the lattice)
  unsigned period = 0;
  int64_t stride = 0;
  int64_t step = 0; ///< if regular
  bool regular = false;
  unsigned align = 0; ///< 2^align divides the value in lane 0, or in the first lane of each segment

  bool known() const { return segment != 0; }
  bool uniform() const { return regular && stride == 0 && step == 0; }
  unsigned parts() const { return regular ? 1 : period / segment; }
  /// What is added to the value of the lane that stands for `lane`, and the number of that lane.
  int64_t offset(unsigned lane) const;
  unsigned part(unsigned lane) const { return regular ? 0 : lane % period / segment; }
  bool operator==(const Shape &) const = default;
  /// 2^this divides the value in the first lane of each segment.
  unsigned firstLaneAlign() const;
  /// The greatest offset, or -1 where some are negative.
  int64_t span() const;
  /// No lane can wrap around in `bits` bits, read in this way, whatever the values that others
  /// count from: the offsets only fill the zero bits below. Read as signed is enough for both ways.
  /// (The flags nsw and nuw would not do: they say nothing about a lane that is inactive where the
  /// value is used, and lane 0 may be one.)
  bool cannotCarry(unsigned bits, Sign sign = Sign::Signed) const;
  /// All lanes of `lanes` consecutive ones from the start have the same value, `from` repeats.
  bool constantIn(unsigned lanes) const { return uniform() || (stride == 0 && segment >= lanes); }
};

/// What the launch says about the lanes.
struct LaneFacts {
  unsigned width;
  std::array<unsigned, 3> blockDim;
};

/// Computes with shapes at a width and block shape. What a function does not know is `varying`.
class ShapeAlgebra {
public:
  explicit ShapeAlgebra(const LaneFacts &facts) : facts_(facts) {}

protected:
  Shape uniform(unsigned align = 0) const { return {facts_.width, 1, 0, 0, true, align}; }
  Shape affine(int64_t stride, unsigned align) const;
  Shape varying() const { return normal({1, facts_.width, 0, 0, false, 0}); }
  /// The same in the lanes of each CUDA warp.
  Shape uniformInWarps() const;
  /// threadIdx.x, y, z
  Shape threadIndex(unsigned dimension) const;

  /// What holds of both.
  Shape meet(Shape, Shape) const;
  /// a + sign * b
  Shape sum(Shape a, Shape b, int64_t sign) const;
  Shape scaled(Shape, int64_t factor) const;
  /// x / 2^shift: constant over runs of 2^shift values.
  Shape quotient(Shape x, unsigned shift) const;
  /// x % 2^bits: runs of 2^bits values.
  Shape remainder(Shape x, unsigned bits) const;
  /// One representation for each set of variations, and no more parts than they are worth: segments
  /// of two lanes and periods below a vector register are given up.
  Shape normal(Shape) const;

  LaneFacts facts_;

private:
  Shape refined(Shape, unsigned segment, unsigned period) const;
};

} // namespace heddle::simt
