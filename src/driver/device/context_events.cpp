// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events of all work of a context (driver API, "Context Management"). A queue of its own waits for
// what is queued, and an event records that; what is queued in the context later waits for one
// likewise.
#include "driver/device/context.h"
#include "driver/functions.h"
#include "driver/streams/capture.h"
#include "driver/streams/device_order.h"
#include "driver/streams/event.h"

namespace heddle::driver {

namespace {

/// Runs `body(context)`. Captured streams can have no part in it.
template <typename F> CUresult withContext(CUcontext handle, F &&body) {
  Context *context = findContext(handle);
  if (!context)
    return CUDA_ERROR_INVALID_CONTEXT;
  CUresult error = mayWaitFor(*context);
  return error == CUDA_SUCCESS ? body(*context) : error;
}

/// The end of all that is queued in the context; null: there are too many queues.
device::Marker *recordAll(Context &context) {
  device::Device &device = *context.backend;
  device::Queue *queue = device.createQueue(device::QueueKind::NonBlocking, 0);
  if (!queue)
    return nullptr;
  forEachOrder(context, [&](device::Queue *other) {
    device::Marker *marker = device.record(other);
    device.waitFor(queue, marker);
    device.drop(marker);
  });
  device::Marker *all = device.record(queue);
  device.destroyQueue(queue);
  return all;
}

} // namespace

CUresult cuCtxRecordEvent(CUcontext handle, CUevent event) {
  return withContext(handle, [&](Context &context) -> CUresult {
    if (!isEvent(event))
      return CUDA_ERROR_INVALID_HANDLE;
    device::Marker *marker = recordAll(context);
    if (!marker)
      return CUDA_ERROR_OUT_OF_MEMORY;
    if (recordAs(event, context, marker))
      return CUDA_SUCCESS;
    context.backend->drop(marker);
    return CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuCtxWaitEvent(CUcontext handle, CUevent event) {
  return withContext(handle, [&](Context &context) -> CUresult {
    if (!isEvent(event))
      return CUDA_ERROR_INVALID_HANDLE;
    device::Marker *marker = markerFor(event, false);
    if (!marker) // it was never recorded
      return CUDA_SUCCESS;
    forEachOrder(context, [&](device::Queue *queue) { context.backend->waitFor(queue, marker); });
    context.backend->drop(marker);
    return CUDA_SUCCESS;
  });
}

} // namespace heddle::driver
