// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Instructions.h"

#include <optional>
#include <vector>

namespace heddle::simt {

inline constexpr unsigned LargestStruct = 8; ///< members

/// Vectors with an element a lane, one for each member of a structure (pack_structs.cpp).
using Group = std::vector<llvm::Value *>;

/// Elements of a vector; 0 for scalars.
unsigned lanesOf(const llvm::Value *);

/// Acts on each element by itself.
bool isElementwise(const llvm::Instruction &);

/// Without what is called.
unsigned operandCount(const llvm::Instruction &);

/// Lanes j, j + F, j + 2 F ... of a wide vector, for each j, if shuffles pick them all; else empty.
Group takenApart(llvm::Instruction &wide);

/// The group whose members' elements a vector takes in turn.
std::optional<Group> interleaves(llvm::Value *wide);

/// Users of the other members that do what `first` does with the first one; empty if there is none
/// for one of them. Operands that are no group must be the same ones.
Group partners(const Group &, llvm::Instruction &first, unsigned operand);

/// Operand `index` of each member.
Group operands(const Group &, unsigned index);

/// What comes from `block` to each member, which are phis.
Group incoming(const Group &, const llvm::BasicBlock *block);

/// The same operation in the same block.
bool areAlike(const Group &);

/// One vector for all members.
inline bool isSame(const Group &group) { return llvm::all_equal(group); }

inline bool isConstant(const Group &group) {
  return llvm::all_of(group, [](llvm::Value *value) { return llvm::isa<llvm::Constant>(value); });
}

} // namespace heddle::simt
