// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::simt {

/// Computes with arrays of structures as they lie in memory. Lanes that read a float4 each give
/// four vectors, one for each member, which shuffles pick from the wide load
/// (interleaved_accesses.cpp). Where all members go the same way, the wide vector does without
/// being taken apart: in a register-blocked matrix product, the four columns of each lane.
///
///     %w = load <64 x float>, %p                        %w = load <64 x float>, %p
///     %x = shuffle %w, <0, 4, 8, ...>                   %r4 = splat of %r, 64 lanes
///     %y = shuffle %w, <1, 5, 9, ...> ...          ->   %s = fma %r4, %w, %sum
///     %s0 = fma %r, %x, %sum0
///     %s1 = fma %r, %y, %sum1 ...
///
/// Wants functions that are simplified (normalize.h).
struct PackStructs : llvm::PassInfoMixin<PackStructs> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
