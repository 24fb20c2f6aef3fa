// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams: CUDA's names over a device's queues. All ordering, the legacy default stream's included,
// is the device's (device/cpu/engine/queue.h).
#include "runtime/streams/stream.h"

#include "runtime/handle_pool.h"
#include "runtime/memory/pool_release.h"
#include "runtime/streams/capture.h"
#include "runtime/streams/device_order.h"
#include "runtime/streams/event.h"
#include "runtime/streams/host_operation.h"

#include <algorithm>
#include <functional>

namespace heddle::runtime {

struct StreamTable {
  HandlePool<Stream, 1u << 20> pool;
  std::atomic<unsigned long long> nextId{1};
};

namespace {

constexpr int HighestPriority = -5, LowestPriority = 0;

StreamTable &table() {
  static StreamTable *streams = new StreamTable;
  return *streams;
}

Stream *createStream(Device &device, unsigned flags, int priority, device::QueueKind kind,
                     bool isDefault) {
  Stream *stream = table().pool.create();
  if (!stream)
    return nullptr;
  stream->device = &device;
  stream->flags = flags;
  stream->priority = std::clamp(priority, HighestPriority, LowestPriority);
  stream->id = table().nextId.fetch_add(1);
  stream->isDefault = isDefault;
  stream->queue = device.backend->createQueue(kind, stream->priority);
  if (!stream->queue) {
    table().pool.destroy(stream);
    return nullptr;
  }
  if (flags & cudaStreamNonBlocking)
    ++device.nonBlockingStreams;
  return stream;
}

void destroyStream(Stream *stream) {
  if (anyCaptures())
    leaveCapture(*stream);
  if (stream->flags & cudaStreamNonBlocking)
    --stream->device->nonBlockingStreams;
  stream->device->backend->destroyQueue(stream->queue);
  table().pool.destroy(stream);
}

Stream *perThreadStream() {
  ThreadState &t = thread();
  if (t.perThread.size() <= static_cast<size_t>(t.device))
    t.perThread.resize(static_cast<size_t>(t.device) + 1);
  Stream *&stream = t.perThread[static_cast<size_t>(t.device)];
  // cudaDeviceReset on another thread may have destroyed it.
  if (!stream || table().pool.find(stream) != stream)
    stream = createStream(currentDevice(), cudaStreamDefault, 0, device::QueueKind::Blocking, true);
  return stream;
}

} // namespace

void dropPerThreadStreams(ThreadState &state) {
  for (Stream *stream : state.perThread)
    if (stream && table().pool.find(stream))
      destroyStream(stream);
}

void initializeStreams(Device &device) {
  device.legacy = createStream(device, cudaStreamDefault, 0, device::QueueKind::Legacy, true);
}

void resetStreams(Device &device) {
  table().pool.forEach([&](Stream *stream) {
    if (stream->device == &device && stream != device.legacy)
      destroyStream(stream);
  });
  resetEvents(device);
}

Stream *streamOf(cudaStream_t handle) {
  if (!handle)
    return thread().perThreadDefault ? perThreadStream() : currentDevice().legacy;
  if (handle == cudaStreamLegacy)
    return currentDevice().legacy;
  if (handle == cudaStreamPerThread)
    return perThreadStream();
  return table().pool.find(handle);
}

// ---------------------------------------------------------------------------------------------------
// For the rest of the runtime.

cudaError_t enqueue(Stream &stream, Task task) {
  stream.device->backend->enqueue(stream.queue, std::move(task));
  return state().launchBlocking ? synchronize(stream) : cudaSuccess;
}

cudaError_t enqueueHostFunction(Stream &stream, Task task) {
  stream.device->backend->enqueueHostFunction(stream.queue, std::move(task));
  return cudaSuccess;
}

cudaError_t runNow(Stream &stream, Task task) {
  stream.device->backend->runNow(stream.queue, std::move(task));
  return errorBehindWait(*stream.device);
}

cudaError_t enqueueOrRun(Stream &stream, Task task) {
  return stream.device->nonBlockingStreams ? runNow(stream, std::move(task))
                                           : enqueue(stream, std::move(task));
}

cudaError_t synchronize(Stream &stream) {
  stream.device->backend->synchronize(stream.queue);
  return stickyError(*stream.device);
}

cudaError_t synchronize(Device &device) {
  device.backend->synchronize();
  return stickyError(device);
}

/// The legacy stream stands for those that wait for it.
static void forEachIndependent(Device &device, const std::function<void(Stream &)> &body) {
  body(*device.legacy);
  if (device.nonBlockingStreams)
    table().pool.forEach([&](Stream *stream) {
      if (stream->device == &device && stream->flags & cudaStreamNonBlocking)
        body(*stream);
    });
}

void waitForAll(Stream &stream, Device &device) {
  forEachIndependent(device, [&](Stream &other) {
    if (&other == &stream)
      return;
    device::Marker *marker = device.backend->record(other.queue);
    stream.device->backend->waitFor(stream.queue, marker);
    device.backend->drop(marker);
  });
}

void holdAll(Device &device, Stream &stream) {
  device::Marker *marker = stream.device->backend->record(stream.queue);
  forEachIndependent(device, [&](Stream &other) {
    if (&other != &stream)
      device.backend->waitFor(other.queue, marker);
  });
  stream.device->backend->drop(marker);
}

cudaError_t query(Stream &stream) {
  if (cudaError_t sticky = stickyError(*stream.device))
    return sticky;
  return stream.device->backend->isIdle(stream.queue) ? cudaSuccess : cudaErrorNotReady;
}

// ---------------------------------------------------------------------------------------------------
// The API.

namespace {

/// Runs `body` with the stream of a handle.
template <typename F>
cudaError_t withStream(cudaStream_t handle, F &&body, unsigned flags = EnterPlain) {
  return enter(
      [&]() -> cudaError_t {
        Stream *stream = streamOf(handle);
        return stream ? body(*stream) : cudaErrorInvalidResourceHandle;
      },
      flags);
}

} // namespace
} // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags,
                                                    int priority) {
  return enter([&]() -> cudaError_t {
    if (!stream || (flags & ~unsigned(cudaStreamNonBlocking)))
      return cudaErrorInvalidValue;
    auto kind = flags & cudaStreamNonBlocking ? heddle::device::QueueKind::NonBlocking
                                              : heddle::device::QueueKind::Blocking;
    Stream *made = createStream(currentDevice(), flags, priority, kind, false);
    if (!made)
      return cudaErrorMemoryAllocation;
    *stream = reinterpret_cast<cudaStream_t>(made);
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

HEDDLE_API cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

HEDDLE_API cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return withStream(
      handle,
      [](Stream &stream) -> cudaError_t {
        if (stream.isDefault)
          return cudaErrorInvalidResourceHandle;
        destroyStream(&stream);
        return cudaSuccess;
      },
      EnterLost);
}

HEDDLE_API cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return withStream(handle, [](Stream &stream) {
    if (cudaError_t error = mayWaitFor(stream))
      return error;
    synchronize(stream);
    releaseUnused();
    return errorBehindWait(*stream.device);
  });
}

HEDDLE_API cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return withStream(handle, [](Stream &stream) {
    cudaError_t error = mayWaitFor(stream);
    return error ? error : query(stream);
  });
}

