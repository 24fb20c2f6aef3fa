// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/check_abi.h"

#include "simt/analysis/texel_access.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// One address of an access.
struct Access {
  llvm::Instruction *instruction;
  llvm::Use *pointer;
  llvm::Value *length = nullptr; ///< i64, where the bytes are known at run time only
  uint64_t bytes = 0;
  uint64_t align = 1;
  AccessKind kind;
};

/// The accesses of an instruction that are checked: all but those of what describes the launch, and of
/// the device library where the user has no part in the address; of those texels are accesses.
void collectAccesses(llvm::Instruction &, llvm::SmallVectorImpl<Access> &);

/// A function of the device library that stays one, and reads nothing but textures
/// (devlib/textures/texture.cpp).
bool onlySamples(const llvm::Function &);
/// A call of one.
bool isSample(const llvm::CallInst &);

/// How far an atomic operation reaches.
AccessScope scopeOf(const llvm::Instruction &);

/// A load of what the launch and its parameters hold, by ourselves.
bool isOurs(const llvm::LoadInst &, const llvm::Function &);

} // namespace heddle::simt
