// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ptx/emitter.h"

namespace heddle::frontend::ptx {

/// Takes a state space: "global", "shared" (also for .shared::cta), "shared::cluster", "const",
/// "local", or "" for generic addresses.
llvm::StringRef takeSpace(Emitter &);

/// Takes what says how caches keep the line, which means nothing on a CPU: .L1::evict_last,
/// .L2::128B, ... Whether there is a cache policy among the operands.
bool takeCacheHints(Emitter &);

/// Takes .cta, .cluster, .gpu or .sys. All are the same here, as the processor's memory is coherent.
bool takeScope(Emitter &);
/// For racecheck: an access or a fence of the block only, if takeScope has said so.
void noteScope(llvm::Instruction &, bool isOfBlock);

/// An mbarrier is told that so many bytes (i32) of what it waits for have come.
void completeBytes(Emitter &, llvm::Value *barrier, llvm::Value *bytes);

/// The thread's cp.async copies tell an mbarrier when they are done.
void noteAsyncArrival(Emitter &);
/// A bulk copy that reads shared memory, whose end is waited for in groups; or that writes there and
/// tells an mbarrier.
void noteBulkRead(Emitter &, llvm::Value *shared, llvm::Value *bytes);
void noteBulkWrite(Emitter &, llvm::Value *shared, llvm::Value *bytes, llvm::Value *barrier);

} // namespace heddle::frontend::ptx
