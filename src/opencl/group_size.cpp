// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of work-groups. Lanes of a warp follow each other along x. A row of a group should be whole warps, or
// the whole row of the range, whatever its length: then what lanes read and write lies side by side. Rows of
// other lengths fill warps only together, with gathers where they meet (50 x 5: ten times as long).
#include "opencl/group_size.h"

#include <algorithm>

namespace heddle::cl {

namespace {

constexpr size_t Warp = 32;
constexpr size_t Usual = 256; ///< work-items of a group
constexpr size_t Wide = 64;   ///< of a row of several: rows above each other share what they read
constexpr size_t FewestInRow = 64;  ///< of a row that is a part of the range's
constexpr size_t MostOfShort = 128; ///< in a group with rows of less than a warp

/// The largest divisor of `size` that is at most `most`, and a multiple of `step`; 0: there is none.
size_t divisor(size_t size, size_t most, size_t step = 1) {
  for (size_t i = std::min(size, most) / step * step; i; i -= step)
    if (size % i == 0)
      return i;
  return 0;
}

/// `usual`: of rows of whole warps. `mayBeRagged`: groups at the end may be smaller, or leave some out.
size_t rowOf(size_t size, size_t most, size_t usual, bool mayBeRagged) {
  if (size_t warps = divisor(size, std::min(most, usual), Warp))
    return warps;
  if (size <= most)
    return size;
  const size_t part = divisor(size, most);
  return part >= FewestInRow || !mayBeRagged ? part : std::min(most, Usual);
}

} // namespace

bool isSlow(cl_uint dimensions, const size_t *global, const size_t *local) {
  size_t rows = 1;
  for (cl_uint d = 0; d != dimensions; ++d) {
    if (global[d] % local[d])
      return true;
    rows *= d ? local[d] : 1;
  }
  if (local[0] * rows < Warp)
    return true;
  const bool isPower = (local[0] & (local[0] - 1)) == 0;
  return rows > 1 && (local[0] < 8 || !isPower);
}

void chooseGroupSize(const _cl_kernel &kernel, const Forms &forms, cl_device_id device,
                     cl_uint dimensions, const size_t *global, size_t *local) {
  const auto &required = kernel.facts->requiredShape, &hint = kernel.facts->shapeHint;
  const size_t most = forms.mostThreads;
  const size_t hinted = size_t(hint[0]) * hint[1] * hint[2];
  const bool takesHint = hint[0] && hinted <= most &&
                         std::all_of(global, global + dimensions, [&](const size_t &size) {
                           return size % hint[&size - global] == 0;
                         });
  if (required[0] || takesHint) {
    std::copy_n(required[0] ? required.data() : hint.data(), dimensions, local);
    return;
  }
  local[0] = rowOf(global[0], std::min(most, device->mostThreads[0]),
                   dimensions == 1 ? Usual : Wide, !kernel.facts->isUniform);
  // More rows where they are whole warps, or shorter than one.
  size_t room = local[0] % Warp == 0 ? Usual / local[0]
                : local[0] < Warp    ? std::min(most, MostOfShort) / local[0]
                                     : 1;
  for (cl_uint d = 1; d != dimensions; ++d) {
    local[d] = std::max<size_t>(1, divisor(global[d], std::min(room, device->mostThreads[d])));
    room /= local[d];
  }
}

} // namespace heddle::cl
