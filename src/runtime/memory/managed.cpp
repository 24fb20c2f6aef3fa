// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints for managed memory (runtime API, "Memory Management"). Numbers and locations are those of the
// driver API: the host is -1 for both.
#include "runtime/memory/copy_params.h"

using namespace heddle::runtime;

namespace {

CUmemLocation locationOf(const cudaMemLocation &where) {
  return {static_cast<CUmemLocationType>(where.type), where.id};
}

} // namespace

HEDDLE_API cudaError_t cudaMemAdvise(const void *p, size_t bytes, cudaMemoryAdvise advice,
                                     int device) {
  return translate([&] {
    return ask<&Cu::cuMemAdvise>(addressOf(p), bytes, static_cast<CUmem_advise>(advice), device);
  });
}

HEDDLE_API cudaError_t cudaMemAdvise_v2(const void *p, size_t bytes, cudaMemoryAdvise advice,
                                        cudaMemLocation location) {
  return translate([&] {
    return ask<&Cu::cuMemAdvise_v2>(addressOf(p), bytes, static_cast<CUmem_advise>(advice),
                                    locationOf(location));
  });
}

HEDDLE_API cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, int device,
                                            cudaStream_t stream) {
  return translate(
      [&] { return ask<&Cu::cuMemPrefetchAsync>(addressOf(p), bytes, device, stream); });
}

HEDDLE_API cudaError_t cudaMemPrefetchAsync_v2(const void *p, size_t bytes,
                                               cudaMemLocation location, unsigned flags,
                                               cudaStream_t stream) {
  return translate([&] {
    return ask<&Cu::cuMemPrefetchAsync_v2>(addressOf(p), bytes, locationOf(location), flags,
                                           stream);
  });
}

HEDDLE_API cudaError_t cudaMemRangeGetAttribute(void *data, size_t dataBytes,
                                                cudaMemRangeAttribute attribute, const void *p,
                                                size_t bytes) {
  return translate([&] {
    return ask<&Cu::cuMemRangeGetAttribute>(
        data, dataBytes, static_cast<CUmem_range_attribute>(attribute), addressOf(p), bytes);
  });
}

HEDDLE_API cudaError_t cudaMemRangeGetAttributes(void **data, size_t *dataBytes,
                                                 cudaMemRangeAttribute *attributes, size_t count,
                                                 const void *p, size_t bytes) {
  return translate([&] {
    return ask<&Cu::cuMemRangeGetAttributes>(data, dataBytes,
                                             reinterpret_cast<CUmem_range_attribute *>(attributes),
                                             count, addressOf(p), bytes);
  });
}

// Batches of CUDA 13, whose locations and lists both APIs have.

HEDDLE_API cudaError_t cudaMemPrefetchBatchAsync(void **pointers, size_t *sizes, size_t count,
                                                 cudaMemLocation *locations, size_t *locationStarts,
                                                 size_t locationCount, unsigned long long flags,
                                                 cudaStream_t stream) {
  return translate([&] {
    return ask<&Cu::cuMemPrefetchBatchAsync>(reinterpret_cast<CUdeviceptr *>(pointers), sizes,
                                             count, reinterpret_cast<CUmemLocation *>(locations),
                                             locationStarts, locationCount, flags, stream);
  });
}

HEDDLE_API cudaError_t cudaMemDiscardBatchAsync(void **pointers, size_t *sizes, size_t count,
                                                unsigned long long flags, cudaStream_t stream) {
  return translate([&] {
    return ask<&Cu::cuMemDiscardBatchAsync>(reinterpret_cast<CUdeviceptr *>(pointers), sizes, count,
                                            flags, stream);
  });
}

HEDDLE_API cudaError_t cudaMemDiscardAndPrefetchBatchAsync(
    void **pointers, size_t *sizes, size_t count, cudaMemLocation *locations,
    size_t *locationStarts, size_t locationCount, unsigned long long flags, cudaStream_t stream) {
  return translate([&] {
    return ask<&Cu::cuMemDiscardAndPrefetchBatchAsync>(
        reinterpret_cast<CUdeviceptr *>(pointers), sizes, count,
        reinterpret_cast<CUmemLocation *>(locations), locationStarts, locationCount, flags, stream);
  });
}
