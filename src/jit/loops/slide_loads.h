// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// In short loops that read a row of memory again and again, a little further each time, shifts
/// take the place of half of the loads; see the top of slide_loads.cpp.
struct SlideLoads : llvm::PassInfoMixin<SlideLoads> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
