// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"
#include "simt/pass.h"

namespace heddle::simt {

/// Marks atomic additions to global memory that a worker may put off until it leaves the launch
/// (DeferredAddition in pass_notes.h), and says in the program of what kind they are and what must
/// be compared at launch.
struct PrivatizeAtomics : llvm::PassInfoMixin<PrivatizeAtomics> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
