// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/emitter.h"
#include "simt/widen/flow_facts.h"

namespace heddle::simt {

/// Certainly in the block's shared memory.
bool isShared(const Emitter &, llvm::Value *pointer);

/// Which accesses to shared memory later passes will turn into registers, if vectors access it.
class SharedRegisters {
public:
  SharedRegisters(Emitter &emitter, FlowFacts &facts) : e_(emitter), facts_(facts) {}

  /// By promote_shared.cpp.
  bool isPromoted(llvm::Instruction &access);

private:
  bool mayBePromoted();

  Emitter &e_;
  FlowFacts &facts_;
  std::optional<bool> mayBePromoted_; ///< once it is known
};

} // namespace heddle::simt
