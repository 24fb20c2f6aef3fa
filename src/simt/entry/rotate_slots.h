// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/simt.h"

#include "llvm/IR/Function.h"

namespace heddle::simt {

/// In loops that wait: wide values that are handed on from round to round get places of their own
/// in the frame, and what is handed on is which place is whose (rotatedBits in pass_notes.h).
///
///     %below = phi [%first, entry], [%here, latch]       %0 = phi [0, entry], [%1, latch]
///     %here = phi [%second, entry], [%above, latch]  ->  %1 = phi [1, entry], [%2, latch]
///     %above = load                                      %2 = phi [2, entry], [%0, latch]
///                                                        store load, %slots[%2]
void rotateSlots(llvm::Function &, const VectorRegisters &);

} // namespace heddle::simt
