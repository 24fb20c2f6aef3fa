// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::simt {

/// The lanes of a warp go through memory together also where a program is a part of a warp, or one
/// thread: they meet (heddle.meet) before each access that may be another one than what a lane
/// would have seen or left on a GPU, where lanes part only in branches and loops.
///
///     s[t] += s[t + 16];            s[t] += s[t + 16];
///                             ->    heddle.meet();
///     s[t] += s[t + 8];             %a = s[t + 8]; heddle.meet(); s[t] += %a;
///
/// Wants the form to be chosen and polls to be marked.
struct KeepLockstep : llvm::PassInfoMixin<KeepLockstep> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
