// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/simt.h"

#include "llvm/IR/Function.h"

namespace heddle::simt {

/// Lanes that go around two loops that have one head in common go around one loop, so that they
/// meet there in each turn (join_turns.cpp). Wants loops in simplified and closed form, and leaves
/// them so. True if anything was changed.
bool joinTurns(llvm::Function &, const Options &);

} // namespace heddle::simt
