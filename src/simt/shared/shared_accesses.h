// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/simt.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace heddle::simt {

/// A load or store of shared memory, or a masked load or store, gather or scatter, whose lanes'
/// places are constants.
class SharedAccess {
public:
  SharedAccess(llvm::Instruction &instruction, bool isStore, int valueOperand = -1,
               int maskOperand = -1);

  llvm::Instruction *instruction;
  llvm::Type *element;                  ///< of one lane
  llvm::SmallVector<int64_t, 8> places; ///< each lane's first byte in shared memory
  bool isStore;
  int valueOperand = -1, maskOperand = -1; ///< -1: none

  /// What is stored, or what a masked load gives inactive lanes; null: nothing.
  llvm::Value *value() const { return operand(valueOperand); }
  llvm::Value *mask() const { return operand(maskOperand); } ///< null: all lanes
  /// False for a lane that a constant mask leaves out, or constant lanes of a mask.
  bool mayTouch(unsigned lane) const;
  bool hasConstantMask() const { return !mask() || llvm::isa<llvm::Constant>(mask()); }
  /// The first byte, and the one after the last, that lanes may touch; empty where there is none.
  std::pair<int64_t, int64_t> bytes() const;

private:
  llvm::Value *operand(int number) const {
    return number < 0 ? nullptr : instruction->getOperand(number);
  }
};

/// All uses of the address `shared`, if each is such an access.
std::optional<std::vector<SharedAccess>> findSharedAccesses(llvm::Value &shared);

/// Whether memory had better stay memory, though each place is known: there is more of it than the
/// registers hold twice, lanes read neighbours in rows (which memory gives as it is), and either
/// much of that lies shifted against the lanes that wrote it (which registers would be put together
/// for), or many more cells are read one by one than registers at once (an operand in memory is
/// spread by its load, a lane of a register by a shuffle). The tile of a stencil, with 16 registers
/// of eight lanes; the left tile of a product.
bool isBetterInMemory(llvm::ArrayRef<SharedAccess>, const VectorRegisters &);

} // namespace heddle::simt
