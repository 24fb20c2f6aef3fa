// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory pools: the functions. What they keep and reuse is in pool_blocks.cpp, allocation and frees
// in pool_allocate.cpp.
#include "driver/memory/pool.h"

#include "driver/functions.h"

#include <algorithm>
#include <cstring>

namespace heddle::driver {

CUmemoryPool handleOf(const Pool &pool) {
  return reinterpret_cast<CUmemoryPool>(static_cast<uintptr_t>(pool.number) + 1);
}

std::shared_ptr<Pool> poolOf(CUmemoryPool handle) {
  MemoryTable &table = memoryTable();
  std::shared_lock lock(table.mutex);
  const uintptr_t number = reinterpret_cast<uintptr_t>(handle) - 1;
  return number < table.pools.size() ? table.pools[number] : nullptr;
}

Pool &addPool(MemoryTable &table, const PoolPlace &place) {
  auto pool = std::make_shared<Pool>();
  pool->place = place;
  pool->device = pool->isOfDevice() ? place.where.id : 0;
  pool->peers = place.type == CU_MEM_ALLOCATION_TYPE_MANAGED ? ~uint64_t(0) : 0;
  pool->number = static_cast<uint32_t>(table.pools.size());
  table.pools.push_back(std::move(pool));
  return *table.pools.back();
}

namespace {

template <typename T> CUresult tell(void *out, const T &value) {
  std::memcpy(out, &value, sizeof value);
  return CUDA_SUCCESS;
}

/// The reuse attributes are an int for the caller, all others 64 bits.
CUresult getAttribute(const Pool &pool, CUmemPool_attribute attribute, void *value) {
  switch (attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
    return tell(value, pool.reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES]);
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    return tell(value, pool.releaseThreshold.load());
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    return tell(value, pool.reserved.load());
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    return tell(value, pool.reservedHigh.load());
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
    return tell(value, pool.used.load());
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    return tell(value, pool.usedHigh.load());
  }
  return CUDA_ERROR_INVALID_VALUE;
}

/// A high mark can only be put back to what there is now.
CUresult putBack(std::atomic<uint64_t> &high, const std::atomic<uint64_t> &current,
                 const void *value) {
  uint64_t zero;
  std::memcpy(&zero, value, sizeof zero);
  if (zero != 0)
    return CUDA_ERROR_INVALID_VALUE;
  high = current.load();
  return CUDA_SUCCESS;
}

CUresult setAttribute(Pool &pool, CUmemPool_attribute attribute, const void *value) {
  switch (attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
    std::memcpy(&pool.reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES], value,
                sizeof(int));
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: {
    uint64_t threshold;
    std::memcpy(&threshold, value, sizeof threshold);
    pool.releaseThreshold = threshold;
    return CUDA_SUCCESS;
  }
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    return putBack(pool.reservedHigh, pool.reserved, value);
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    return putBack(pool.usedHigh, pool.used, value);
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult createPool(CUmemoryPool *out, const CUmemPoolProps *properties) {
  auto isSet = [](unsigned char c) { return c != 0; };
  if (!out || !properties || std::ranges::any_of(properties->reserved, isSet))
    return CUDA_ERROR_INVALID_VALUE;
  PoolPlace place = {properties->allocType, properties->location};
  if (!isPlace(place))
    return CUDA_ERROR_INVALID_VALUE;
  std::unique_ptr<PoolFile> file;
  if (CUresult error = makePoolFile(properties->handleTypes, place, file))
    return error;
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  Pool &pool = addPool(table, place);
  pool.maxBytes = properties->maxSize;
  pool.file = std::move(file);
  *out = handleOf(pool);
  return CUDA_SUCCESS;
}

/// The memory of a destroyed pool lives on until it is freed (the manual says so), and then belongs
/// to no pool.
CUresult destroyPool(CUmemoryPool handle) {
  std::shared_ptr<Pool> pool = poolOf(handle); // the last reference goes without the lock
  if (!pool || pool->isDefault)
    return CUDA_ERROR_INVALID_VALUE;
  abandon(*pool);
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  PoolsOfPlace &there = poolsOf(table, pool->place);
  if (there.current == pool.get())
    there.current = there.initial;
  table.pools[pool->number].reset();
  return CUDA_SUCCESS;
}

CUresult setAccess(Pool &pool, const CUmemAccessDesc &access) {
  const CUmemLocation &where = access.location;
  const bool isOwn = where.type == pool.place.where.type &&
                     (where.type == CU_MEM_LOCATION_TYPE_HOST || where.id == pool.place.where.id);
  if (where.type != CU_MEM_LOCATION_TYPE_DEVICE && !isOwn)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (!isOwn && !isDevice(where.id))
    return CUDA_ERROR_INVALID_DEVICE;
  if (access.flags == CU_MEM_ACCESS_FLAGS_PROT_READ)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (access.flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
      access.flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
    return CUDA_ERROR_INVALID_VALUE;
  if (isOwn)
    return access.flags ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
  const uint64_t bit = uint64_t(1) << where.id;
  pool.peers = access.flags ? pool.peers | bit : pool.peers & ~bit;
  return CUDA_SUCCESS;
}

/// Runs `body(pool)` for a live handle.
template <typename F> CUresult withPool(CUmemoryPool handle, F &&body) {
  std::shared_ptr<Pool> pool = poolOf(handle);
  return pool ? body(*pool) : CUDA_ERROR_INVALID_VALUE;
}

} // namespace

/// With the device idle and before its memory goes, for each allocation is charged as it was made.
void resetPools(Context &device) {
  MemoryTable &table = memoryTable();
  std::vector<std::shared_ptr<Pool>> gone;
  std::unique_lock lock(table.mutex);
  for (auto &pool : table.pools) {
    if (!pool || !pool->isOfDevice() || pool->device != device.ordinal)
      continue;
    if (!pool->isDefault) {
      gone.push_back(std::exchange(pool, nullptr));
      continue;
    }
    gone.push_back(pool);
    table.places[pool->place].current = pool.get();
  }
  lock.unlock();
  for (auto &pool : gone) {
    empty(*pool);
    pool->usedHigh = pool->reservedHigh = pool->releaseThreshold = 0;
    pool->peers = pool->kind() == device::cpu::MemoryKind::Managed ? ~uint64_t(0) : 0;
  }
}

bool isOfNoDevice(uint32_t number) {
  std::shared_lock lock(memoryTable().mutex);
  const auto &pool = memoryTable().pools[number];
  return pool && !pool->isOfDevice();
}

MemoryTable::MemoryTable(size_t devices) : used(devices) {}
MemoryTable::~MemoryTable() = default;

// ---------------------------------------------------------------------------------------------------
// Driver API, "Stream Ordered Memory Allocator".

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
  return createPool(pool, properties);
}

CUresult cuMemPoolDestroy(CUmemoryPool handle) { return destroyPool(handle); }

CUresult cuMemPoolTrimTo(CUmemoryPool handle, size_t keep) {
  return withPool(handle, [&](Pool &pool) {
    if (pool.isImported)
      return CUDA_ERROR_INVALID_VALUE;
    releaseIdle(pool, keep);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void *value) {
  return withPool(handle, [&](Pool &pool) {
    return value ? setAttribute(pool, attribute, value) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void *value) {
  return withPool(handle, [&](Pool &pool) {
    return value ? getAttribute(pool, attribute, value) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuMemPoolSetAccess(CUmemoryPool handle, const CUmemAccessDesc *accesses, size_t count) {
  return withPool(handle, [&](Pool &pool) {
    if (!accesses && count)
      return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; ++i)
      if (CUresult error = setAccess(pool, accesses[i]))
        return error;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool handle,
                            CUmemLocation *location) {
  return withPool(handle, [&](Pool &pool) {
    if (!flags || !location)
      return CUDA_ERROR_INVALID_VALUE;
    const CUmemLocation &own = pool.place.where;
    bool access = location->type == own.type &&
                  (own.type == CU_MEM_LOCATION_TYPE_HOST || location->id == own.id);
    if (!access && (location->type != CU_MEM_LOCATION_TYPE_DEVICE || !isDevice(location->id)))
      return CUDA_ERROR_INVALID_VALUE;
    access = access || pool.peers >> location->id & 1;
    *flags = access ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return CUDA_SUCCESS;
  });
}

} // namespace heddle::driver
