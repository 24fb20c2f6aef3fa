// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events. An event holds the marker of its latest record; recording again gives it a new one, and
// streams that wait for the old one still do. An event that other processes may open has no
// markers: records have numbers in a page that all of them map (shared_event.h).
#include "driver/streams/event.h"

#include "driver/functions.h"
#include "driver/handle_pool.h"
#include "driver/memory/pool_release.h"
#include "driver/rooms.h"
#include "driver/streams/capture.h"
#include "driver/streams/shared_event.h"

#include <bit>

namespace heddle::driver {

struct Event {
  std::mutex mutex; ///< guards what is of the latest record
  device::Marker *marker = nullptr;
  unsigned long long stream = 0; ///< its number, and its `stoodStill` then; 0: of a graph
  uint64_t stoodStill = 0;
  std::shared_ptr<CapturedRecord> captured; ///< the latest record was in a captured stream
  Context *device = nullptr;
  unsigned flags = 0;
  std::shared_ptr<SharedEvent> shared; ///< cudaEventInterprocess
};

namespace {

HandlePool<Event, 1u << 22> &pool() { return rooms().events.get(); }

/// The marker of the latest record, with a reference for the caller; null if never recorded.
class Latest {
public:
  explicit Latest(Event &event) : device_(*event.device->backend) {
    std::lock_guard guard(event.mutex);
    marker_ = event.marker;
    stream_ = event.stream;
    stoodStill_ = event.stoodStill;
    if (marker_)
      device_.retain(marker_);
  }
  /// What the time from another record to this one is less by.
  uint64_t stoodStillSince(const Latest &other) const {
    return stream_ && stream_ == other.stream_ ? stoodStill_ - other.stoodStill_ : 0;
  }
  ~Latest() {
    if (marker_)
      device_.drop(marker_);
  }
  Latest(const Latest &) = delete;
  Latest &operator=(const Latest &) = delete;
  device::Marker *get() const { return marker_; }

private:
  device::Device &device_;
  device::Marker *marker_;
  unsigned long long stream_;
  uint64_t stoodStill_;
};

std::shared_ptr<CapturedRecord> capturedOf(Event &event) {
  std::lock_guard guard(event.mutex);
  return event.captured;
}

/// `fresh` is the marker of the latest record from now on, in the stream if there is one.
void setLatest(Event &event, device::Marker *fresh, Stream *stream = nullptr) {
  device::Marker *old;
  {
    std::lock_guard guard(event.mutex);
    old = std::exchange(event.marker, fresh);
    event.captured = nullptr;
    event.stream = stream ? stream->id : 0;
    event.stoodStill = stream ? std::atomic_ref(stream->stoodStill).load() : 0;
  }
  if (old)
    event.device->backend->drop(old);
}

/// Before a call asks about an event or waits for it.
CUresult mayAskFor(Event &event) {
  if (auto captured = capturedOf(event))
    return errorOfCaptured(*captured, true);
  return mayBeUnsafe();
}

CUresult recordShared(Stream &stream, Event &event) {
  {
    std::lock_guard guard(event.mutex);
    event.captured = nullptr;
  }
  return enqueue(stream, [shared = event.shared, number = event.shared->begin()] {
    shared->complete(number);
  });
}

CUresult waitForShared(Stream &stream, Event &event) {
  const uint64_t number = event.shared->latest();
  if (!event.shared->isDone(number))
    stream.device->backend->enqueueWait(stream.queue,
                                        [shared = event.shared, number] { shared->wait(number); });
  return CUDA_SUCCESS;
}

/// cudaEventRecord in a stream that is captured: the event stands for what the stream has captured;
/// an external one becomes a node.
CUresult recordIn(Stream &stream, Event &event, bool external,
                  const cudaGraphEdgeData &early = {}) {
  auto run = [&]() -> CUresult {
    if (event.shared)
      return recordShared(stream, event);
    setLatest(event, event.device->backend->record(stream.queue), &stream);
    return CUDA_SUCCESS;
  };
  if (!anyCaptures() && !external) [[likely]]
    return run();
  auto make = [&](std::unique_ptr<Operation> &operation) {
    return makeEvent<RecordOperation>(reinterpret_cast<cudaEvent_t>(&event), *stream.device,
                                      operation);
  };
  if (external) // of use in captures only
    return submit(stream, make, [] { return CUDA_ERROR_ILLEGAL_STATE; });
  bool isCaptured;
  if (CUresult error = lookForCapture(stream, isCaptured))
    return error;
  if (!isCaptured)
    return run();
  auto record = recordCaptured(stream, early);
  std::lock_guard guard(event.mutex);
  event.captured = std::move(record);
  return CUDA_SUCCESS;
}

CUresult waitIn(Stream &stream, Event &event, bool external) {
  auto run = [&]() -> CUresult {
    if (event.shared)
      return waitForShared(stream, event);
    Latest latest(event);
    if (latest.get())
      stream.device->backend->waitFor(stream.queue, latest.get());
    return CUDA_SUCCESS;
  };
  auto make = [&](std::unique_ptr<Operation> &operation) {
    return makeEvent<WaitOperation>(reinterpret_cast<cudaEvent_t>(&event), *stream.device,
                                    operation);
  };
  if (external)
    return submit(stream, make, [] { return CUDA_ERROR_ILLEGAL_STATE; });
  if (auto captured = capturedOf(event))
    return waitForCaptured(stream, *captured);
  // A captured stream cannot wait for what is outside.
  auto isolated = [&](std::unique_ptr<Operation> &) {
    breakCapture(stream);
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  };
  const bool isRecorded =
      event.shared ? event.shared->latest() != 0 : Latest(event).get() != nullptr;
  return isRecorded ? submit(stream, isolated, run) : CUDA_SUCCESS;
}

void destroyEvent(Event *event) {
  if (event->marker)
    event->device->backend->drop(event->marker);
  pool().destroy(event);
}

template <typename F> CUresult withEvent(CUevent handle, F &&body) {
  Event *event = pool().find(handle);
  return event ? body(*event) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult createEvent(cudaEvent_t *out, unsigned flags, std::shared_ptr<SharedEvent> shared) {
  Event *event = pool().create();
  if (!event)
    return CUDA_ERROR_OUT_OF_MEMORY;
  event->flags = flags;
  event->shared = std::move(shared);
  std::atomic_ref(event->device).store(&currentContext(), std::memory_order_release);
  *out = reinterpret_cast<cudaEvent_t>(event);
  return CUDA_SUCCESS;
}

CUresult openEvent(cudaEvent_t *out, const cudaIpcEventHandle_t &handle) {
  if (!out || !isEventHandle(handle))
    return CUDA_ERROR_INVALID_VALUE;
  if (isOwn(handle))
    return CUDA_ERROR_INVALID_CONTEXT;
  auto shared = SharedEvent::open(handle);
  return shared
             ? createEvent(out, cudaEventDisableTiming | cudaEventInterprocess, std::move(shared))
             : CUDA_ERROR_INVALID_HANDLE;
}

CUresult elapsed(float *milliseconds, Event &start, Event &end) {
  if ((start.flags | end.flags) & cudaEventDisableTiming || start.device != end.device)
    return CUDA_ERROR_INVALID_HANDLE;
  for (Event *event : {&start, &end})
    if (auto captured = capturedOf(*event))
      return errorOfCaptured(*captured, false);
  Latest from(start), to(end);
  if (!from.get() || !to.get())
    return CUDA_ERROR_INVALID_HANDLE;
  device::Device &device = *start.device->backend;
  if (!device.isDone(from.get()) || !device.isDone(to.get()))
    return CUDA_ERROR_NOT_READY;
  auto difference = static_cast<int64_t>(device.timeOf(to.get()) - device.timeOf(from.get()) -
                                         to.stoodStillSince(from));
  *milliseconds = static_cast<float>(static_cast<double>(difference) * 1e-6);
  return CUDA_SUCCESS;
}

} // namespace

bool isEvent(cudaEvent_t handle) { return pool().find(handle) != nullptr; }

CUresult checkForLaunch(cudaEvent_t handle) {
  const Event *event = pool().find(handle);
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!(event->flags & cudaEventDisableTiming))
    return CUDA_ERROR_NOT_SUPPORTED; // as an H200 says
  return event->shared ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult recordBehindLaunch(Stream &stream, cudaEvent_t handle, const cudaGraphEdgeData &early) {
  Event *event = pool().find(handle);
  return event ? recordIn(stream, *event, false, early) : CUDA_ERROR_INVALID_HANDLE;
}

/// The same for an event of several processes: a queue of its own passes on that the marker is
/// complete, or completes a marker when the record is done.
static device::Marker *markerForShared(const std::shared_ptr<SharedEvent> &shared,
                                       device::Device &device, bool records) {
  const uint64_t number = records ? shared->begin() : shared->latest();
  if (!records && shared->isDone(number))
    return nullptr;
  device::Queue *queue = device.createQueue(device::QueueKind::NonBlocking, 0);
  device::Marker *marker;
  if (records) {
    marker = device.createMarker();
    device.waitFor(queue, marker);
    device.enqueue(queue, [shared, number] { shared->complete(number); });
  } else {
    device.enqueueWait(queue, [shared, number] { shared->wait(number); });
    marker = device.record(queue);
  }
  device.destroyQueue(queue);
  return marker;
}

device::Marker *markerFor(cudaEvent_t handle, bool records) {
  Event *event = pool().find(handle);
  if (!event)
    return nullptr;
  device::Device &device = *event->device->backend;
  if (event->shared)
    return markerForShared(event->shared, device, records);
  device::Marker *marker;
  if (records) {
    marker = device.createMarker();
    device.retain(marker); // the graph's
    setLatest(*event, marker);
    return marker;
  }
  Latest latest(*event);
  marker = latest.get();
  if (marker)
    device.retain(marker);
  return marker;
}

bool recordAs(cudaEvent_t handle, const Context &context, device::Marker *marker) {
  Event *event = pool().find(handle);
  if (!event || event->device != &context || event->shared)
    return false;
  setLatest(*event, marker);
  return true;
}

Context *contextOfEvent(const void *handle) {
  const Event *event = pool().find(handle);
  return event ? event->device : nullptr;
}

void resetEvents(Context &device) {
  pool().forEach([&](Event *event) {
    // Other threads may be making events of other contexts.
    if (std::atomic_ref(event->device).load(std::memory_order_acquire) == &device)
      destroyEvent(event);
  });
}

// ---------------------------------------------------------------------------------------------------
// Driver API, "Event Management".

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  constexpr unsigned Known =
      CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
  if (!event || (flags & ~Known))
    return CUDA_ERROR_INVALID_VALUE;
  if (!(flags & CU_EVENT_INTERPROCESS))
    return createEvent(event, flags, nullptr);
  if (!(flags & CU_EVENT_DISABLE_TIMING))
    return CUDA_ERROR_INVALID_VALUE;
  auto shared = SharedEvent::create();
  return shared ? createEvent(event, flags, std::move(shared)) : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuEventDestroy_v2(CUevent handle) {
  return withEvent(handle, [](Event &event) {
    destroyEvent(&event);
    return CUDA_SUCCESS;
  });
}
CUresult cuEventDestroy(CUevent event) { return cuEventDestroy_v2(event); }

CUresult cuEventRecordWithFlags(CUevent handle, CUstream streamHandle, unsigned flags) {
  return withEvent(handle, [&](Event &event) -> CUresult {
    Stream *stream = streamOf(streamHandle);
    if (!stream || stream->device != event.device)
      return CUDA_ERROR_INVALID_HANDLE;
    if (flags & ~unsigned(CU_EVENT_RECORD_EXTERNAL))
      return CUDA_ERROR_INVALID_VALUE;
    return recordIn(*stream, event, flags & CU_EVENT_RECORD_EXTERNAL);
  });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_DEFAULT);
}

CUresult cuEventQuery(CUevent handle) {
  return withEvent(handle, [](Event &event) -> CUresult {
    if (CUresult error = mayAskFor(event))
      return error;
    if (event.shared && !event.shared->isDone(event.shared->latest()))
      return CUDA_ERROR_NOT_READY;
    Latest latest(event);
    if (latest.get() && !event.device->backend->isDone(latest.get()))
      return CUDA_ERROR_NOT_READY;
    return stickyError(*event.device);
  });
}

CUresult cuEventSynchronize(CUevent handle) {
  return withEvent(handle, [](Event &event) -> CUresult {
    if (CUresult error = mayAskFor(event))
      return error;
    if (event.shared)
      event.shared->wait(event.shared->latest());
    Latest latest(event);
    if (latest.get())
      event.device->backend->synchronize(latest.get());
    releaseUnused();
    return errorBehindWait(*event.device);
  });
}

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end) {
  if (!milliseconds) // that is an H200's answer
    return CUDA_ERROR_INVALID_HANDLE;
  return withEvent(start, [&](Event &from) -> CUresult {
    Event *to = pool().find(end);
    return to ? elapsed(milliseconds, from, *to) : CUDA_ERROR_INVALID_HANDLE;
  });
}
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}

CUresult cuStreamWaitEvent(CUstream streamHandle, CUevent handle, unsigned flags) {
  return withEvent(handle, [&](Event &event) -> CUresult {
    Stream *stream = streamOf(streamHandle);
    if (!stream)
      return CUDA_ERROR_INVALID_HANDLE;
    if (flags & ~unsigned(CU_EVENT_WAIT_EXTERNAL))
      return CUDA_ERROR_INVALID_VALUE;
    return waitIn(*stream, event, flags & CU_EVENT_WAIT_EXTERNAL);
  });
}

CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event) {
  return withEvent(event, [&](Event &found) -> CUresult {
    if (!handle)
      return CUDA_ERROR_INVALID_VALUE;
    if (!found.shared)
      return CUDA_ERROR_INVALID_HANDLE;
    *handle = std::bit_cast<CUipcEventHandle>(found.shared->handle());
    return CUDA_SUCCESS;
  });
}

CUresult cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle) {
  return openEvent(event, std::bit_cast<cudaIpcEventHandle_t>(handle));
}

} // namespace heddle::driver
