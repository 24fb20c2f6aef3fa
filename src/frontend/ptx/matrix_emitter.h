// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ptx/emitter.h"

namespace heddle::frontend::ptx {

/// The value, of 32 or 64 bits, that lane `lane` of the warp has; all 32 take part.
llvm::Value *fromLane(Emitter &, llvm::Value *value, llvm::Value *lane);

/// mma.m8n8k4 of halves, behind its shape (lower_mma_quads.cpp).
void emitQuadProduct(Emitter &);

/// The lane's number in its warp.
llvm::Value *laneNumber(Emitter &);

} // namespace heddle::frontend::ptx
