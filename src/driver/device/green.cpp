// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Green contexts (driver API, "Green Contexts"). As on a GPU, such a context has the memory and the
// modules of its device's primary one, and streams of its own. Its multiprocessors are told and set
// nothing apart: which workers run a block is up to the device.
#include "driver/boards/board.h"
#include "driver/device/context.h"
#include "driver/functions.h"
#include "driver/handle_pool.h"
#include "driver/rooms.h"
#include "driver/streams/capture.h"
#include "driver/streams/event.h"
#include "driver/streams/stream.h"

#include <algorithm>
#include <vector>

namespace heddle::driver {

struct ResourceDescription {
  unsigned multiprocessors = 0;
};

struct GreenContext {
  std::mutex mutex; ///< guards `streams`
  Context *primary = nullptr;
  unsigned multiprocessors = 0;
  unsigned long long id = 0;
  /// Those that were made in it, with their ids, which are never used again.
  std::vector<std::pair<CUstream, unsigned long long>> streams;
};

namespace {

auto &pool() { return rooms().greenContexts.get(); }
auto &descriptions() { return rooms().resourceDescriptions.get(); }

unsigned multiprocessorsOf(const Context &context) {
  return static_cast<unsigned>(context.board->properties.multiProcessorCount);
}

CUresult tell(CUdevResource *out, CUdevResourceType type, unsigned multiprocessors) {
  if (type != CU_DEV_RESOURCE_TYPE_SM)
    return CUDA_ERROR_INVALID_RESOURCE_TYPE;
  *out = {};
  out->type = multiprocessors ? type : CU_DEV_RESOURCE_TYPE_INVALID;
  out->sm.smCount = multiprocessors;
  return CUDA_SUCCESS;
}

/// Runs `body(green context)` for a live handle.
template <typename F> CUresult withGreen(CUgreenCtx handle, F &&body) {
  GreenContext *green = pool().find(handle);
  return green ? body(*green) : CUDA_ERROR_INVALID_CONTEXT;
}

/// Multiprocessors of a group: at least as many, and what the manual says for the architecture.
unsigned groupSize(unsigned least, int major) {
  const unsigned step = major >= 9 ? 8 : major >= 7 ? 2 : 1;
  const unsigned smallest = major >= 9 ? 8 : major == 8 ? 4 : step;
  return std::max(smallest, (least + step - 1) / step * step);
}

/// Runs `body(queue)` for the streams of a green context that there still are.
template <typename F> void forEachQueue(GreenContext &green, F &&body) {
  std::lock_guard guard(green.mutex);
  for (auto [handle, id] : green.streams)
    if (Stream *stream = streamOf(handle); stream && stream->id == id)
      body(stream->queue);
}

bool owns(GreenContext &green, const Stream &stream) {
  std::lock_guard guard(green.mutex);
  return std::ranges::any_of(green.streams, [&](auto &one) { return one.second == stream.id; });
}

} // namespace

CUgreenCtx greenContextOf(const Stream &stream) {
  GreenContext *found = nullptr;
  pool().forEach([&](GreenContext *green) {
    if (owns(*green, stream))
      found = green;
  });
  return reinterpret_cast<CUgreenCtx>(found);
}

// ---------------------------------------------------------------------------------------------------
// Resources.

CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource *resource, CUdevResourceType type) {
  if (!resource)
    return CUDA_ERROR_INVALID_VALUE;
  return withPrimary(device, [&](const Context &primary) {
    return tell(resource, type, multiprocessorsOf(primary));
  });
}

CUresult cuCtxGetDevResource(CUcontext handle, CUdevResource *resource, CUdevResourceType type) {
  const Context *context = findContext(handle);
  return context ? tell(resource, type, multiprocessorsOf(*context)) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuGreenCtxGetDevResource(CUgreenCtx handle, CUdevResource *resource,
                                  CUdevResourceType type) {
  return withGreen(handle, [&](const GreenContext &green) {
    return tell(resource, type, green.multiprocessors);
  });
}

/// Groups of one size, as many as are wanted and there are; without a place for them, how many that
/// would be.
CUresult cuDevSmResourceSplitByCount(CUdevResource *groups, unsigned *count,
                                     const CUdevResource *whole, CUdevResource *rest,
                                     unsigned flags, unsigned least) {
  constexpr auto SM = CU_DEV_RESOURCE_TYPE_SM;
  const bool isOneFlag = flags == 0 || flags == CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING ||
                         flags == CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE;
  if (!count || !whole || whole->type != SM || !isOneFlag)
    return CUDA_ERROR_INVALID_VALUE;
  const unsigned all = whole->sm.smCount;
  const unsigned size = groupSize(std::min(least, all), currentContext().board->properties.major);
  if (least > all || size > all)
    return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
  *count = groups ? std::min(*count, all / size) : all / size;
  for (unsigned i = 0; groups && i < *count; ++i)
    tell(&groups[i], SM, size);
  return rest ? tell(rest, SM, all - *count * size) : CUDA_SUCCESS;
}

CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *description, CUdevResource *resources,
                                   unsigned count) {
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t multiprocessors = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (i > multiprocessors || resources[i].type != CU_DEV_RESOURCE_TYPE_SM)
      return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    multiprocessors += resources[i].sm.smCount;
  }
  ResourceDescription *made = descriptions().create();
  if (!made)
    return CUDA_ERROR_OUT_OF_MEMORY;
  made->multiprocessors = static_cast<unsigned>(multiprocessors);
  *description = reinterpret_cast<CUdevResourceDesc>(made);
  return CUDA_SUCCESS;
}

