// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "profile/activity.h"
#include "profile/timing.h"

namespace heddle::profile {

/// Has launches counted and timed, if the options ask for it. `devices` stays where it is, and as it is
/// once launches run.
void startCounters(const std::vector<DeviceFacts> &devices);

/// recorder.cpp: a launch was counted; `times`: by the GPUs that are asked for, if any.
void noteCounts(LaunchCounts, std::vector<TimedLaunch> times);

} // namespace heddle::profile
