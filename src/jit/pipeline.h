// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/simt.h"

namespace heddle::jit {

/// A pass of passes.def.
struct PassInfo {
  llvm::StringRef name, doc;
  bool isRequired;
};
llvm::ArrayRef<PassInfo> passes();

/// Runs them on the host's module that simt::buildWarpProgram made, and prints and stops as the
/// options say. True if it stopped.
bool runPasses(llvm::Module &, llvm::TargetMachine &, const simt::Options &);

} // namespace heddle::jit
