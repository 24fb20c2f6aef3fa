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
