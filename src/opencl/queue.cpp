// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "opencl/queue.h"

#include "opencl/info.h"

#include <algorithm>
#include <memory>

using namespace heddle::cl;

_cl_command_queue::~_cl_command_queue() {
  Current current(device->context);
  if (stream)
    cu().cuStreamDestroy_v2(stream);
}

void _cl_command_queue::setBase() {
  auto fresh = std::make_shared<TimeBase>(device);
  if (cu().cuEventCreate(&fresh->event, CU_EVENT_DEFAULT) != CUDA_SUCCESS)
    return;
  for (int round = 0; round != 2; ++round) { // the first may start the stream's threads
    fresh->time = hostNanoseconds();         // no command may seem to end after it was waited for
    cu().cuEventRecord(fresh->event, stream);
    cu().cuEventSynchronize(fresh->event);
  }
  base = std::move(fresh);
}

void _cl_command_queue::advance() {
  std::lock_guard lock(mutex);
  Current current(device->context);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < pending.size() && !changed; ++i) {
      Command &command = pending[i];
      const bool isReady = std::all_of(command.waits.begin(), command.waits.end(),
                                       [](auto &event) { return event->isReady(); });
      if (!isReady) {
        if (isOutOfOrder() && !command.isBarrier)
          continue;
        break;
      }
      Command taken = std::move(command);
      pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(i));
      const bool isFailed = std::any_of(taken.waits.begin(), taken.waits.end(),
                                        [](auto &event) { return event->status < 0; });
      if (isFailed) {
        announce(*taken.event, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
      } else {
        std::vector<cl_event> list;
        for (auto &event : taken.waits)
          list.push_back(event.get());
        CUresult result = waitInStream(*this, {static_cast<cl_uint>(list.size()), list.data()});
        if (result == CUDA_SUCCESS)
          result = begin(*this, taken.event.get());
        if (result == CUDA_SUCCESS && taken.work)
          result = taken.work(stream);
        end(*this, taken.event.get(), result);
      }
      changed = true;
    }
  }
  std::lock_guard states(eventStates().mutex);
  isWaiting = !pending.empty();
  eventStates().changed.notify_all();
}

cl_int _cl_command_queue::finish() {
  {
    std::unique_lock states(eventStates().mutex);
    eventStates().changed.wait(states, [&] { return !isWaiting; });
  }
  Current current(device->context);
  return codeOf(cu().cuStreamSynchronize(stream));
}

