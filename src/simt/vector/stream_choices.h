// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that have two forms, of which the stores go one way or the other: marked while LLVM's
// passes would make one of what the forms have in common, made behind them (stream_stores.h).
#pragma once

#include "simt/pass.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace heddle::simt {

inline constexpr uint64_t StreamLine = 64; ///< bytes that go past the caches together

/// A plain store, or one under a mask.
struct AnyStore {
  llvm::Instruction *made = nullptr;

  /// Null if `instruction` is neither.
  static AnyStore from(llvm::Instruction &instruction) {
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      return {store->isSimple() ? store : nullptr};
    auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    return {call && call->getIntrinsicID() == llvm::Intrinsic::masked_store ? call : nullptr};
  }
  llvm::Value *value() const { return made->getOperand(0); }
  llvm::Value *address() const { return made->getOperand(1); }
  /// Null where all lanes store.
  llvm::Value *mask() const {
    return llvm::isa<llvm::StoreInst>(made) ? nullptr : made->getOperand(2);
  }
};

/// What becomes of a store where its array goes past the caches.
enum class StreamForm { Plain, WholeLine, HalfLine };

/// The store for arrays that go past the caches, where all lanes are active.
llvm::StoreInst *makeStream(AnyStore, StreamForm, llvm::IRBuilder<> &);

/// From `first` to the last of the stores, which lie in its block, there are to be two forms: where
/// `condition` is true the stores have theirs. `number`: of the choice, in its function.
void markChoice(llvm::Instruction &first, llvm::Value &condition, unsigned number,
                llvm::ArrayRef<std::pair<AnyStore, StreamForm>> stores);

/// Makes the forms, once LLVM's passes are through. A pass of the module: it drops
/// the functions that do not exist.
struct MakeChoices : llvm::PassInfoMixin<MakeChoices> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
};

} // namespace heddle::simt
