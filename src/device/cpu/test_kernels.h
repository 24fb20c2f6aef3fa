// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels written by hand, for tests of the device without a compiler.
#pragma once

#include "base/abi/kernel_abi.h"
#include "device/device.h"

#include <cstring>
#include <new>
#include <utility>

namespace heddle::device::test {

template <typename P> const P &params(const Block *block) {
  return *reinterpret_cast<const P *>(block->launch->params);
}

inline uint64_t linearBlock(const Block *block) {
  const Launch &l = *block->launch;
  return block->blockIdx[0] +
         uint64_t(l.gridDim[0]) *
             (block->blockIdx[1] + uint64_t(l.gridDim[1]) * block->blockIdx[2]);
}

/// A kernel that never waits: `Body(Block *)` is one block.
template <void (*Body)(Block *)>
void runAll(const Launch *launch, Block *block, uint64_t first, uint64_t count) {
  for (uint64_t i = first; i < first + count; ++i) {
    block->blockIdx[0] = static_cast<uint32_t>(i % launch->gridDim[0]);
    block->blockIdx[1] = static_cast<uint32_t>(i / launch->gridDim[0] % launch->gridDim[1]);
    block->blockIdx[2] = static_cast<uint32_t>(i / launch->gridDim[0] / launch->gridDim[1]);
    Body(block);
  }
}

template <void (*Body)(Block *)>
constexpr KernelCode plainKernel(uint32_t width = 32, uint32_t warps = 1) {
  KernelCode code = {};
  code.abiVersion = KernelAbiVersion;
  code.width = width;
  code.warpsPerBlock = warps;
  code.runBlocks = runAll<Body>;
  return code;
}

/// What a coroutine would keep: the step that comes next, and a few values.
struct Frame {
  uint32_t step = 0;
  uint64_t values[6] = {};
};

/// A kernel that waits, as a state machine: `Step(Block *, warp, Frame &)` runs to the next wait
/// (having set warps[warp]) and returns true, or ends and returns false.
template <bool (*Step)(Block *, uint32_t, Frame &)> struct Machine {
  static void go(Block *block, uint32_t warp, Frame *frame) {
    if (Step(block, warp, *frame)) {
      ++frame->step;
      block->warps[warp].frame = frame;
    } else {
      block->warps[warp].frame = nullptr;
    }
  }
  static void start(Block *block, uint32_t warp) {
    void *memory = block->frameTop;
    block->frameTop += sizeof(Frame);
    go(block, warp, new (memory) Frame);
  }
  static void resume(Block *block, uint32_t warp) {
    go(block, warp, static_cast<Frame *>(block->warps[warp].frame));
  }
};

template <bool (*Step)(Block *, uint32_t, Frame &)>
constexpr KernelCode waitingKernel(uint32_t width, uint32_t warps, uint32_t flags = 0) {
  KernelCode code = {};
  code.abiVersion = KernelAbiVersion;
  code.width = width;
  code.flags = KernelWaits | flags;
  code.warpsPerBlock = warps;
  code.frameBytes = (sizeof(Frame) + 63) / 64 * 64;
  code.start = Machine<Step>::start;
  code.resume = Machine<Step>::resume;
  return code;
}

inline bool waitBlock(Block *block, uint32_t warp, uint32_t id = 0, uint32_t threads = 0,
                      bool arriveOnly = false, const SourceLoc *where = nullptr) {
  WarpState &state = block->warps[warp];
  state.wait = WaitKind::Block;
  state.barrierId = id;
  state.barrierThreads = threads;
  state.arriveOnly = arriveOnly;
  state.where = where;
  return true;
}

inline bool waitFor(Block *block, uint32_t warp, WaitKind kind, uint32_t mask = 0) {
  block->warps[warp].wait = kind;
  block->warps[warp].mask = mask;
  return true;
}

/// A launch of `info` over `blocks` blocks of one dimension. It points to the parameters.
template <typename P>
LaunchRequest request(const KernelInfo &info, uint32_t blocks,
                      const P &params [[clang::lifetimebound]], uint32_t shared = 0) {
  LaunchRequest r;
  r.kernel = &info;
  r.gridDim[0] = blocks;
  r.blockDim[0] = info.code->warpsPerBlock * info.code->width;
  r.dynamicSharedBytes = shared;
  r.params = &params;
  r.paramBytes = sizeof(P);
  return r;
}

} // namespace heddle::device::test
