// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stream-ordered allocation: the functions. What pools keep and reuse is in pool_blocks.cpp.
#include "runtime/memory/pool.h"

#include "runtime/memory/graph_memory.h"
#include "runtime/streams/capture.h"

#include <cstring>

namespace heddle::runtime {

using device::cpu::MemoryKind;

cudaMemPool_t handleOf(const Pool &pool) {
  return reinterpret_cast<cudaMemPool_t>(static_cast<uintptr_t>(pool.number) + 1);
}

std::shared_ptr<Pool> poolOf(cudaMemPool_t handle) {
  MemoryTable &table = memoryTable();
  std::shared_lock lock(table.mutex);
  const uintptr_t number = reinterpret_cast<uintptr_t>(handle) - 1;
  return number < table.pools.size() ? table.pools[number] : nullptr;
}

Pool &addPool(MemoryTable &table, int device) {
  auto pool = std::make_shared<Pool>();
  pool->device = device;
  pool->number = static_cast<uint32_t>(table.pools.size());
  table.pools.push_back(std::move(pool));
  return *table.pools.back();
}

namespace {

cudaError_t allocate(Pool &pool, void **out, size_t bytes, cudaStream_t handle) {
  Stream *stream = streamOf(handle);
  if (!out || pool.isImported)
    return cudaErrorInvalidValue;
  *out = nullptr;
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (bytes == 0)
    return cudaSuccess;
  auto make = [&](std::unique_ptr<Operation> &operation) {
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location = {cudaMemLocationTypeDevice, pool.device};
    p.bytesize = bytes;
    cudaError_t error = makeAlloc(p, operation);
    *out = p.dptr;
    return error;
  };
  return submit(*stream, make, [&] { return allocateFrom(pool, out, bytes, *stream); });
}

/// Of memory that is allocated.
Owner ownerOf(void *p) {
  device::cpu::Allocation a;
  device::cpu::Allocator::get().find(p, a);
  return Tag::unpack(a.use.tag).owner;
}

cudaError_t freeInStream(void *p, cudaStream_t handle) {
  Stream *stream = streamOf(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (!p)
    return cudaSuccess;
  auto run = [&]() -> cudaError_t {
    const PointerInfo info = lookUp(p);
    if (info.base != p || info.type != cudaMemoryTypeDevice)
      return cudaErrorInvalidValue;
    if (isGraphMemory(p)) // its memory stays the graph's
      return freeGraphMemory(p) ? cudaSuccess : cudaErrorInvalidValue;
    switch (ownerOf(p)) {
    case Owner::Pool:
      return freePoolMemory(p, stream) ? cudaSuccess : cudaErrorInvalidValue;
    case Owner::User:
    case Owner::ImportedPool:
      return enqueue(*stream, [p] { giveMemory(p, MemoryKind::Device, ownerOf(p)); });
    default:
      return cudaErrorInvalidValue;
    }
  };
  auto make = [&](std::unique_ptr<Operation> &operation) { return makeFree(p, operation); };
  return submit(*stream, make, run);
}

template <typename T> cudaError_t tell(void *out, const T &value) {
  std::memcpy(out, &value, sizeof value);
  return cudaSuccess;
}

/// The reuse attributes are an int for the caller, all others 64 bits.
cudaError_t getAttribute(const Pool &pool, cudaMemPoolAttr attribute, void *value) {
  switch (attribute) {
  case cudaMemPoolReuseFollowEventDependencies:
  case cudaMemPoolReuseAllowOpportunistic:
  case cudaMemPoolReuseAllowInternalDependencies:
    return tell(value, pool.reuse[attribute - cudaMemPoolReuseFollowEventDependencies]);
  case cudaMemPoolAttrReleaseThreshold:
    return tell(value, pool.releaseThreshold.load());
  case cudaMemPoolAttrReservedMemCurrent:
    return tell(value, pool.reserved.load());
  case cudaMemPoolAttrReservedMemHigh:
    return tell(value, pool.reservedHigh.load());
  case cudaMemPoolAttrUsedMemCurrent:
    return tell(value, pool.used.load());
  case cudaMemPoolAttrUsedMemHigh:
    return tell(value, pool.usedHigh.load());
  }
  return cudaErrorInvalidValue;
}

/// A high mark can only be put back to what there is now.
cudaError_t putBack(std::atomic<uint64_t> &high, const std::atomic<uint64_t> &current,
                    const void *value) {
  uint64_t zero;
  std::memcpy(&zero, value, sizeof zero);
  if (zero != 0)
    return cudaErrorInvalidValue;
  high = current.load();
  return cudaSuccess;
}

cudaError_t setAttribute(Pool &pool, cudaMemPoolAttr attribute, const void *value) {
  switch (attribute) {
  case cudaMemPoolReuseFollowEventDependencies:
  case cudaMemPoolReuseAllowOpportunistic:
  case cudaMemPoolReuseAllowInternalDependencies:
    std::memcpy(&pool.reuse[attribute - cudaMemPoolReuseFollowEventDependencies], value,
                sizeof(int));
    return cudaSuccess;
  case cudaMemPoolAttrReleaseThreshold: {
    uint64_t threshold;
    std::memcpy(&threshold, value, sizeof threshold);
    pool.releaseThreshold = threshold;
    return cudaSuccess;
  }
  case cudaMemPoolAttrReservedMemHigh:
    return putBack(pool.reservedHigh, pool.reserved, value);
  case cudaMemPoolAttrUsedMemHigh:
    return putBack(pool.usedHigh, pool.used, value);
  default:
    return cudaErrorInvalidValue;
  }
}

cudaError_t createPool(cudaMemPool_t *out, const cudaMemPoolProps *properties) {
  if (!out || !properties || properties->allocType != cudaMemAllocationTypePinned ||
      properties->location.type != cudaMemLocationTypeDevice || !isDevice(properties->location.id))
    return cudaErrorInvalidValue;
  std::unique_ptr<PoolFile> file;
  if (cudaError_t error = makePoolFile(properties->handleTypes, properties->location.id, file))
    return error;
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  Pool &pool = addPool(table, properties->location.id);
  pool.maxBytes = properties->maxSize;
  pool.file = std::move(file);
  *out = handleOf(pool);
  return cudaSuccess;
}

/// The memory of a destroyed pool lives on until it is freed (the manual says so), and then belongs
/// to no pool.
cudaError_t destroyPool(cudaMemPool_t handle) {
  std::shared_ptr<Pool> pool = poolOf(handle); // the last reference goes without the lock
  if (!pool || pool->isDefault)
    return cudaErrorInvalidValue;
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  Pool *&current = table.currentPool[pool->device];
  if (current == pool.get())
    current = table.pools[pool->device].get();
  table.pools[pool->number].reset();
  return cudaSuccess;
}

cudaError_t setAccess(Pool &pool, const cudaMemAccessDesc &access) {
  const cudaMemLocation &where = access.location;
  if (where.type != cudaMemLocationTypeDevice || !isDevice(where.id))
    return cudaErrorInvalidValue;
  if (access.flags != cudaMemAccessFlagsProtNone && access.flags != cudaMemAccessFlagsProtReadWrite)
    return cudaErrorInvalidValue;
  if (where.id == pool.device)
    return access.flags ? cudaSuccess : cudaErrorInvalidDevice;
  const uint64_t bit = uint64_t(1) << where.id;
  pool.peers = access.flags ? pool.peers | bit : pool.peers & ~bit;
  return cudaSuccess;
}

} // namespace

/// Default pools come first, so that a device's number is its default pool's.
void addDefaultPool(MemoryTable &table, int device) {
  Pool &pool = addPool(table, device);
  pool.isDefault = true;
  table.currentPool[device] = &pool;
}

/// With the device idle and before its memory goes, for each allocation is charged as it was made.
void resetPools(Device &device) {
  MemoryTable &table = memoryTable();
  std::vector<std::shared_ptr<Pool>> gone;
  std::unique_lock lock(table.mutex);
  for (auto &pool : table.pools) {
    if (!pool || pool->device != device.ordinal)
      continue;
    if (!pool->isDefault) {
      gone.push_back(std::exchange(pool, nullptr));
      continue;
    }
    gone.push_back(pool);
    table.currentPool[static_cast<size_t>(device.ordinal)] = pool.get();
  }
  lock.unlock();
  for (auto &pool : gone) {
    empty(*pool);
    pool->usedHigh = pool->reservedHigh = pool->releaseThreshold = pool->peers = 0;
  }
}

MemoryTable::MemoryTable(size_t devices) : currentPool(devices), used(devices) {}
MemoryTable::~MemoryTable() = default;

} // namespace heddle::runtime

using namespace heddle::runtime;

namespace {

/// Runs `body(pool)` for a live handle.
template <typename F> cudaError_t withPool(cudaMemPool_t handle, F &&body) {
  return enter([&] {
    std::shared_ptr<Pool> pool = poolOf(handle);
    return pool ? body(*pool) : cudaErrorInvalidValue;
  });
}

} // namespace

HEDDLE_API cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t stream) {
  return enter([&] {
    return allocate(*memoryTable().currentPool[currentDevice().ordinal], p, bytes, stream);
  });
}