// ---------------------------------------------------------------------------------------------------
// The contexts. Each is a user of the primary one.

CUresult cuGreenCtxCreate(CUgreenCtx *handle, CUdevResourceDesc resources, CUdevice device,
                          unsigned flags) {
  const ResourceDescription *description = descriptions().find(resources);
  if (!handle || flags != CU_GREEN_CTX_DEFAULT_STREAM || (resources && !description))
    return CUDA_ERROR_INVALID_VALUE;
  CUcontext primary = nullptr;
  if (CUresult error = cuDevicePrimaryCtxRetain(&primary, device))
    return error;
  GreenContext *green = pool().create();
  if (!green) {
    cuDevicePrimaryCtxRelease_v2(device);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  green->primary = findContext(primary);
  green->multiprocessors =
      description ? description->multiprocessors : multiprocessorsOf(*green->primary);
  green->id = MostContexts + 1 + rooms().nextGreenId++;
  *handle = reinterpret_cast<CUgreenCtx>(green);
  return CUDA_SUCCESS;
}

/// Its streams stay as long as the program keeps them.
CUresult cuGreenCtxDestroy(CUgreenCtx handle) {
  return withGreen(handle, [](GreenContext &green) {
    const CUdevice device = green.primary->ordinal;
    pool().destroy(&green);
    cuDevicePrimaryCtxRelease(device);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxFromGreenCtx(CUcontext *context, CUgreenCtx handle) {
  return withGreen(handle, [&](const GreenContext &green) {
    *context = handleOf(*green.primary);
    return CUDA_SUCCESS;
  });
}

CUresult cuGreenCtxGetId(CUgreenCtx handle, unsigned long long *id) {
  return withGreen(handle, [&](const GreenContext &green) {
    *id = green.id;
    return CUDA_SUCCESS;
  });
}

CUresult cuGreenCtxStreamCreate(CUstream *stream, CUgreenCtx handle, unsigned flags, int priority) {
  return withGreen(handle, [&](GreenContext &green) -> CUresult {
    if (flags != CU_STREAM_NON_BLOCKING)
      return CUDA_ERROR_INVALID_VALUE;
    ContextScope scope(*green.primary);
    if (CUresult error = cuStreamCreateWithPriority(stream, flags, priority))
      return error;
    std::lock_guard guard(green.mutex);
    green.streams.emplace_back(*stream, streamOf(*stream)->id);
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetGreenCtx(CUstream handle, CUgreenCtx *context) {
  const Stream *stream = streamOf(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  *context = greenContextOf(*stream);
  return CUDA_SUCCESS;
}

/// What is queued in its streams so far.
CUresult cuGreenCtxRecordEvent(CUgreenCtx handle, CUevent event) {
  return withGreen(handle, [&](GreenContext &green) -> CUresult {
    if (CUresult error = mayWaitFor(*green.primary))
      return error;
    device::Device &device = *green.primary->backend;
    device::Queue *queue = device.createQueue(device::QueueKind::NonBlocking, 0);
    if (!queue)
      return CUDA_ERROR_OUT_OF_MEMORY;
    forEachQueue(green, [&](device::Queue *other) {
      device::Marker *marker = device.record(other);
      device.waitFor(queue, marker);
      device.drop(marker);
    });
    device::Marker *all = device.record(queue);
    device.destroyQueue(queue);
    if (recordAs(event, *green.primary, all))
      return CUDA_SUCCESS;
    device.drop(all);
    return CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuGreenCtxWaitEvent(CUgreenCtx handle, CUevent event) {
  return withGreen(handle, [&](GreenContext &green) -> CUresult {
    if (CUresult error = mayWaitFor(*green.primary))
      return error;
    if (!isEvent(event))
      return CUDA_ERROR_INVALID_HANDLE;
    device::Device &device = *green.primary->backend;
    if (device::Marker *marker = markerFor(event, false)) {
      forEachQueue(green, [&](device::Queue *queue) { device.waitFor(queue, marker); });
      device.drop(marker);
    }
    return CUDA_SUCCESS;
  });
}

} // namespace heddle::driver
