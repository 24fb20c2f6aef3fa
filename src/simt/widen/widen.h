// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/pass_notes.h"
#include "simt/lower/lower_device.h"

#include "llvm/IR/Function.h"

namespace heddle::simt {

/// A warp program and what the entry code must know of it.
struct WarpProgram {
  /// void (launch, block, shared, warp, blockIdx.x, .y, .z, <width x i1> mask); holds `call void
  /// @heddle.suspend()` wherever the warp waits.
  llvm::Function *body = nullptr;
  bool waits = false;
  bool separable = false; ///< KernelSeparable
  bool needsGrid = false;
  bool needsCluster = false;
  bool warpWaits = false;
  bool prints = false;
  bool isSequential = false; ///< KernelSequential
  bool hasStructs = false;   ///< holds wide accesses to arrays of structures
};

/// Numbers of a structure of which lanes that walk along an array are given each by wide accesses.
inline constexpr int64_t MostInterleaved = 8;

/// Turns thread programs into warp programs: the body and every device function that is left, each
/// lane by lane the same as before.
llvm::Expected<WarpProgram> widen(llvm::Module &, const ThreadProgram &, const Options &,
                                  llvm::TargetMachine &);

} // namespace heddle::simt
