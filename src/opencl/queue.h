// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command queues. A queue is a stream of CUDA and the commands that may not go there yet, because
// they wait for user events or for commands that do. CUDA orders all that is submitted, by the
// stream and by its events, so a submitted command never waits for one that is not.
//
// In a queue out of order, commands that wait are passed by those that do not, up to a barrier.
// What is submitted runs in the order of the stream, which the standard allows.
#pragma once

#include "opencl/event.h"

#include <deque>
#include <functional>

struct _cl_command_queue : heddle::cl::Object<_cl_command_queue, heddle::cl::Kind::Queue> {
  using Work = std::function<CUresult(CUstream)>;
  struct Command {
    Work work;
    std::vector<heddle::cl::Ref<_cl_event>> waits;
    heddle::cl::Ref<_cl_event> event;
    bool isBarrier;
  };

  heddle::cl::Ref<_cl_context> context;
  cl_device_id device = nullptr;
  cl_command_queue_properties properties = 0;
  std::vector<cl_queue_properties> given;
  cl_uint size = 0;
  CUstream stream = nullptr;
  std::shared_ptr<heddle::cl::TimeBase> base; ///< where times are wanted
  std::recursive_mutex mutex;
  std::deque<Command> pending;
  std::atomic<bool> isWaiting = false; ///< there are pending ones

  ~_cl_command_queue();
  bool isOutOfOrder() const { return properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE; }
  bool hasTimes() const { return properties & CL_QUEUE_PROFILING_ENABLE; }
  void setBase();
  /// Submits what need not wait any more.
  void advance();
  /// Waits until all commands are done.
  cl_int finish();
};

namespace heddle::cl {

struct WaitList {
  cl_uint count;
  const cl_event *events;
};

/// The parts of `enqueue`, with the queue's mutex held.
_cl_event *makeEvent(_cl_command_queue &, cl_command_type);
bool canSubmit(_cl_command_queue &, const WaitList &);
CUresult waitInStream(_cl_command_queue &, const WaitList &);
CUresult begin(_cl_command_queue &, _cl_event *);
CUresult end(_cl_command_queue &, _cl_event *, CUresult);
void defer(_cl_command_queue &, _cl_command_queue::Work, const WaitList &, _cl_event *,
           bool isBarrier);
cl_int finishBlocking(_cl_command_queue &, _cl_event *, bool isDeferred);

/// Enqueues a command: `work(stream)` gives it to CUDA, now or later, so it owns what it needs.
template <typename Work>
cl_int enqueue(cl_command_queue queue, cl_command_type type, const WaitList &waits, cl_event *event,
               Work &&work, bool isBlocking = false) {
  const bool isBarrier = type == CL_COMMAND_BARRIER;
  cl_int error = CL_SUCCESS;
  bool isDeferred = false;
  Ref<_cl_event> made;
  {
    std::lock_guard lock(queue->mutex);
    isDeferred = !canSubmit(*queue, waits);
    if (event || isDeferred) {
      _cl_event *fresh = makeEvent(*queue, type);
      made = Ref<_cl_event>(fresh);
      if (event)
        *event = fresh;
      else
        fresh->release();
    }
    if (isDeferred) {
      defer(*queue, std::forward<Work>(work), waits, made.get(), isBarrier);
    } else {
      Current current(queue->device->context);
      CUresult result = waitInStream(*queue, waits);
      if (result == CUDA_SUCCESS)
        result = begin(*queue, made.get());
      if (result == CUDA_SUCCESS)
        result = work(queue->stream);
      error = codeOf(end(*queue, made.get(), result));
    }
  }
  advanceReady();
  if (error && event) {
    (*event)->release();
    *event = nullptr;
  }
  return error || !isBlocking ? error : finishBlocking(*queue, made.get(), isDeferred);
}

} // namespace heddle::cl
