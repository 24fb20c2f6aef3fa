// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints for managed memory. Host and devices share one memory here, so no hint moves anything; they
// are checked and kept, range by range, so that cuMemRangeGetAttribute answers as on a GPU.
#include "driver/functions.h"
#include "driver/memory/addresses.h"
#include "driver/memory/memory.h"
#include "driver/streams/capture.h"

#include <algorithm>
#include <string>
#include <vector>

#include <unistd.h>

namespace heddle::driver {

bool ManagedAdvice::operator==(const ManagedAdvice &o) const {
  auto same = [](const CUmemLocation &a, const CUmemLocation &b) {
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

/// A device's ordinal or CU_DEVICE_CPU as a location; type Invalid for anything else.
CUmemLocation locationOf(int device) {
  if (device == CU_DEVICE_CPU)
    return {CU_MEM_LOCATION_TYPE_HOST, CU_DEVICE_CPU};
  return {isDevice(device) ? CU_MEM_LOCATION_TYPE_DEVICE : CU_MEM_LOCATION_TYPE_INVALID, device};
}

/// NUMA nodes are the host.
CUmemLocation normalized(const CUmemLocation &where) {
  switch (where.type) {
  case CU_MEM_LOCATION_TYPE_DEVICE:
    return locationOf(where.id >= 0 ? where.id : CU_DEVICE_INVALID);
  case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    if (!isNumaNode(where.id))
      return {CU_MEM_LOCATION_TYPE_INVALID, CU_DEVICE_INVALID};
    [[fallthrough]];
  case CU_MEM_LOCATION_TYPE_HOST:
  case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
    return {CU_MEM_LOCATION_TYPE_HOST, CU_DEVICE_CPU};
  default:
    return {CU_MEM_LOCATION_TYPE_INVALID, CU_DEVICE_INVALID};
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

CUresult advise(const void *p, size_t bytes, CUmem_advise advice, const CUmemLocation &where) {
  if (!isManagedRange(p, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  const bool usesLocation = advice != CU_MEM_ADVISE_SET_READ_MOSTLY &&
                            advice != CU_MEM_ADVISE_UNSET_READ_MOSTLY &&
                            advice != CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION;
  if (usesLocation && where.type == CU_MEM_LOCATION_TYPE_INVALID)
    return CUDA_ERROR_INVALID_DEVICE;
  const uint64_t bit = uint64_t(1)
                       << (where.type == CU_MEM_LOCATION_TYPE_HOST ? HostBit : where.id & 63);
  const uintptr_t start = reinterpret_cast<uintptr_t>(p);
  auto apply = [&](auto change) {
    changeAdvice(start, start + bytes, change);
    return CUDA_SUCCESS;
  };
  switch (advice) {
  case CU_MEM_ADVISE_SET_READ_MOSTLY:
    return apply([](ManagedAdvice &a) { a.readMostly = true; });
  case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
    return apply([](ManagedAdvice &a) { a.readMostly = false; });
  case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
    return apply([&](ManagedAdvice &a) { a.preferred = where; });
  case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
    return apply([](ManagedAdvice &a) { a.preferred = ManagedAdvice().preferred; });
  case CU_MEM_ADVISE_SET_ACCESSED_BY:
    return apply([&](ManagedAdvice &a) { a.accessedBy |= bit; });
  case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
    return apply([&](ManagedAdvice &a) { a.accessedBy &= ~bit; });
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult prefetch(const void *p, size_t bytes, const CUmemLocation &where, cudaStream_t handle) {
  Stream *stream = streamOf(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult error = submitUncaptured(*stream, [] { return CUDA_SUCCESS; }))
    return error;
  if (where.type == CU_MEM_LOCATION_TYPE_INVALID)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!isManagedRange(p, bytes))
    return CUDA_ERROR_INVALID_VALUE;
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

/// Devices that all parts name: their ordinals, the host as CU_DEVICE_CPU, the rest
/// CU_DEVICE_INVALID.
void listAccessedBy(const std::vector<ManagedAdvice> &parts, int *out, size_t count) {
  uint64_t all = ~uint64_t(0);
  for (const ManagedAdvice &part : parts)
    all &= part.accessedBy;
  size_t n = 0;
  for (int bit = 0; bit < 64 && n < count; ++bit)
    if (all >> bit & 1)
      out[n++] = bit == HostBit ? CU_DEVICE_CPU : bit;
  while (n < count)
    out[n++] = CU_DEVICE_INVALID;
}

CUresult rangeAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute, const void *p,
                        size_t bytes) {
  if (!data || !isManagedRange(p, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  const bool list = attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY;
  if (list ? !dataSize || dataSize % sizeof(int) : dataSize != sizeof(int))
    return CUDA_ERROR_INVALID_VALUE;
  const uintptr_t start = reinterpret_cast<uintptr_t>(p);
  const auto parts = adviceOf(start, start + bytes);
  int *out = static_cast<int *>(data);
  auto id = [&](auto member) {
    return common(parts, CU_DEVICE_INVALID, [&](auto &a) { return (a.*member).id; });
  };
  auto type = [&](auto member) {
    return common(parts, static_cast<int>(CU_MEM_LOCATION_TYPE_INVALID),
                  [&](auto &a) { return static_cast<int>((a.*member).type); });
  };
  switch (attribute) {
  case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
    *out = common(parts, 0, [](auto &a) { return static_cast<int>(a.readMostly); });
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
    *out = id(&ManagedAdvice::preferred);
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
    *out = type(&ManagedAdvice::preferred);
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
    *out = id(&ManagedAdvice::lastPrefetch);
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
    *out = type(&ManagedAdvice::lastPrefetch);
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
    listAccessedBy(parts, out, dataSize / sizeof(int));
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
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
  for (size_t i = 0; i < count; ++i)
    if (!isManagedRange(pointerTo(addresses[i]), sizes[i]))
      return CUDA_ERROR_INVALID_VALUE;
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

bool isNumaNode(int id) {
  return id == 0 ||
         (id > 0 &&
          access(("/sys/devices/system/node/node" + std::to_string(id)).c_str(), F_OK) == 0);
}

void forgetAdvice(const void *base, size_t bytes) {
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  const uintptr_t start = reinterpret_cast<uintptr_t>(base);
  table.managed.erase(table.managed.lower_bound(start), table.managed.lower_bound(start + bytes));
}

// ---------------------------------------------------------------------------------------------------
// Driver API, "Unified Addressing". The host is -1.

CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device) {
  return advise(pointerTo(address), bytes, advice, locationOf(device));
}

CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                        CUmemLocation location) {
  const CUmemLocation where = normalized(location);
  return where.type == CU_MEM_LOCATION_TYPE_INVALID
             ? CUDA_ERROR_INVALID_VALUE
             : advise(pointerTo(address), bytes, advice, where);
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream) {
  return prefetch(pointerTo(address), bytes, locationOf(device), stream);
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location,
                               unsigned flags, CUstream stream) {
  const CUmemLocation where = normalized(location);
  const bool isKnown =
      where.type != CU_MEM_LOCATION_TYPE_INVALID || location.type == CU_MEM_LOCATION_TYPE_DEVICE;
  return flags || !isKnown ? CUDA_ERROR_INVALID_VALUE
                           : prefetch(pointerTo(address), bytes, where, stream);
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
  return rangeAttribute(data, dataBytes, attribute, pointerTo(address), bytes);
}

CUresult cuMemRangeGetAttributes(void **data, size_t *dataBytes, CUmem_range_attribute *attributes,
                                 size_t count, CUdeviceptr address, size_t bytes) {
  if (!data || !dataBytes || !attributes || !count)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i)
    if (CUresult error =
            rangeAttribute(data[i], dataBytes[i], attributes[i], pointerTo(address), bytes))
      return error;
  return CUDA_SUCCESS;
}

CUresult cuStreamAttachMemAsync(CUstream handle, CUdeviceptr pointer, size_t length,
                                unsigned flags) {
  Stream *stream = streamOf(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult error = submitUncaptured(*stream, [] { return CUDA_SUCCESS; }))
    return error;
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST && flags != CU_MEM_ATTACH_SINGLE)
    return CUDA_ERROR_INVALID_VALUE;
  if (stream == currentContext().legacy && flags == CU_MEM_ATTACH_SINGLE)
    return CUDA_ERROR_INVALID_VALUE;
  const PointerInfo info = lookUp(pointerTo(pointer));
  const bool isWhole = info.base == pointerTo(pointer) && (!length || length == info.bytes);
  return info.type == cudaMemoryTypeManaged && isWhole ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

} // namespace heddle::driver
