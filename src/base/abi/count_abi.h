// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the contract between kernels and those that run them (base/abi/kernel_abi.h) has more for
// counted code (Mode::Counted).
//
// Counted code has programs of 32 lanes, one CUDA warp. Its basic blocks and memory accesses are those
// that a GPU's compiler would have made, and have numbers: the ones of model::KernelCode, which
// travels in the object. When a warp comes to a basic block it adds to the block's tally; before each
// access of memory it tells where the lanes go.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle {

struct Block;

inline constexpr uint32_t CountedLanes = 32;

/// How often warps came to a basic block, and how many lanes were active then, in all.
struct BlockTally {
  uint64_t warps, lanes;
};

struct CountServices {
  /// A warp comes to a basic block. Only while Block::isTraced.
  void (*came)(Block *, uint32_t warp, uint32_t lanes, uint32_t number);
  /// `lanes` of a warp are about to access memory: each lane `stride` bytes behind the one before it in
  /// its half of the warp, the halves from `first` and `second` on; or each at an address of its own. Of
  /// local memory addresses are offsets in the thread's variable.
  void (*accessRun)(Block *, uint32_t warp, uint32_t lanes, uint32_t number, uint64_t first,
                    uint64_t second, int64_t stride);
  void (*accessEach)(Block *, uint32_t warp, uint32_t lanes, uint32_t number,
                     const uint64_t *addresses);
  /// What a warp reads from a clock: cycles of its multiprocessor, or with `isTimer` nanoseconds.
  uint64_t (*clock)(Block *, uint32_t warp, uint32_t isTimer);
};

/// Launch::count of a launch of counted code.
struct CountedLaunch {
  const CountServices *services;
  void *state; ///< of who counts
};

/// KernelCode::counted of counted code.
struct CountedCode {
  const uint8_t *bytes; ///< of a model::KernelCode (model/code_bytes.h)
  uint64_t size;
  uint32_t blocks, accesses;
};

} // namespace heddle
