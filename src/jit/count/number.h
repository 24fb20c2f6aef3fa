// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model/kernel.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace heddle::jit {

/// The places of a user's source.
class Lines {
public:
  explicit Lines(std::vector<model::CodeLine> &all) : all_(all) {}
  /// model::None where it has none.
  uint32_t of(const llvm::Instruction &);

private:
  std::vector<model::CodeLine> &all_;
  llvm::StringMap<uint32_t> numbers_;
};

/// What a module's basic blocks and memory accesses are numbered as: the kernel's first, then those of
/// functions that stayed.
struct Numbering {
  llvm::DenseMap<const llvm::BasicBlock *, uint32_t> blocks;
  llvm::DenseMap<const llvm::Instruction *, uint32_t> accesses;
};

/// Gives each read of a clock a basic block, so that what came before it is known when it is read.
void splitAtClocks(llvm::Module &);

/// Numbers what is there; `code` gets blocks without operations, what follows each, and accesses as
/// far as the IR tells.
Numbering number(llvm::Module &, llvm::Function &kernel, model::KernelCode &code);

/// Puts heddle.count.block and heddle.count.access (simt/analysis/pass_notes.h) into the module.
void insertMarkers(llvm::Module &, const Numbering &, const model::KernelCode &);

} // namespace heddle::jit
