// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that are computed again, at another place or of other inputs: what an address will be in
// the next round of a loop, what it is in another thread, or what it is in front of the branch that
// it is computed behind.
//
//     %i = add nsw %row, %k              with %k.next      %i.next = add %row, %k.next
//     %at = gep inbounds %a, %i          for %k       ->   %at.next = gep %a, %i.next
//
// Two things are asked: whether a value can be computed again (`canRecompute`), before anything is
// changed, and what it is (`Recomputation`). Of each value the pass that asks says whether it is an
// input: it is there as it is, or something else stands for it. What is no input is computed again
// from its operands. The program may not come to the other place in the same way, so
//
//  - only what may be done anywhere is computed again: nothing that accesses memory, can trap or
//    acts on several lanes (`isRepeatable`). A pass that knows more says what it allows; and one
//    that computes what a value is in another thread must not allow what asks for its own index or
//    lane. No phi is allowed, so no circle is walked through;
//  - copies have none of the flags and metadata that say which results there cannot be, unless the
//    program has the same result, and counts on it (`Flags::Kept`).
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

#include <functional>
#include <limits>

namespace heddle::simt {

/// May be done at any place where its operands are there, as often as one likes.
bool isRepeatable(const llvm::Instruction &);

/// A sum, a product, a cast or an address: what indices are computed by, and what cannot trap
/// whatever its operands are.
bool isIndexArithmetic(const llvm::Instruction &);

/// The value is an input or a constant, or follows from them by instructions that `mayRepeat`, at
/// most `depth` one after the other.
bool canRecompute(llvm::Value &, llvm::function_ref<bool(llvm::Value &)> isInput,
                  llvm::function_ref<bool(const llvm::Instruction &)> mayRepeat = isRepeatable,
                  unsigned depth = std::numeric_limits<unsigned>::max());

/// Kept: wherever the copies are used, the program has computed the same from the same inputs, in
/// another thread maybe, and accessed memory by it or branched on it. So it was not poison.
enum class Flags { Dropped, Kept };

/// Computes values again where a builder stands, each once. The builder may be moved to where the
/// values so far are there too.
class Recomputation {
public:
  /// An input as it is there. Null: the value is no input.
  using Inputs = std::function<llvm::Value *(llvm::Value &)>;

  Recomputation(llvm::IRBuilder<> &builder, Inputs inputs, Flags flags = Flags::Dropped)
      : builder_(builder), inputs_(std::move(inputs)), flags_(flags) {}

  /// What the value is there. `canRecompute` must have said that it can be computed.
  llvm::Value *of(llvm::Value &);

  llvm::IRBuilder<> &builder() { return builder_; }

private:
  llvm::IRBuilder<> &builder_;
  Inputs inputs_;
  Flags flags_;
  llvm::DenseMap<llvm::Value *, llvm::Value *> known_;
};

} // namespace heddle::simt
