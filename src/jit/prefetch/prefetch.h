// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "jit/prefetch/fetches.h"
#include "simt/pass.h"

#include "llvm/Analysis/LoopInfo.h"

namespace heddle::jit {

/// Fetches ahead what a program will read.
struct PrefetchLoads : llvm::PassInfoMixin<PrefetchLoads> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

/// Fetches what it will write, once it is known which stores go past the caches.
struct PrefetchStores : llvm::PassInfoMixin<PrefetchStores> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

/// Where sources look for accesses.
struct FetchedFunction {
  llvm::Function &function;
  const llvm::LoopInfo &loops;
  llvm::ScalarEvolution &evolution;
};

// The sources, each in a file of its name (prefetch_grid_strides.cpp and so on): they add what is
// worth fetching, and how far ahead.
void findGridStrides(const FetchedFunction &, Fetches &);
void findNextTile(const FetchedFunction &, Fetches &);
void findLaterBlocks(const FetchedFunction &, Fetches &);
void findStores(const FetchedFunction &, Fetches &);

} // namespace heddle::jit
