// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCContext.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::jit {

/// An attribute of functions whose loads of streams are staggered.
inline constexpr const char *Stagger = "heddle-stagger-loads";

/// Gives it to all of them.
struct StaggerLoads : llvm::PassInfoMixin<StaggerLoads> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &) {
    function.addFnAttr(Stagger);
    return simt::changedInBlocks(true);
  }
};

/// Adds the pass that writes x86 machine code as an ELF object to `stream`, in place of
/// TargetMachine::addAsmPrinter. In functions with the attribute an instruction that loads a vector
/// of a stream (simt::StreamMetadata) does not take a multiple of four bytes: one that would gets a
/// prefix without a meaning.
///
///     62 b1 7c 48 10 4c b7 01      vmovups 64(%rdi,%r14,4), %zmm1
///     3e 62 b1 7c 48 10 4c b7 01   vmovups %ds:64(%rdi,%r14,4), %zmm1
///
/// False if the machine's back end cannot write objects.
bool addStaggeredPrinter(llvm::legacy::PassManager &passes, llvm::TargetMachine &machine,
                         llvm::raw_pwrite_stream &stream, llvm::MCContext &context);

} // namespace heddle::jit
