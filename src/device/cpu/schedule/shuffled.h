// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::device::cpu {

/// device::shuffleOrder; 0: blocks and warps run as they come. Set before the first launch.
extern uint64_t orderSeed;

/// The number that takes the place of the i-th of n, in an order that `seed` chooses.
uint64_t shuffled(uint64_t i, uint64_t n, uint64_t seed);

} // namespace heddle::device::cpu
