// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"
#include "simt/simt.h"

#include "llvm/IR/Module.h"

namespace heddle::simt {

/// Lets large arrays that a kernel only writes go past the caches. A store into a cache first
/// fetches the line that it will overwrite; a non-temporal store of a whole line does not, which
/// saves a third of the traffic of y = a x + z. It pays if the array would not stay in the cache
/// anyway, which only the launch can tell:
///
///     store <32 x float> %v, ptr %p    ->    if (bytes >= launch->streamBytes && %p % 64 == 0)
///       !heddle.stream                         store <32 x float> %v, ptr %p, !nontemporal
///                                            else
///                                              store <32 x float> %v, ptr %p, !heddle.cached
///
/// Stores that follow each other are chosen by one test. Two of half a line each, side by side, are
/// one of a line. A store under a mask is tested for lanes that are idle as well: at the rim of an
/// image all lanes store, but not all compute the same.
///
/// Where a block of the program stores this way more than half of what `registers` hold, it has two
/// forms, and the test is made first: results would wait for it in memory (stream_choices.h).
///
/// bytes: what all threads of the launch write by this store, or for a loop in steps of the grid
/// its bound times the size of an element. Such stores are weakly ordered: a fence ends the blocks.
///
/// Works on `runBlocks` once it is optimised, or on the coroutine `start` before it is split. That
/// has no fence, since it returns wherever it suspends itself: the runner makes one after some
/// blocks.
///
/// Returns whether anything changed.
bool streamStores(llvm::Module &, std::optional<VectorRegisters> registers = std::nullopt);

/// The pass of jit/passes.def. One of the module: its function is known by its name.
struct StreamStores : llvm::PassInfoMixin<StreamStores> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
    return changed(streamStores(module));
  }
};

} // namespace heddle::simt
