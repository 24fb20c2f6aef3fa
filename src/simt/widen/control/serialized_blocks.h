// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/flow_facts.h"
#include "simt/widen/lanes/lane_loops.h"
#include "simt/widen/memory/memory_accesses.h"
#include "simt/widen/memory/shared_registers.h"

namespace heddle::simt {

/// Blocks that run lane by lane (serialized_blocks.cpp).
class SerializedBlocks {
public:
  SerializedBlocks(Emitter &emitter, FlowFacts &facts, LaneArrays &arrays, LaneValues &values,
                   LaneLoops &loops, const MemoryAccesses &memory, SharedRegisters &registers)
      : e_(emitter), builder_(emitter.builder), facts_(facts), arrays_(arrays), values_(values),
        loops_(loops), memory_(memory), registers_(registers) {}

  bool runsSerialized(llvm::BasicBlock &);
  /// `emitOnce` makes the code of instructions that one is enough of for all lanes.
  llvm::Error emit(llvm::BasicBlock &,
                   llvm::function_ref<llvm::Error(llvm::Instruction &)> emitOnce);

private:
  using Work = llvm::SmallVector<llvm::Instruction *, 16>;
  bool mayPermute(llvm::BasicBlock &) const;
  bool prefersVectors(llvm::Instruction &);
  llvm::SmallPtrSet<const llvm::Instruction *, 16> madeOnce(const llvm::BasicBlock &) const;
  bool isRemade(const llvm::Value *, const llvm::BasicBlock &block,
                const llvm::SmallPtrSetImpl<const llvm::Value *> &taken, unsigned depth) const;
  Work withRemade(llvm::ArrayRef<llvm::Instruction *> work, const llvm::BasicBlock &block);
  void emitLane(llvm::ArrayRef<llvm::Instruction *> work,
                const llvm::DenseMap<llvm::Value *, llvm::Value *> &outside,
                const llvm::DenseMap<llvm::Instruction *, llvm::AllocaInst *> &results,
                llvm::Value *lane);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  FlowFacts &facts_;
  LaneArrays &arrays_;
  LaneValues &values_;
  LaneLoops &loops_;
  const MemoryAccesses &memory_;
  SharedRegisters &registers_;
};

} // namespace heddle::simt
