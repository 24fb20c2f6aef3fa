// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::jit {

/// Optimises a warp program. It is vector code already, so nothing here vectorises. A pass
/// of the module: it inlines.
struct Simplify : llvm::PassInfoMixin<Simplify> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
};

/// Lets functions with wide vectors align their stack, so that a vector that is kept there lies in
/// one cache line. LLVM would align it only if it knew before it gives out registers that it must.
struct AlignSpills : llvm::PassInfoMixin<AlignSpills> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

/// An ELF object with line tables. Fails with what the back end reported.
llvm::Expected<llvm::SmallVector<char, 0>> emitObject(llvm::Module &module,
                                                      llvm::TargetMachine &machine);

} // namespace heddle::jit