HEDDLE_API cudaError_t cudaMallocFromPoolAsync(void **p, size_t bytes, cudaMemPool_t handle,
                                               cudaStream_t stream) {
  return withPool(handle, [&](Pool &pool) { return allocate(pool, p, bytes, stream); });
}

HEDDLE_API cudaError_t cudaFreeAsync(void *p, cudaStream_t stream) {
  return enter([&] { return freeInStream(p, stream); }, EnterFree);
}

HEDDLE_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t keep) {
  return withPool(handle, [&](Pool &pool) {
    releaseIdle(pool, keep);
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute,
                                               void *value) {
  return withPool(handle, [&](Pool &pool) {
    return value ? setAttribute(pool, attribute, value) : cudaErrorInvalidValue;
  });
}

HEDDLE_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute,
                                               void *value) {
  return withPool(handle, [&](Pool &pool) {
    return value ? getAttribute(pool, attribute, value) : cudaErrorInvalidValue;
  });
}

HEDDLE_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc *list,
                                            size_t count) {
  return withPool(handle, [&](Pool &pool) {
    if (!list && count)
      return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i)
      if (cudaError_t error = setAccess(pool, list[i]))
        return error;
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags *flags, cudaMemPool_t handle,
                                            cudaMemLocation *location) {
  return withPool(handle, [&](Pool &pool) {
    if (!flags || !location || location->type != cudaMemLocationTypeDevice ||
        !isDevice(location->id))
      return cudaErrorInvalidValue;
    const bool access = location->id == pool.device || pool.peers >> location->id & 1;
    *flags = access ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *properties) {
  return enter([&] { return createPool(pool, properties); });
}

HEDDLE_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  return enter([&] { return destroyPool(handle); });
}

HEDDLE_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  return enter([&] {
    if (!pool || !isDevice(device))
      return pool ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    *pool = handleOf(*memoryTable().pools[device]);
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  return enter([&] {
    if (!pool || !isDevice(device))
      return pool ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    std::shared_lock lock(memoryTable().mutex);
    *pool = handleOf(*memoryTable().currentPool[device]);
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
  return withPool(handle, [&](Pool &pool) {
    if (!isDevice(device) || pool.device != device || pool.isImported)
      return cudaErrorInvalidValue;
    std::unique_lock lock(memoryTable().mutex);
    memoryTable().currentPool[device] = &pool;
    return cudaSuccess;
  });
}
