// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Instruction.h"

#include <cstdint>
#include <optional>

namespace heddle::simt {

/// The value decides whether the loop goes on, other than by way of memory.
bool decidesEnd(const llvm::Instruction &value, const llvm::Loop &,
                const llvm::PostDominatorTree &);

struct TakenLock {
  uint64_t free; ///< what is there when nobody has it
};
/// The instruction may take a lock: it swaps constants, or exchanges what is there for a constant and
/// looks whether that was another one.
std::optional<TakenLock> findTakenLock(const llvm::Instruction &);

} // namespace heddle::simt
