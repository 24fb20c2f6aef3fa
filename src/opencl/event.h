// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "opencl/context.h"

#include <condition_variable>
#include <memory>

namespace heddle::cl {

/// An event of CUDA that an idle stream recorded, and when at the earliest. That no command starts
/// before it was submitted makes the bound better.
struct TimeBase {
  cl_device_id device;
  CUevent event = nullptr;
  std::atomic<cl_ulong> time = 0; ///< nanoseconds of the host

  void raise(cl_ulong least) {
    for (cl_ulong known = time; known < least && !time.compare_exchange_weak(known, least);)
      ;
  }

  ~TimeBase();
};

} // namespace heddle::cl

/// The state of a command. What a command of a queue does is done by a stream of CUDA, once it is
/// submitted; then `end` is an event of CUDA behind it.
struct _cl_event : heddle::cl::Object<_cl_event, heddle::cl::Kind::Event> {
  heddle::cl::Ref<_cl_context> context;
  heddle::cl::Ref<_cl_command_queue> queue; ///< none: a user event
  cl_command_type type = CL_COMMAND_USER;
  std::atomic<cl_int> status = CL_QUEUED;     ///< a user event's is CL_SUBMITTED at first
  CUevent start = nullptr;                    ///< only where times are wanted
  std::atomic<CUevent> end = nullptr;         ///< once it is submitted
  cl_ulong queued = 0, submitted = 0;         ///< nanoseconds of the host
  std::shared_ptr<heddle::cl::TimeBase> base; ///< what times are counted from

  ~_cl_event();
  bool isUser() const { return !queue; }
  /// CL_QUEUED, ..., CL_COMPLETE, or an error; asks CUDA.
  cl_int current();
  /// Waits until it is complete; its last status.
  cl_int wait();
  /// Whether commands that wait for it may be submitted.
  bool isReady() const { return end || status <= CL_COMPLETE; }
};

namespace heddle::cl {

/// Guards the states of events and who waits for them. `changed` tells of each change.
struct EventStates {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::pair<Ref<_cl_event>, Ref<_cl_command_queue>>> waiting; ///< who waits for what
  std::vector<Ref<_cl_command_queue>> ready;                              ///< to look at again
  std::atomic<bool> hasReady = false;
};
EventStates &eventStates();

/// Sets the state; queues that wait for it are ready. Submitted commands have set `end`.
void announce(_cl_event &, cl_int status);
/// Lets the queues go on that are ready. The caller holds no queue's mutex: queues wait for each other.
void advanceReady();

/// Callbacks of events run on a thread of their own.
void callWhen(_cl_event &, cl_int type, void (*notify)(cl_event, cl_int, void *), void *data);

/// Checks event_wait_list: CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT.
cl_int checkWaitList(const _cl_context *, cl_uint count, const cl_event *list);

} // namespace heddle::cl
