// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mbarrier objects (include/heddle/device_mbarrier.h) in the thread program.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Instructions.h"

namespace heddle::simt {

class Shapes;

/// __heddle_mbarrier_change(barrier, arrivals, drops, bytes): the one change of a barrier. Its
/// result is the state before. `widen` makes code of it (widen/calls/mbarrier_changes.h).
inline constexpr llvm::StringLiteral MbarrierChangeName = "__heddle_mbarrier_change";

/// The threads of a warp that make this call arrive at one barrier, each as often, and ask of the
/// state only which phase it is of. So the warp can arrive at once, and all have one state. Bytes
/// are told of one by one, for they may end a phase in between.
bool arriveTogether(const llvm::CallInst &change, const Shapes &);

} // namespace heddle::simt