namespace heddle::cl {

_cl_event *makeEvent(_cl_command_queue &queue, cl_command_type type) {
  auto *event = new _cl_event;
  event->context = queue.context;
  event->queue = Ref<_cl_command_queue>(&queue);
  event->type = type;
  if (queue.hasTimes())
    event->queued = hostNanoseconds();
  return event;
}

bool canSubmit(_cl_command_queue &queue, const WaitList &waits) {
  return queue.pending.empty() &&
         std::all_of(waits.events, waits.events + waits.count,
                     [](cl_event event) { return event->isReady() && event->status >= 0; });
}

CUresult waitInStream(_cl_command_queue &queue, const WaitList &waits) {
  for (cl_uint i = 0; i != waits.count; ++i) {
    _cl_event &event = *waits.events[i];
    if (event.end && event.status != CL_COMPLETE && event.queue.get() != &queue)
      if (CUresult error = cu().cuStreamWaitEvent(queue.stream, event.end, 0))
        return error;
  }
  return CUDA_SUCCESS;
}

CUresult begin(_cl_command_queue &queue, _cl_event *event) {
  if (!event || !queue.base)
    return CUDA_SUCCESS;
  constexpr cl_ulong Fresh = 4'000'000'000; // CUDA's times are floats
  if (hostNanoseconds() - queue.base->time > Fresh &&
      cu().cuStreamQuery(queue.stream) == CUDA_SUCCESS)
    queue.setBase();
  if (CUresult error = cu().cuEventCreate(&event->start, CU_EVENT_DEFAULT))
    return error;
  event->submitted = hostNanoseconds();
  event->base = queue.base;
  return cu().cuEventRecord(event->start, queue.stream);
}

CUresult end(_cl_command_queue &queue, _cl_event *event, CUresult result) {
  if (!event)
    return result;
  CUevent mark = nullptr;
  if (result == CUDA_SUCCESS)
    result = cu().cuEventCreate(&mark, queue.base ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING);
  if (result == CUDA_SUCCESS)
    result = cu().cuEventRecord(mark, queue.stream);
  {
    std::lock_guard states(eventStates().mutex);
    event->end = mark;
  }
  announce(*event, result == CUDA_SUCCESS ? CL_SUBMITTED : codeOf(result));
  return result;
}

void defer(_cl_command_queue &queue, _cl_command_queue::Work work, const WaitList &waits,
           _cl_event *event, bool isBarrier) {
  _cl_command_queue::Command command = {std::move(work), {}, Ref<_cl_event>(event), isBarrier};
  for (cl_uint i = 0; i != waits.count; ++i)
    command.waits.emplace_back(waits.events[i]);
  queue.pending.push_back(std::move(command));
  queue.isWaiting = true;
  EventStates &states = eventStates();
  std::lock_guard lock(states.mutex);
  bool isReady = true;
  for (cl_uint i = 0; i != waits.count; ++i)
    if (!waits.events[i]->isReady()) {
      states.waiting.emplace_back(Ref(waits.events[i]), Ref(&queue));
      isReady = false;
    }
  if (!isReady)
    return;
  states.ready.emplace_back(&queue);
  states.hasReady = true;
}

cl_int finishBlocking(_cl_command_queue &queue, _cl_event *event, bool isDeferred) {
  if (event && isDeferred) {
    const cl_int status = event->wait();
    return status < 0
               ? (status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ? status
                                                                         : CL_OUT_OF_RESOURCES)
               : CL_SUCCESS;
  }
  Current current(queue.device->context);
  return codeOf(cu().cuStreamSynchronize(queue.stream));
}

namespace {

constexpr cl_command_queue_properties KnownProperties =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_ON_DEVICE |
    CL_QUEUE_ON_DEVICE_DEFAULT;

cl_command_queue create(cl_context context, cl_device_id device,
                        cl_command_queue_properties properties,
                        std::vector<cl_queue_properties> given, cl_int *code) {
  if (!isValid(context))
    return fail(code, CL_INVALID_CONTEXT);
  if (!isValid(device) || !context->has(device))
    return fail(code, CL_INVALID_DEVICE);
  if (properties & ~KnownProperties)
    return fail(code, CL_INVALID_VALUE);
  if (properties & (CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT))
    return fail(code, CL_INVALID_QUEUE_PROPERTIES);
  auto *queue = new _cl_command_queue;
  queue->context = Ref(context);
  queue->device = device;
  queue->properties = properties;
  queue->given = std::move(given);
  Current current(device->context);
  if (cu().cuStreamCreate(&queue->stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) {
    queue->release();
    return fail(code, CL_OUT_OF_RESOURCES);
  }
  if (queue->hasTimes())
    queue->setBase();
  return succeed(code, queue);
}

cl_int enqueueNothing(cl_command_queue queue, cl_command_type type, const WaitList &waits,
                      cl_event *event) {
  if (!isValid(queue))
    return CL_INVALID_COMMAND_QUEUE;
  if (cl_int error = checkWaitList(queue->context.get(), waits.count, waits.events))
    return error;
  return enqueue(queue, type, waits, event, [](CUstream) { return CUDA_SUCCESS; });
}

/// A marker without a list waits for all commands before it.
cl_int enqueueMark(cl_command_queue queue, cl_command_type type, const WaitList &waits,
                   cl_event *event) {
  if (!isValid(queue))
    return CL_INVALID_COMMAND_QUEUE;
  if (waits.count || waits.events)
    return enqueueNothing(queue, type, waits, event);
  std::vector<Ref<_cl_event>> kept;
  std::vector<cl_event> all;
  {
    std::lock_guard lock(queue->mutex);
    for (auto &command : queue->pending) {
      kept.push_back(command.event);
      all.push_back(command.event.get());
    }
  }
  return enqueueNothing(queue, type, {static_cast<cl_uint>(all.size()), all.data()}, event);
}

} // namespace

} // namespace heddle::cl

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int *code) {
  if (properties & ~(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE))
    return fail(code, CL_INVALID_VALUE);
  return create(context, device, properties, {}, code);
}

cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                    const cl_queue_properties *list, cl_int *code) {
  cl_command_queue_properties properties = 0;
  std::vector<cl_queue_properties> given;
  for (const cl_queue_properties *at = list; at && *at; at += 2) {
    if (*at == CL_QUEUE_PROPERTIES)
      properties = at[1];
    else if (*at == CL_QUEUE_SIZE)
      return fail(code, CL_INVALID_QUEUE_PROPERTIES);
    else
      return fail(code, CL_INVALID_VALUE);
    given.insert(given.end(), at, at + 2);
  }
  if (list)
    given.push_back(0);
  return create(context, device, properties, std::move(given), code);
}

cl_int clRetainCommandQueue(cl_command_queue queue) {
  if (!isValid(queue))
    return CL_INVALID_COMMAND_QUEUE;
  queue->retain();
  return CL_SUCCESS;
}

cl_int clReleaseCommandQueue(cl_command_queue queue) {
  if (!isValid(queue))
    return CL_INVALID_COMMAND_QUEUE;
  queue->release();
  return CL_SUCCESS;
}

cl_int clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info name, size_t size,
                             void *value, size_t *sizeReturned) {
  if (!isValid(queue))
    return CL_INVALID_COMMAND_QUEUE;
  const Room room = {size, value, sizeReturned};
  switch (name) {
  case CL_QUEUE_CONTEXT:
    return room.give(queue->context.get());
  case CL_QUEUE_DEVICE:
    return room.give(queue->device);
  case CL_QUEUE_REFERENCE_COUNT:
    return room.give<cl_uint>(queue->references);
  case CL_QUEUE_PROPERTIES:
    return room.give(queue->properties);
  case CL_QUEUE_PROPERTIES_ARRAY:
    return room.give(queue->given);
  case CL_QUEUE_SIZE:
    return CL_INVALID_COMMAND_QUEUE; // of queues on the device
  case CL_QUEUE_DEVICE_DEFAULT:
    return room.give<cl_command_queue>(nullptr);
  default:
    return CL_INVALID_VALUE;
  }
}

/// OpenCL 1.0's, which 1.1 forbids once a queue has commands.
cl_int clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties, cl_bool,
                                 cl_command_queue_properties *) {
  return isValid(queue) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

cl_int clFlush(cl_command_queue queue) {
  return isValid(queue) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

cl_int clFinish(cl_command_queue queue) {
  return isValid(queue) ? queue->finish() : CL_INVALID_COMMAND_QUEUE;
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *list,
                                   cl_event *event) {
  return enqueueMark(queue, CL_COMMAND_MARKER, {count, list}, event);
}
cl_int clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *list,
                                    cl_event *event) {
  return enqueueMark(queue, CL_COMMAND_BARRIER, {count, list}, event);
}
cl_int clEnqueueMarker(cl_command_queue queue, cl_event *event) {
  return event || !isValid(queue) ? enqueueMark(queue, CL_COMMAND_MARKER, {0, nullptr}, event)
                                  : CL_INVALID_VALUE;
}
cl_int clEnqueueBarrier(cl_command_queue queue) {
  return enqueueMark(queue, CL_COMMAND_BARRIER, {0, nullptr}, nullptr);
}
cl_int clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count, const cl_event *list) {
  if (!isValid(queue))
    return CL_INVALID_COMMAND_QUEUE;
  if (!count || !list)
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i != count; ++i)
    if (!isValid(list[i]))
      return CL_INVALID_EVENT;
  return enqueueNothing(queue, CL_COMMAND_BARRIER, {count, list}, nullptr);
}
