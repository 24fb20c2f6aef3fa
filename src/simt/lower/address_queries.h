// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// The value of a question about an address's state space (__isShared, __isLocal, __isGlobal,
/// __isGridConstant, and those of clusters), of __heddle_shared_memory(), of an address's offset
/// there, or about the launch (heddle/device_system.h), made in front of the call; null if it is
/// none of these. The function has its context parameters. Constant memory is the front end's
/// matter (frontend/place_globals).
///
///     %s = call i1 @llvm.nvvm.isspacep.shared(ptr %p)  ->  %d = (ptrtoint %p) - (ptrtoint %shared)
///                                                          %s = %d <u launch->sharedBytes
llvm::Value *lowerAddressQuery(llvm::CallInst &, uint64_t paramBytes);
/// Whether it is about the shared memory of other blocks. Its function is marked then
/// (InClusterName).
bool isClusterQuery(const llvm::CallInst &);

} // namespace heddle::simt
