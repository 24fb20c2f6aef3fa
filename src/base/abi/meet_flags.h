// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More of the contract of kernel_abi.h: lanes of a warp that wait for each other below width 32.
// WarpState::barrierId is the number of the place for WaitKind::Meet and WaitKind::Yield, in the
// order in which a warp comes to them: lanes at lower ones go first. WarpState::barrierThreads has
// MeetFlags for Meet and PollFlags for Yield.
#pragma once

#include <cstdint>

namespace heddle {

enum MeetFlags : uint32_t {
  MeetsWithoutPolls = 1, ///< nothing was written since the last meeting that a lane may poll for:
                         ///< those that poll are not waited for
  MeetIsStep = 2,        ///< not in a turn of a loop that polls: the warp has got on
  MeetGivesNothing = 4,  ///< and by 2^n more, if lanes there will not soon do what is polled for in
                         ///< loop n
};

enum PollFlags : uint32_t {
  PollIsFirm = 1, ///< no lane of the warp does what is polled for
  PollTakes = 2,  ///< it tries to write, as for a lock that a lane of the warp may have
  PollLoop = 4,   ///< and by n more, in loop n: less than MostPollLoops
};

inline constexpr uint32_t MostPollLoops = 30; ///< all others are the last one

} // namespace heddle
