// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "opencl/event.h"

#include "opencl/info.h"
#include "opencl/queue.h"

#include <chrono>
#include <memory>
#include <thread>

using namespace heddle::cl;

heddle::cl::TimeBase::~TimeBase() {
  Current current(device->context);
  if (event)
    cu().cuEventDestroy_v2(event);
}

_cl_event::~_cl_event() {
  if (!queue)
    return;
  Current current(queue->device->context);
  if (start)
    cu().cuEventDestroy_v2(start);
  if (end)
    cu().cuEventDestroy_v2(end);
}

cl_int _cl_event::current() {
  const cl_int known = status;
  if (known <= CL_COMPLETE || !end)
    return known;
  Current current(queue->device->context);
  const CUresult error = cu().cuEventQuery(end);
  if (error == CUDA_ERROR_NOT_READY)
    return start && cu().cuEventQuery(start) == CUDA_SUCCESS ? CL_RUNNING : known;
  status = error == CUDA_SUCCESS ? CL_COMPLETE : codeOf(error);
  return status;
}

cl_int _cl_event::wait() {
  {
    std::unique_lock states(eventStates().mutex);
    eventStates().changed.wait(states, [&] { return isReady(); });
  }
  if (status > CL_COMPLETE) {
    Current current(queue->device->context);
    const CUresult error = cu().cuEventSynchronize(end);
    status = error == CUDA_SUCCESS ? CL_COMPLETE : codeOf(error);
  }
  return status;
}

