// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass_control.h"

namespace heddle::jit {

/// The names that the options disable, print or stop after are those of passes, of this table, the
/// warp compiler's or (disabled) of the device's choices.
llvm::Error checkNames(const simt::Options &);

/// Whether a pass of this table has the name.
bool isPass(llvm::StringRef name);

/// Runs them on the host's module that simt::buildWarpProgram made, and prints and stops as the
/// options say. True if it stopped.
bool runPasses(llvm::Module &, llvm::TargetMachine &, const simt::Options &);

} // namespace heddle::jit
