// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// In straight code that has more values at once than there are registers: what is computed of a
/// value comes right behind it, if then fewer wait.
///
///     %a = f(%x); %b = f(%y); %c = f(%z)             %a = f(%x); %d = g(%a)
///     %d = g(%a); %e = g(%b); %f = g(%c)         ->  %b = f(%y); %e = g(%b); ...
struct DepthFirst : llvm::PassInfoMixin<DepthFirst> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