namespace heddle::cl {

EventStates &eventStates() {
  static auto &states = *new EventStates;
  return states;
}

void announce(_cl_event &event, cl_int status) {
  EventStates &states = eventStates();
  std::vector<Ref<_cl_event>> done; // let go without the mutex
  std::lock_guard lock(states.mutex);
  event.status = status;
  for (size_t i = 0; i < states.waiting.size();) {
    if (states.waiting[i].first.get() != &event) {
      ++i;
      continue;
    }
    done.push_back(std::move(states.waiting[i].first));
    states.ready.push_back(std::move(states.waiting[i].second));
    states.hasReady = true;
    states.waiting.erase(states.waiting.begin() + static_cast<std::ptrdiff_t>(i));
  }
  states.changed.notify_all();
}

void advanceReady() {
  EventStates &states = eventStates();
  while (states.hasReady) {
    Ref<_cl_command_queue> queue;
    {
      std::lock_guard lock(states.mutex);
      if (states.ready.empty())
        return;
      queue = std::move(states.ready.back());
      states.ready.pop_back();
      states.hasReady = !states.ready.empty();
    }
    queue->advance();
  }
}

namespace {

struct Callback {
  Ref<_cl_event> event;
  cl_int type;
  void (*notify)(cl_event, cl_int, void *);
  void *data;
};

/// Looks at events until they have come so far, and calls. CUDA's own callbacks may not call CUDA.
class CallbackThread {
public:
  void add(Callback callback) {
    std::lock_guard lock(mutex_);
    list_.push_back(std::move(callback));
    if (!isStarted_) {
      isStarted_ = true;
      std::thread([this] { run(); }).detach();
    }
    added_.notify_one();
  }

private:
  [[noreturn]] void run() {
    for (;;) {
      std::vector<Callback> due;
      {
        std::unique_lock lock(mutex_);
        added_.wait(lock, [&] { return !list_.empty(); });
        for (size_t i = 0; i < list_.size();) {
          if (list_[i].event->current() > list_[i].type) {
            ++i;
            continue;
          }
          due.push_back(std::move(list_[i]));
          list_.erase(list_.begin() + static_cast<std::ptrdiff_t>(i));
        }
      }
      for (Callback &callback : due) {
        const cl_int status = callback.event->current();
        callback.notify(callback.event.get(), status < 0 ? status : callback.type, callback.data);
      }
      if (due.empty())
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

  std::mutex mutex_;
  std::condition_variable added_;
  std::vector<Callback> list_;
  bool isStarted_ = false;
};

} // namespace

void callWhen(_cl_event &event, cl_int type, void (*notify)(cl_event, cl_int, void *), void *data) {
  static auto &thread = *new CallbackThread;
  thread.add({Ref(&event), type, notify, data});
}

cl_int checkWaitList(const _cl_context *context, cl_uint count, const cl_event *list) {
  if ((count && !list) || (!count && list))
    return CL_INVALID_EVENT_WAIT_LIST;
  for (cl_uint i = 0; i != count; ++i) {
    if (!isValid(list[i]))
      return CL_INVALID_EVENT_WAIT_LIST;
    if (list[i]->context.get() != context)
      return CL_INVALID_CONTEXT;
  }
  return CL_SUCCESS;
}

namespace {

/// Nanoseconds from the base to CUDA's event.
cl_ulong nanosecondsTo(_cl_event &event, CUevent mark) {
  float milliseconds = 0;
  Current current(event.queue->device->context);
  cu().cuEventElapsedTime(&milliseconds, event.base->event, mark);
  return static_cast<cl_ulong>(std::max(0.0, double(milliseconds) * 1e6));
}

} // namespace

} // namespace heddle::cl

cl_event clCreateUserEvent(cl_context context, cl_int *code) {
  if (!isValid(context))
    return fail(code, CL_INVALID_CONTEXT);
  auto *event = new _cl_event;
  event->context = Ref(context);
  event->status = CL_SUBMITTED;
  return succeed(code, event);
}

cl_int clSetUserEventStatus(cl_event event, cl_int status) {
  if (!isValid(event) || !event->isUser())
    return CL_INVALID_EVENT;
  if (status > CL_COMPLETE)
    return CL_INVALID_VALUE;
  if (event->status <= CL_COMPLETE)
    return CL_INVALID_OPERATION;
  announce(*event, status);
  advanceReady();
  return CL_SUCCESS;
}

cl_int clWaitForEvents(cl_uint count, const cl_event *list) {
  if (!count || !list)
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i != count; ++i) {
    if (!isValid(list[i]))
      return CL_INVALID_EVENT;
    if (list[i]->context.get() != list[0]->context.get())
      return CL_INVALID_CONTEXT;
  }
  cl_int result = CL_SUCCESS;
  for (cl_uint i = 0; i != count; ++i)
    if (list[i]->wait() < 0)
      result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  return result;
}

cl_int clGetEventInfo(cl_event event, cl_event_info name, size_t size, void *value,
                      size_t *sizeReturned) {
  if (!isValid(event))
    return CL_INVALID_EVENT;
  const Room room = {size, value, sizeReturned};
  switch (name) {
  case CL_EVENT_COMMAND_QUEUE:
    return room.give(event->queue.get());
  case CL_EVENT_CONTEXT:
    return room.give(event->context.get());
  case CL_EVENT_COMMAND_TYPE:
    return room.give(event->type);
  case CL_EVENT_COMMAND_EXECUTION_STATUS:
    return room.give(event->current());
  case CL_EVENT_REFERENCE_COUNT:
    return room.give<cl_uint>(event->references);
  default:
    return CL_INVALID_VALUE;
  }
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t size, void *value,
                               size_t *sizeReturned) {
  if (!isValid(event))
    return CL_INVALID_EVENT;
  if (event->isUser() || !event->base || event->current() != CL_COMPLETE)
    return CL_PROFILING_INFO_NOT_AVAILABLE;
  const Room room = {size, value, sizeReturned};
  const cl_ulong untilStart = nanosecondsTo(*event, event->start);
  event->base->raise(event->submitted - std::min(event->submitted, untilStart));
  switch (name) {
  case CL_PROFILING_COMMAND_QUEUED:
    return room.give(event->queued);
  case CL_PROFILING_COMMAND_SUBMIT:
    return room.give(event->submitted);
  case CL_PROFILING_COMMAND_START:
    return room.give<cl_ulong>(event->base->time + untilStart);
  case CL_PROFILING_COMMAND_END:
  case CL_PROFILING_COMMAND_COMPLETE:
    return room.give<cl_ulong>(event->base->time +
                               std::max(untilStart, nanosecondsTo(*event, event->end)));
  default:
    return CL_INVALID_VALUE;
  }
}

cl_int clSetEventCallback(cl_event event, cl_int type, void (*notify)(cl_event, cl_int, void *),
                          void *data) {
  if (!isValid(event))
    return CL_INVALID_EVENT;
  if (!notify || (type != CL_SUBMITTED && type != CL_RUNNING && type != CL_COMPLETE))
    return CL_INVALID_VALUE;
  callWhen(*event, type, notify, data);
  return CL_SUCCESS;
}

cl_int clRetainEvent(cl_event event) {
  if (!isValid(event))
    return CL_INVALID_EVENT;
  event->retain();
  return CL_SUCCESS;
}

cl_int clReleaseEvent(cl_event event) {
  if (!isValid(event))
    return CL_INVALID_EVENT;
  event->release();
  return CL_SUCCESS;
}
