// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stack for each thread of a block. Most kernels that wait are coroutines: the compiler has cut
// them where they do, and a frame of known size is all that a suspended warp needs. A function that
// is recursive or called through a pointer cannot be cut so; a kernel with a barrier or a warp
// operation in such a function is compiled for single threads (KernelFibers), each of which runs on
// a stack of its own and leaves it when it waits.
//
// The stacks lie side by side, each above inaccessible pages that no frame reaches over. Only the
// pages that a thread touches take memory.
#pragma once

#include "base/abi/kernel_abi.h"

#include <cstddef>
#include <memory>
#include <span>

namespace heddle::device::cpu {

class Fibers {
public:
  /// Of one stack. Local memory of a thread is at most 512 KB (CUDA guide, "Compute Capabilities"),
  /// and so is a frame: a stack holds one of these and as much again, and none reaches over the
  /// inaccessible pages.
  static constexpr size_t StackBytes = 1u << 20, GuardBytes = 512u << 10;

  Fibers();
  Fibers(const Fibers &) = delete;
  Fibers &operator=(const Fibers &) = delete;
  ~Fibers();

  /// Stacks for so many threads; false if there is no room.
  bool reserve(uint32_t threads);
  /// KernelCode::start on the stack of thread `thread`; comes back when the thread waits or has
  /// ended. What was on that stack is forgotten.
  void start(const KernelCode &, Block &, uint32_t thread);
  /// Continues a thread that waits.
  void resume(Block &, uint32_t thread);
  /// Services::suspend: from the running thread back to who started or resumed it.
  static void suspend(Block *);

  /// The end of the stack that holds `sp`; null if none does.
  const uint8_t *endOfStack(uintptr_t sp) const;
  bool inGuard(const void *) const;
  /// What a thread that waits has on its stack.
  std::span<const uint8_t> inUse(uint32_t thread) const;

private:
  struct Fiber;
  [[noreturn]] static void enter(Fiber *);
  uint8_t *stackOf(uint32_t thread) const;

  std::unique_ptr<Fiber[]> fibers_;
  uint8_t *base_ = nullptr;
  uint32_t count_ = 0;
};

} // namespace heddle::device::cpu
