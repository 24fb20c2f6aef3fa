// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Asks a mask's parts where it is asked whether any lane is active, or all are. A condition that
/// is the same in each row of a block (or in all rows) is computed once a row; its copies for all
/// lanes need not be made to look at them:
///
///     %all = shufflevector <8 x i1> %rows, poison, <0, 0, ..., 7, 7>
///     %bits = bitcast <256 x i1> %all to i256          ->   %bits = bitcast <8 x i1> %rows to i8
///     icmp eq i256 %bits, 0                                 icmp eq i8 %bits, 0
struct NarrowMaskTests : llvm::PassInfoMixin<NarrowMaskTests> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
