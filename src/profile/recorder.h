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
/// The timeline of a program is that of the boards on which it is predicted.
bool predictsTimeline();
/// When work runs, where time is modelled. Null: no device stands for a GPU.
ModelledTime *modelledTime();
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

struct Listener;
void setListener(const Listener *);
/// The program is profiled, or somebody listens.
bool hears();
/// Its place on the GPU's timeline, in place of the processor's, where time is modelled.
void placeActivity(Activity &);

/// Work is over.
void note(Activity);
void noteDevice(uint32_t number, DeviceFacts);

/// Ranges of NVTX. Those of a thread lie within each other, in each domain; their depth, from 0 on, or
/// NVTX_NO_PUSH_POP_TRACKING where none is open.
int pushRange(const void *domain, std::string name);
int popRange(const void *domain);
/// Others begin and end where they want. Its number.
uint64_t startRange(std::string name);
void endRange(uint64_t number);
void markPlace(std::string name);

/// Writes the report. At the end of the process, or before it replaces itself; once.
void finish();

} // namespace heddle::profile
