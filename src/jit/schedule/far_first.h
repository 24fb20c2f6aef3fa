// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::jit {

/// Where two registers as long as a line of the caches, from the same array, are added (or what
/// else may change sides), the one that lies farther on is loaded first and the nearer one is the
/// operand in memory:
///
///     %s = fadd (load %p), (load %p + 512)    ->    %s = fadd (load %p + 512), (load %p)
///
/// Sums by halves then read each kilobyte's second half before the first one. The processor's
/// prefetchers, which go on from where loads are, have fetched more of the next block when it
/// comes. With registers of half a line a sum takes as long as before or a little longer.
void loadFarFirst(llvm::Module &);

} // namespace heddle::jit
