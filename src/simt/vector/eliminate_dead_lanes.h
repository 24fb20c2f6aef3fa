// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::simt {

/// Cuts the vectors of the program that holds a block into vectors of the machine's registers, and
/// leaves out lanes that nothing needs.
///
///     %b = shufflevector <32 x float> %a, <16, 17, ... 31>        %s = fadd <16 x float> %a0, %a1
///     %s = fadd %a, %b                                       ->   %r = extractelement %s, 3
///     %r = extractelement %s, 3
///
/// With shuffle-network, registers of lanes from many others are put together at once (exchange.h).
///
/// A program that has more lanes than the block has threads is cut to pieces as long as the number
/// of threads allows: 192 are three pieces of 64 lanes. Not where each register has a thread.
struct EliminateDeadLanes : llvm::PassInfoMixin<EliminateDeadLanes> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
