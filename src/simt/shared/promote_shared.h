// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"
#include "simt/simt.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::simt {

/// The address of a block's shared memory where one program holds the block (SharedMemory in
/// pass_notes.h); null if there is none.
llvm::Instruction *findSharedMemory(llvm::Function &);

/// For a block that is one program: shared memory that is only accessed at places known here
/// becomes vectors in registers. If there is any other access all of it stays where it is.
/// The static part is certainly there; what lies beyond is there if the launch asked for it. Says
/// in Compilation::inRegisters whether it has done so.
///
///     store <256 x float> %x, %shared                     %sum = fadd (low half of %x),
///     %a = masked.load <256 x float> %shared + 512,   ->            (high half of %x)
///          <lanes 0 to 127>
struct PromoteShared : llvm::PassInfoMixin<PromoteShared> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
