// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::device {

/// The blocks of a launch from some number on, so many, in each dimension.
struct BlockBox {
  uint32_t low[3] = {}, count[3] = {};

  bool contains(const uint32_t *block) const {
    return block[0] - low[0] < count[0] && block[1] - low[1] < count[1] &&
           block[2] - low[2] < count[2];
  }
  bool isWhole(const uint32_t *grid) const {
    return count[0] == grid[0] && count[1] == grid[1] && count[2] == grid[2];
  }
};

} // namespace heddle::device
