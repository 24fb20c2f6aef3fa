// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints for managed memory. Host and devices share one memory here, so no hint moves anything; they
// are checked and kept, range by range, so that cudaMemRangeGetAttribute answers as on a GPU.
#include "driver/functions.h"
#include "driver/memory/memory.h"
#include "driver/streams/capture.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace heddle::driver {

bool ManagedAdvice::operator==(const ManagedAdvice &o) const {
  auto same = [](const cudaMemLocation &a, const cudaMemLocation &b) {
    return a.type == b.type && a.id == b.id;
  };
  return readMostly == o.readMostly && accessedBy == o.accessedBy && same(preferred, o.preferred) &&
         same(lastPrefetch, o.lastPrefetch);
}

namespace {

constexpr int HostBit = 63;

bool isManagedRange(const void *p, size_t bytes) {
  const PointerInfo info = lookUp(p);
  return bytes && info.type == cudaMemoryTypeManaged && info.holds(p, bytes);
}

/// A device's ordinal or cudaCpuDeviceId as a location; type Invalid for anything else.
cudaMemLocation locationOf(int device) {
  if (device == cudaCpuDeviceId)
    return {cudaMemLocationTypeHost, cudaCpuDeviceId};
  return {isDevice(device) ? cudaMemLocationTypeDevice : cudaMemLocationTypeInvalid, device};
}

/// NUMA nodes are the host.
cudaMemLocation normalized(const cudaMemLocation &where) {
  switch (where.type) {
  case cudaMemLocationTypeDevice:
    return locationOf(where.id >= 0 ? where.id : cudaInvalidDeviceId);
  case cudaMemLocationTypeHost:
  case cudaMemLocationTypeHostNuma:
  case cudaMemLocationTypeHostNumaCurrent:
    return {cudaMemLocationTypeHost, cudaCpuDeviceId};
  default:
    return {cudaMemLocationTypeInvalid, cudaInvalidDeviceId};
  }
}

/// Splits the range that holds `at`, so that one starts there.
void splitAt(std::map<uintptr_t, ManagedRange> &ranges, uintptr_t at) {
  auto next = ranges.upper_bound(at);
  if (next == ranges.begin())
    return;
  auto &[start, range] = *std::prev(next);
  if (start == at || range.end <= at)
    return;
  ManagedRange tail = range;
  range.end = at;
  ranges[at] = tail;
}

/// Applies `change` to the advice of each part of [start, end), making parts that have none yet.
template <typename F> void changeAdvice(uintptr_t start, uintptr_t end, F &&change) {
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  auto &ranges = table.managed;
  splitAt(ranges, start);
  splitAt(ranges, end);
  for (uintptr_t at = start; at < end;) {
    auto found = ranges.lower_bound(at);
    if (found == ranges.end() || found->first != at) {
      const uintptr_t stop = found == ranges.end() || found->first > end ? end : found->first;
      found = ranges.emplace(at, ManagedRange{stop, {}}).first;
    }
    change(found->second.advice);
    at = found->second.end;
  }
}

/// The advice of the parts of [start, end), gaps included.
std::vector<ManagedAdvice> adviceOf(uintptr_t start, uintptr_t end) {
  MemoryTable &table = memoryTable();
  std::shared_lock lock(table.mutex);
  std::vector<ManagedAdvice> all;
  uintptr_t at = start;
  auto range = table.managed.upper_bound(start);
  if (range != table.managed.begin())
    --range;
  for (; range != table.managed.end() && range->first < end; ++range) {
    if (range->second.end <= at)
      continue;
    if (range->first > at)
      all.push_back({});
    all.push_back(range->second.advice);
    at = range->second.end;
  }
  if (at < end)
    all.push_back({});
  return all;
}

CUresult advise(const void *p, size_t bytes, cudaMemoryAdvise advice,
                const cudaMemLocation &where) {
  if (!isManagedRange(p, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  const bool usesLocation = advice != cudaMemAdviseSetReadMostly &&
                            advice != cudaMemAdviseUnsetReadMostly &&
                            advice != cudaMemAdviseUnsetPreferredLocation;
  if (usesLocation && where.type == cudaMemLocationTypeInvalid)
    return CUDA_ERROR_INVALID_DEVICE;
  const uint64_t bit = uint64_t(1)
                       << (where.type == cudaMemLocationTypeHost ? HostBit : where.id & 63);
  const uintptr_t start = reinterpret_cast<uintptr_t>(p);
  auto apply = [&](auto change) {
    changeAdvice(start, start + bytes, change);
    return CUDA_SUCCESS;
  };
  switch (advice) {
  case cudaMemAdviseSetReadMostly:
    return apply([](ManagedAdvice &a) { a.readMostly = true; });
  case cudaMemAdviseUnsetReadMostly:
    return apply([](ManagedAdvice &a) { a.readMostly = false; });
  case cudaMemAdviseSetPreferredLocation:
    return apply([&](ManagedAdvice &a) { a.preferred = where; });
  case cudaMemAdviseUnsetPreferredLocation:
    return apply([](ManagedAdvice &a) { a.preferred = ManagedAdvice().preferred; });
  case cudaMemAdviseSetAccessedBy:
    return apply([&](ManagedAdvice &a) { a.accessedBy |= bit; });
  case cudaMemAdviseUnsetAccessedBy:
    return apply([&](ManagedAdvice &a) { a.accessedBy &= ~bit; });
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult prefetch(const void *p, size_t bytes, const cudaMemLocation &where, cudaStream_t handle) {
  Stream *stream = streamOf(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult error = submitUncaptured(*stream, [] { return CUDA_SUCCESS; }))
    return error;
  if (!isManagedRange(p, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  if (where.type == cudaMemLocationTypeInvalid)
    return CUDA_ERROR_INVALID_DEVICE;
  const uintptr_t start = reinterpret_cast<uintptr_t>(p);
  changeAdvice(start, start + bytes, [&](ManagedAdvice &a) { a.lastPrefetch = where; });
  return CUDA_SUCCESS;
}

/// What all parts agree on, or `otherwise`.
template <typename T, typename F>
T common(const std::vector<ManagedAdvice> &parts, T otherwise, F &&get) {
  for (const ManagedAdvice &part : parts)
    if (get(part) != get(parts.front()))
      return otherwise;
  return get(parts.front());
}

/// Devices that all parts name: their ordinals, the host as cudaCpuDeviceId, the rest
/// cudaInvalidDeviceId.
void listAccessedBy(const std::vector<ManagedAdvice> &parts, int *out, size_t count) {
  uint64_t all = ~uint64_t(0);
  for (const ManagedAdvice &part : parts)
    all &= part.accessedBy;
  size_t n = 0;
  for (int bit = 0; bit < 64 && n < count; ++bit)
    if (all >> bit & 1)
      out[n++] = bit == HostBit ? cudaCpuDeviceId : bit;
  while (n < count)
    out[n++] = cudaInvalidDeviceId;
}

CUresult rangeAttribute(void *data, size_t dataSize, cudaMemRangeAttribute attribute, const void *p,
                        size_t bytes) {
  if (!data || !isManagedRange(p, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  const bool list = attribute == cudaMemRangeAttributeAccessedBy;
  if (list ? !dataSize || dataSize % sizeof(int) : dataSize != sizeof(int))
    return CUDA_ERROR_INVALID_VALUE;
  const uintptr_t start = reinterpret_cast<uintptr_t>(p);
  const auto parts = adviceOf(start, start + bytes);
  int *out = static_cast<int *>(data);
  auto id = [&](auto member) {
    return common(parts, cudaInvalidDeviceId, [&](auto &a) { return (a.*member).id; });
  };
  auto type = [&](auto member) {
    return common(parts, static_cast<int>(cudaMemLocationTypeInvalid),
                  [&](auto &a) { return static_cast<int>((a.*member).type); });
  };
  switch (attribute) {
  case cudaMemRangeAttributeReadMostly:
    *out = common(parts, 0, [](auto &a) { return static_cast<int>(a.readMostly); });
    return CUDA_SUCCESS;
  case cudaMemRangeAttributePreferredLocation:
  case cudaMemRangeAttributePreferredLocationId:
    *out = id(&ManagedAdvice::preferred);
    return CUDA_SUCCESS;
  case cudaMemRangeAttributePreferredLocationType:
    *out = type(&ManagedAdvice::preferred);
    return CUDA_SUCCESS;
  case cudaMemRangeAttributeLastPrefetchLocation:
  case cudaMemRangeAttributeLastPrefetchLocationId:
    *out = id(&ManagedAdvice::lastPrefetch);
    return CUDA_SUCCESS;
  case cudaMemRangeAttributeLastPrefetchLocationType:
    *out = type(&ManagedAdvice::lastPrefetch);
    return CUDA_SUCCESS;
  case cudaMemRangeAttributeAccessedBy:
    listAccessedBy(parts, out, dataSize / sizeof(int));
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

} // namespace

void forgetAdvice(const void *base, size_t bytes) {
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  const uintptr_t start = reinterpret_cast<uintptr_t>(base);
  table.managed.erase(table.managed.lower_bound(start), table.managed.lower_bound(start + bytes));
}

} // namespace heddle::driver

using namespace heddle::driver;

CUresult heddle::driver::cudaMemAdvise(const void *p, size_t count, cudaMemoryAdvise advice,
                                       int device) {
  return enter([&] { return advise(p, count, advice, locationOf(device)); });
}

CUresult heddle::driver::cudaMemAdvise_v2(const void *p, size_t count, cudaMemoryAdvise advice,
                                          cudaMemLocation location) {
  return enter([&] { return advise(p, count, advice, normalized(location)); });
}

CUresult heddle::driver::cudaMemPrefetchAsync(const void *p, size_t count, int device,
                                              cudaStream_t stream) {
  return enter([&] { return prefetch(p, count, locationOf(device), stream); });
}

CUresult heddle::driver::cudaMemPrefetchAsync_v2(const void *p, size_t count,
                                                 cudaMemLocation location, unsigned flags,
                                                 cudaStream_t stream) {
  return enter([&] {
    return flags ? CUDA_ERROR_INVALID_VALUE : prefetch(p, count, normalized(location), stream);
  });
}

CUresult heddle::driver::cudaMemRangeGetAttribute(void *data, size_t dataSize,
                                                  cudaMemRangeAttribute attribute, const void *p,
                                                  size_t count) {
  return enter([&] { return rangeAttribute(data, dataSize, attribute, p, count); });
}

CUresult heddle::driver::cudaMemRangeGetAttributes(void **data, size_t *dataSizes,
                                                   cudaMemRangeAttribute *attributes,
                                                   size_t numAttributes, const void *p,
                                                   size_t count) {
  return enter([&] {
    if (!data || !dataSizes || !attributes || !numAttributes)
      return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < numAttributes; ++i)
      if (CUresult error = rangeAttribute(data[i], dataSizes[i], attributes[i], p, count))
        return error;
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cuStreamAttachMemAsync(CUstream handle, CUdeviceptr pointer, size_t length,
                                                unsigned flags) {
  Stream *stream = streamOf(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult error = submitUncaptured(*stream, [] { return CUDA_SUCCESS; }))
    return error;
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST && flags != CU_MEM_ATTACH_SINGLE)
    return CUDA_ERROR_INVALID_VALUE;
  const void *p = reinterpret_cast<const void *>(pointer);
  return isManagedRange(p, std::max<size_t>(length, 1)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
