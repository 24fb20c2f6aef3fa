// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Instruction.h"

#include <cstdint>
#include <optional>

namespace heddle::simt {

struct TakenLock {
  uint64_t free; ///< what is there when nobody has it
};
/// The instruction may take a lock: it swaps constants, or exchanges what is there for a constant and
/// looks whether that was another one.
std::optional<TakenLock> findTakenLock(const llvm::Instruction &);

} // namespace heddle::simt
