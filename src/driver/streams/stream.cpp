// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams: CUDA's names over a device's queues. All ordering, the legacy default stream's included,
// is the device's (device/cpu/engine/queue.h).
#include "driver/streams/stream.h"

#include "device/checks.h"

#include "driver/call.h"
#include "driver/functions.h"
#include "driver/handle_pool.h"
#include "driver/memory/pool_release.h"
#include "driver/profiling.h"
#include "driver/rooms.h"
#include "driver/streams/capture.h"
#include "driver/streams/device_order.h"
#include "driver/streams/event.h"
#include "driver/streams/host_operation.h"

#include <algorithm>
#include <functional>

namespace heddle::driver {

struct StreamTable {
  HandlePool<Stream, 1u << 20> pool;
  std::atomic<unsigned long long> nextId{1};
};

namespace {

constexpr int HighestPriority = -5, LowestPriority = 0;

StreamTable &table() { return rooms().streams.get(); }

/// Also for streams that other threads are making in other contexts.
bool isOf(Stream &stream, const Context &device) {
  return std::atomic_ref(stream.device).load(std::memory_order_acquire) == &device;
}

Stream *createStream(Context &device, unsigned flags, int priority, device::QueueKind kind,
                     bool isDefault) {
  Stream *stream = table().pool.create();
  if (!stream)
    return nullptr;
  stream->flags = flags;
  stream->priority = std::clamp(priority, HighestPriority, LowestPriority);
  stream->id = table().nextId.fetch_add(1);
  stream->isDefault = isDefault;
  stream->queue = device.backend->createQueue(kind, stream->priority);
  if (!stream->queue) {
    table().pool.destroy(stream);
    return nullptr;
  }
  if (kind != device::QueueKind::Legacy)
    device::noteStreams();
  profileStream(stream->queue, device, isDefault);
  if (flags & cudaStreamNonBlocking)
    ++device.nonBlockingStreams;
  std::atomic_ref(stream->device).store(&device, std::memory_order_release); // it is whole
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
  const size_t index = static_cast<size_t>(currentContext().index);
  if (t.perThread.size() <= index)
    t.perThread.resize(index + 1);
  Stream *&stream = t.perThread[index];
  // cudaDeviceReset on another thread may have destroyed it.
  if (!stream || table().pool.find(stream) != stream)
    stream =
        createStream(currentContext(), cudaStreamDefault, 0, device::QueueKind::Blocking, true);
  return stream;
}

} // namespace

void dropPerThreadStreams(ThreadState &state) {
  for (Stream *stream : state.perThread)
    if (stream && table().pool.find(stream))
      destroyStream(stream);
}

void initializeStreams(Context &device) {
  device.legacy = createStream(device, cudaStreamDefault, 0, device::QueueKind::Legacy, true);
}

void resetStreams(Context &device, bool withLegacy) {
  table().pool.forEach([&](Stream *stream) {
    if (isOf(*stream, device) && (withLegacy || stream != device.legacy))
      destroyStream(stream);
  });
  resetEvents(device);
}

Stream *streamOf(cudaStream_t handle) {
  if (!handle)
    return PerThreadScope::isActive() ? perThreadStream() : currentContext().legacy;
  if (handle == cudaStreamLegacy)
    return currentContext().legacy;
  if (handle == cudaStreamPerThread)
    return perThreadStream();
  return table().pool.find(handle);
}

Context *contextOfStream(const void *handle) {
  const Stream *stream = table().pool.find(handle);
  return stream ? stream->device : nullptr;
}

// ---------------------------------------------------------------------------------------------------
// For the rest of the runtime.

CUresult enqueue(Stream &stream, Task task) {
  stream.device->backend->enqueue(stream.queue, std::move(task));
  return state().launchBlocking ? synchronize(stream) : CUDA_SUCCESS;
}

CUresult enqueueHostFunction(Stream &stream, Task task, bool isOfDevice) {
  stream.device->backend->enqueueHostFunction(stream.queue, std::move(task), isOfDevice);
  return CUDA_SUCCESS;
}

CUresult runNow(Stream &stream, Task task) {
  stream.device->backend->runNow(stream.queue, std::move(task));
  return errorBehindWait(*stream.device);
}

CUresult enqueueOrRun(Stream &stream, Task task) {
  return stream.device->nonBlockingStreams ? runNow(stream, std::move(task))
                                           : enqueue(stream, std::move(task));
}

CUresult synchronize(Stream &stream) {
  stream.device->backend->synchronize(stream.queue);
  return stickyError(*stream.device);
}

CUresult synchronize(Context &device) {
  device.backend->synchronize();
  return stickyError(device);
}

/// The legacy stream stands for those that wait for it.
static void forEachIndependent(Context &device, const std::function<void(Stream &)> &body) {
  body(*device.legacy);
  if (device.nonBlockingStreams)
    table().pool.forEach([&](Stream *stream) {
      if (isOf(*stream, device) && stream->flags & cudaStreamNonBlocking)
        body(*stream);
    });
}

void waitForAll(Stream &stream, Context &device) {
  forEachIndependent(device, [&](Stream &other) {
    if (&other == &stream)
      return;
    device::Marker *marker = device.backend->record(other.queue);
    stream.device->backend->waitFor(stream.queue, marker);
    device.backend->drop(marker);
  });
}

void holdAll(Context &device, Stream &stream) {
  device::Marker *marker = stream.device->backend->record(stream.queue);
  forEachIndependent(device, [&](Stream &other) {
    if (&other != &stream)
      device.backend->waitFor(other.queue, marker);
  });
  stream.device->backend->drop(marker);
}

void forEachOrder(Context &device, const std::function<void(device::Queue *)> &body) {
  forEachIndependent(device, [&](Stream &stream) { body(stream.queue); });
}

CUresult query(Stream &stream) {
  if (CUresult sticky = stickyError(*stream.device))
    return sticky;
  return stream.device->backend->isIdle(stream.queue) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

// ---------------------------------------------------------------------------------------------------
// Driver API, "Stream Management". A stream belongs to the context that was current when it was
// made, and does its work there whichever context is current.

namespace {

/// Runs `body` with the stream of a handle.
template <typename F> CUresult withStream(CUstream handle, F &&body) {
  Stream *stream = streamOf(handle);
  return stream ? body(*stream) : CUDA_ERROR_INVALID_HANDLE;
}

/// For queries: `*answer` is what `read(stream)` gives.
template <typename T, typename F> CUresult tell(CUstream handle, T *answer, F &&read) {
  if (!answer)
    return CUDA_ERROR_INVALID_VALUE;
  return withStream(handle, [&](const Stream &stream) {
    *answer = read(stream);
    return CUDA_SUCCESS;
  });
}

} // namespace

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
  if (!stream || (flags & ~unsigned(CU_STREAM_NON_BLOCKING)))
    return CUDA_ERROR_INVALID_VALUE;
  auto kind =
      flags & CU_STREAM_NON_BLOCKING ? device::QueueKind::NonBlocking : device::QueueKind::Blocking;
  Stream *made = createStream(currentContext(), flags, priority, kind, false);
  if (!made)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *stream = reinterpret_cast<CUstream>(made);
  return CUDA_SUCCESS;
}
CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult cuStreamDestroy_v2(CUstream handle) {
  return withStream(handle, [](Stream &stream) -> CUresult {
    if (stream.isDefault)
      return CUDA_ERROR_INVALID_HANDLE;
    destroyStream(&stream);
    return CUDA_SUCCESS;
  });
}
CUresult cuStreamDestroy(CUstream stream) { return cuStreamDestroy_v2(stream); }

CUresult cuStreamSynchronize(CUstream handle) {
  return withStream(handle, [](Stream &stream) {
    if (CUresult error = mayWaitFor(stream))
      return error;
    synchronize(stream);
    releaseUnused();
    return errorBehindWait(*stream.device);
  });
}

CUresult cuStreamQuery(CUstream handle) {
  return withStream(handle, [](Stream &stream) {
    CUresult error = mayWaitFor(stream);
    return error ? error : query(stream);
  });
}

CUresult cuStreamGetPriority(CUstream handle, int *priority) {
  return tell(handle, priority, [](const Stream &stream) { return stream.priority; });
}

CUresult cuStreamGetFlags(CUstream handle, unsigned *flags) {
  return tell(handle, flags, [](const Stream &stream) { return stream.flags; });
}

CUresult cuStreamGetId(CUstream handle, unsigned long long *id) {
  return tell(handle, id, [](const Stream &stream) { return stream.id; });
}

CUresult cuStreamGetDevice(CUstream handle, CUdevice *device) {
  return tell(handle, device, [](const Stream &stream) { return stream.device->ordinal; });
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  if (least)
    *least = LowestPriority;
  if (greatest)
    *greatest = HighestPriority;
  return CUDA_SUCCESS;
}

CUresult cuStreamAddCallback(CUstream handle, CUstreamCallback callback, void *data,
                             unsigned flags) {
  if (!callback || flags)
    return CUDA_ERROR_INVALID_VALUE;
  return withStream(handle, [&](Stream &stream) {
    return submitUncaptured(stream, [&] {
      return enqueueHostFunction(stream, [=, context = stream.device] {
        HostFunctionScope scope;
        callback(handle, stickyError(*context), data);
      });
    });
  });
}

CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void *data) {
  return withStream(handle, [&](Stream &stream) -> CUresult {
    if (!function)
      return CUDA_ERROR_INVALID_VALUE;
    HostWork work = {stream.device, function, data, thread().asksForDevice};
    return submit(
        stream,
        [&](std::unique_ptr<Operation> &operation) {
          operation = std::make_unique<HostOperation>(work);
          return CUDA_SUCCESS;
        },
        [&] { return enqueueHostFunction(stream, work, work.isOfDevice); });
  });
}

} // namespace heddle::driver
