// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle::jit {

/// The nearest cache that a fetched line comes to.
enum class FetchInto { First, Second };
enum class FetchFor { Reading, Writing };

/// Fetches all cache lines of `bytes` bytes. Harmless at any address.
void prefetchLines(llvm::IRBuilder<> &, llvm::Value *address, uint64_t bytes,
                   FetchInto = FetchInto::First, FetchFor = FetchFor::Reading);

/// The same of a row that may begin anywhere in a line, so that its end may be in one more.
void prefetchRow(llvm::IRBuilder<> &, llvm::Value *address, uint64_t bytes, FetchInto,
                 FetchFor = FetchFor::Reading);

/// Fetches ahead what loops read that go through memory in steps of the grid's size.
struct PrefetchGridStrides : llvm::PassInfoMixin<PrefetchGridStrides> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
