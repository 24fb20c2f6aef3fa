// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/check_abi.h"

#include "llvm/IR/Instruction.h"

#include <optional>

namespace heddle::frontend {

/// On an instruction that computes where a variable, or a parameter given by value, begins: what
/// lies there. Written where addresses are placed (place_globals.cpp, simt/lower/lower_device.cpp),
/// read by simt's insert-checks.
struct VariableNote {
  AccessSpace space;
  uint64_t bytes; ///< of dynamic shared memory: that lie before it
  bool isDynamic = false;
  llvm::StringRef name = {};

  void put(llvm::Instruction &) const;
  static std::optional<VariableNote> get(const llvm::Instruction &);
};

} // namespace heddle::frontend
