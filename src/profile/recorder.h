// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes down what a profiled program does. The driver and the device tell of it; at the end the report
// is written that HEDDLE_PROFILE and HEDDLE_PROFILE_OPTIONS ask for. Without them nothing is
// recorded, and `isOn` is all that runs.
#pragma once

#include "base/profile_options.h"
#include "profile/activity.h"
#include "profile/modelled_time.h"

namespace heddle::profile {

/// What HEDDLE_PROFILE asks for, read once. Words that are not understood are told on stderr, and
/// nothing is profiled.
const ProfileOptions &settings();
bool isOn();
/// COMPUTE_PROFILE=1: the log of the Command Line Profiler is written.
bool writesLog();
/// HEDDLE_TIMING=model: times are those of the GPU that the device stands for.
bool modelsTime();
/// Work on a device, where time is modelled. Null: the device stands for no GPU.
ModelledTime *modelledTime(uint32_t device);
/// The program has asked for a device: says that it is profiled.
void begin();
/// The program and its arguments.
std::string commandLine();
/// Work counts now: cudaProfilerStart and cudaProfilerStop, with --profile-from-start off.
bool isRecording();
void startRecording();
void stopRecording();

/// A call of the API by this thread begins, or ends with a code. Of calls within calls only the
/// outermost counts.
void beginCall(const char *name, bool ofRuntime);
void endCall(int code);
/// The number of the call that this thread is in; 0: in none.
uint64_t thisCall();

/// Work is over.
void note(Activity);
void noteDevice(uint32_t number, DeviceFacts);

void pushRange(const char *name);
void popRange();
void markPlace(const char *name);

/// Writes the report. At the end of the process, or before it replaces itself; once.
void finish();

} // namespace heddle::profile
