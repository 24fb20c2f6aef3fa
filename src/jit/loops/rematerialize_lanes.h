// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Elements of a vector that a loop over lanes takes from a slot come from where the vector was
/// loaded, if all that read the slot are marked (simt::StillInMemory):
///
///     %v = load <256 x i8>, %p                    lanes: %i = load i8, %p + lane
///     store %v, %slot                       ->           ...
///     lanes: %i = load i8, %slot + lane
///
/// What the slot's vector is computed from in a few steps, each lane for itself and with numbers
/// that are the same for all (a digit: `key >> shift & 255`), is loaded and computed there.
///
/// After the passes that fetch ahead, which know walks by their vectors. What the kernel loads so
/// is in the first-level cache either way; the slot may share its place there with what the loop
/// writes.
struct RematerializeLanes : llvm::PassInfoMixin<RematerializeLanes> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
