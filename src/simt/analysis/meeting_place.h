// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What keep-lockstep tells `widen`, as pass_notes.h has it for the other passes.
#pragma once

#include "simt/analysis/pass_notes.h"

namespace heddle::simt {

/// On heddle.yield() and `activemask`. The number of the place among those at which lanes of a warp
/// wait for each other, in the order in which a warp comes to them, and PollFlags. Holds for every
/// copy; without it, lanes wait until polls were in vain.
struct PlaceNote : Note {
  struct Facts {
    unsigned place, flags;
  };
  void put(llvm::Instruction &, Facts) const;
  std::optional<Facts> get(const llvm::Instruction &) const;
};
inline constexpr PlaceNote MeetingPlace{{"heddle.place"}};

/// heddle.meet(place, flags): the lanes of the warp that come here together go on together; the
/// number of the place as in MeetingPlace, and MeetFlags, constants. A CallKind::Yield. Convergent.
inline constexpr llvm::StringLiteral MeetName = "heddle.meet";
llvm::CallInst *emitMeet(llvm::IRBuilder<> &, unsigned place, unsigned flags);
bool isMeet(const llvm::CallInst &);

} // namespace heddle::simt
