// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints for managed memory (driver API, "Unified Addressing"). Their numbers are those of the
// runtime API: the host is -1 for both.
#include "driver/api/addresses.h"
#include "driver/functions.h"
#include "driver/memory/memory.h"
#include "driver/streams/capture.h"

namespace heddle::driver {

namespace {

cudaMemLocation asLocation(const CUmemLocation &where) {
  return {static_cast<cudaMemLocationType>(where.type), where.id};
}

/// Batches are for streams of one's own, and no node can stand for one.
CUresult beforeBatch(CUstream handle) {
  Stream *stream = streamOf(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (stream == currentContext().legacy)
    return CUDA_ERROR_INVALID_VALUE;
  return submitUncaptured(*stream, [] { return CUDA_SUCCESS; });
}

CUresult checkRanges(const CUdeviceptr *addresses, const size_t *sizes, size_t count) {
  if (!addresses || !sizes || !count)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    const void *p = pointerTo(addresses[i]);
    const PointerInfo info = lookUp(p);
    if (info.type != cudaMemoryTypeManaged || !sizes[i] || !info.holds(p, sizes[i]))
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

/// starts[i] is the first range that locations[i] is for: increasing, from 0.
bool areStarts(const size_t *starts, size_t count, size_t ranges) {
  if (!starts || !count || count > ranges || starts[0])
    return false;
  for (size_t i = 1; i < count; ++i)
    if (starts[i] <= starts[i - 1] || starts[i] >= ranges)
      return false;
  return true;
}

} // namespace

CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device) {
  return cudaMemAdvise(pointerTo(address), bytes, static_cast<cudaMemoryAdvise>(advice), device);
}

CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                        CUmemLocation location) {
  return cudaMemAdvise_v2(pointerTo(address), bytes, static_cast<cudaMemoryAdvise>(advice),
                          asLocation(location));
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream) {
  return cudaMemPrefetchAsync(pointerTo(address), bytes, device, stream);
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location,
                               unsigned flags, CUstream stream) {
  return cudaMemPrefetchAsync_v2(pointerTo(address), bytes, asLocation(location), flags, stream);
}

CUresult cuMemPrefetchBatchAsync(CUdeviceptr *addresses, size_t *sizes, size_t count,
                                 CUmemLocation *locations, size_t *starts, size_t locationCount,
                                 unsigned long long flags, CUstream stream) {
  if (flags || !locations || !areStarts(starts, locationCount, count))
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = checkRanges(addresses, sizes, count))
    return error;
  if (CUresult error = beforeBatch(stream))
    return error;
  for (size_t i = 0, at = 0; i < count; ++i) {
    at += at + 1 < locationCount && starts[at + 1] == i;
    if (CUresult error = cuMemPrefetchAsync_v2(addresses[i], sizes[i], locations[at], 0, stream))
      return error;
  }
  return CUDA_SUCCESS;
}

/// The content may be lost, and is not.
CUresult cuMemDiscardBatchAsync(CUdeviceptr *addresses, size_t *sizes, size_t count,
                                unsigned long long flags, CUstream stream) {
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult error = checkRanges(addresses, sizes, count);
  return error == CUDA_SUCCESS ? beforeBatch(stream) : error;
}

CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *addresses, size_t *sizes, size_t count,
                                           CUmemLocation *locations, size_t *starts,
                                           size_t locationCount, unsigned long long flags,
                                           CUstream stream) {
  return cuMemPrefetchBatchAsync(addresses, sizes, count, locations, starts, locationCount, flags,
                                 stream);
}

CUresult cuMemRangeGetAttribute(void *data, size_t dataBytes, CUmem_range_attribute attribute,
                                CUdeviceptr address, size_t bytes) {
  return cudaMemRangeGetAttribute(data, dataBytes, static_cast<cudaMemRangeAttribute>(attribute),
                                  pointerTo(address), bytes);
}

CUresult cuMemRangeGetAttributes(void **data, size_t *dataBytes, CUmem_range_attribute *attributes,
                                 size_t count, CUdeviceptr address, size_t bytes) {
  return cudaMemRangeGetAttributes(data, dataBytes,
                                   reinterpret_cast<cudaMemRangeAttribute *>(attributes), count,
                                   pointerTo(address), bytes);
}

} // namespace heddle::driver
