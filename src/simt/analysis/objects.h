// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/simt.h"

#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// The address of an access to memory of one place; null for other instructions.
const llvm::Value *addressOfScalarAccess(const llvm::Instruction &);

/// What pointers of a thread program may point into: the block's shared memory, and the allocations
/// of which Options::objects tells (objects.cpp). Who makes another program by it sets
/// ThreadProgram::trustsObjects.
class Objects {
public:
  Objects(const llvm::Function &thread, const Options &options)
      : thread_(thread), options_(options) {}

  /// A set of objects; 0: not known.
  uint64_t of(const llvm::Value *pointer) const;
  bool areApart(const llvm::Value *pointer, const llvm::Value *other) const {
    uint64_t one = of(pointer), two = of(other);
    return one && two && !(one & two);
  }

private:
  uint64_t ofObject(const llvm::Value *object) const;

  const llvm::Function &thread_;
  const Options &options_;
};

/// In this code, a thread may read what another one writes, in another order than if lanes went in
/// step: not its own element, before a loop or behind it (those of which `isInTurns`). Sets
/// `trustsObjects` if that rests on Options::objects.
bool mayReadWritten(llvm::ArrayRef<const llvm::Instruction *> code, const Objects &,
                    bool &trustsObjects,
                    llvm::function_ref<bool(const llvm::Instruction &)> isInTurns);

} // namespace heddle::simt
