// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mbarrier objects (include/heddle/device_mbarrier.h) in the thread program.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace heddle::simt {

class Shapes;

/// __heddle_mbarrier_change(barrier, arrivals, drops, bytes): the one change of a barrier. Its
/// result is the state before. `widen` makes code of it (widen/calls/mbarrier_changes.h).
inline constexpr llvm::StringLiteral MbarrierChangeName = "__heddle_mbarrier_change";

/// __heddle_mbarrier_note(barrier, step, state): what else is done with a barrier. Only synccheck
/// and racecheck ask: lower-device takes it away elsewhere. mark-polls makes a look a wait where the loop around
/// it ends by nothing else.
inline constexpr llvm::StringLiteral MbarrierNoteName = "__heddle_mbarrier_note";
enum class MbarrierStep : uint32_t { Begins, Ends, Looks, Waits };
MbarrierStep mbarrierStep(const llvm::CallInst &note);

/// Removes all calls of a function that only tells.
void removeNotes(llvm::Module &, llvm::StringRef name);
/// Removes the notes, or says that they have no effects but what they tell. Whether the module has
/// notes, as those of older compilers do not.
bool keepMbarrierNotes(llvm::Module &, bool keeps);

/// The threads of a warp that make this call arrive at one barrier, each as often, and ask of the
/// state only which phase it is of. So the warp can arrive at once, and all have one state. Bytes
/// are told of one by one, for they may end a phase in between.
bool arriveTogether(const llvm::CallInst &change, const Shapes &);

} // namespace heddle::simt