HEDDLE_API cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority) {
  return withStream(handle, [&](Stream &stream) -> cudaError_t {
    if (!priority)
      return cudaErrorInvalidValue;
    *priority = stream.priority;
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned int *flags) {
  return withStream(handle, [&](Stream &stream) -> cudaError_t {
    if (!flags)
      return cudaErrorInvalidValue;
    *flags = stream.flags;
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id) {
  return withStream(handle, [&](Stream &stream) -> cudaError_t {
    if (!id)
      return cudaErrorInvalidValue;
    *id = stream.id;
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *device) {
  return withStream(handle, [&](Stream &stream) -> cudaError_t {
    if (!device)
      return cudaErrorInvalidValue;
    *device = stream.device->ordinal;
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return enter([&] {
    if (least)
      *least = LowestPriority;
    if (greatest)
      *greatest = HighestPriority;
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback,
                                             void *data, unsigned int flags) {
  return withStream(handle, [&](Stream &stream) -> cudaError_t {
    if (!callback || flags != 0)
      return cudaErrorInvalidValue;
    Device *device = stream.device;
    return submitUncaptured(stream, [&] {
      return enqueueHostFunction(stream, [=] {
        HostFunctionScope scope;
        callback(handle, stickyError(*device), data);
      });
    });
  });
}

HEDDLE_API cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void *data) {
  return withStream(handle, [&](Stream &stream) -> cudaError_t {
    if (!function)
      return cudaErrorInvalidValue;
    HostWork work = {stream.device, function, data};
    return submit(
        stream,
        [&](std::unique_ptr<Operation> &operation) {
          operation = std::make_unique<HostOperation>(work);
          return cudaSuccess;
        },
        [&] { return enqueueHostFunction(stream, work); });
  });
}
