// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stream-ordered allocation. An allocation is made at once, since an address is all that the caller can see of it; a
// free is work in the stream. A pool keeps no free memory, so the release threshold and the reuse attributes are
// kept and change nothing, and what is reserved is what is used.
#include "runtime/memory/graph_memory.h"
#include "runtime/memory/memory.h"
#include "runtime/streams/capture.h"

#include <cstring>

namespace heddle::runtime {

using device::cpu::Allocation;
using device::cpu::Allocator;
using device::cpu::MemoryKind;

namespace {

/// A handle is a number, from 1; a stale one names a null entry.
cudaMemPool_t handleOf(const Pool &pool) {
  return reinterpret_cast<cudaMemPool_t>(static_cast<uintptr_t>(pool.number) + 1);
}

Pool *poolOf(cudaMemPool_t handle) {
  MemoryTable &table = memoryTable();
  std::shared_lock lock(table.mutex);
  const uintptr_t number = reinterpret_cast<uintptr_t>(handle) - 1;
  return number < table.pools.size() ? table.pools[number].get() : nullptr;
}

Pool &addPool(MemoryTable &table, int device) {
  auto pool = std::make_unique<Pool>();
  pool->device = device;
  pool->number = static_cast<uint32_t>(table.pools.size());
  table.pools.push_back(std::move(pool));
  return *table.pools.back();
}

bool isDevice(int device) {
  return device >= 0 && device < static_cast<int>(state().devices.size());
}

void raise(std::atomic<uint64_t> &high, uint64_t value) {
  uint64_t before = high.load();
  while (before < value && !high.compare_exchange_weak(before, value)) {
  }
}

cudaError_t allocateNow(Pool &pool, void **out, size_t bytes) {
  if (pool.maxBytes && (bytes > pool.maxBytes || pool.used > pool.maxBytes - bytes))
    return cudaErrorMemoryAllocation;
  *out = takeMemory(*state().devices[pool.device], bytes, MemoryKind::Device,
                    {Owner::Pool, pool.number});
  if (!*out)
    return cudaErrorMemoryAllocation;
  raise(pool.usedHigh, pool.used += bytes);
  return cudaSuccess;
}

cudaError_t allocateFrom(Pool &pool, void **out, size_t bytes, cudaStream_t handle) {
  Stream *stream = streamOf(handle);
  if (!out)
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
  return submit(*stream, make, [&] { return allocateNow(pool, out, bytes); });
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
    return enqueue(*stream, [p] {
      if (!freePoolMemory(p))
        giveMemory(p, MemoryKind::Device, Owner::User);
    });
  };
  auto make = [&](std::unique_ptr<Operation> &operation) { return makeFree(p, operation); };
  return submit(*stream, make, run);
}

/// The value of an attribute as 64 bits; the reuse attributes are an int for the caller.
cudaError_t getAttribute(const Pool &pool, cudaMemPoolAttr attribute, void *value) {
  switch (attribute) {
  case cudaMemPoolReuseFollowEventDependencies:
  case cudaMemPoolReuseAllowOpportunistic:
  case cudaMemPoolReuseAllowInternalDependencies:
    std::memcpy(value, &pool.reuse[attribute - cudaMemPoolReuseFollowEventDependencies],
                sizeof(int));
    return cudaSuccess;
  case cudaMemPoolAttrReleaseThreshold:
    std::memcpy(value, &pool.releaseThreshold, sizeof(uint64_t));
    return cudaSuccess;
  case cudaMemPoolAttrReservedMemCurrent:
  case cudaMemPoolAttrUsedMemCurrent: {
    const uint64_t used = pool.used;
    std::memcpy(value, &used, sizeof used);
    return cudaSuccess;
  }
  case cudaMemPoolAttrReservedMemHigh:
  case cudaMemPoolAttrUsedMemHigh: {
    const uint64_t high = pool.usedHigh;
    std::memcpy(value, &high, sizeof high);
    return cudaSuccess;
  }
  }
  return cudaErrorInvalidValue;
}

cudaError_t setAttribute(Pool &pool, cudaMemPoolAttr attribute, const void *value) {
  uint64_t wide = 0;
  switch (attribute) {
  case cudaMemPoolReuseFollowEventDependencies:
  case cudaMemPoolReuseAllowOpportunistic:
  case cudaMemPoolReuseAllowInternalDependencies:
    std::memcpy(&pool.reuse[attribute - cudaMemPoolReuseFollowEventDependencies], value,
                sizeof(int));
    return cudaSuccess;
  case cudaMemPoolAttrReleaseThreshold:
    std::memcpy(&pool.releaseThreshold, value, sizeof(uint64_t));
    return cudaSuccess;
  case cudaMemPoolAttrReservedMemHigh:
  case cudaMemPoolAttrUsedMemHigh:
    std::memcpy(&wide, value, sizeof wide);
    if (wide != 0) // a high mark can only be put back
      return cudaErrorInvalidValue;
    pool.usedHigh = pool.used.load();
    return cudaSuccess;
  default:
    return cudaErrorInvalidValue;
  }
}

cudaError_t createPool(cudaMemPool_t *out, const cudaMemPoolProps *properties) {
  if (!out || !properties || properties->allocType != cudaMemAllocationTypePinned ||
      properties->location.type != cudaMemLocationTypeDevice || !isDevice(properties->location.id))
    return cudaErrorInvalidValue;
  if (properties->handleTypes != cudaMemHandleTypeNone)
    return cudaErrorNotSupported;
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  Pool &pool = addPool(table, properties->location.id);
  pool.maxBytes = properties->maxSize;
  *out = handleOf(pool);
  return cudaSuccess;
}

/// The memory of a destroyed pool lives on until it is freed (the manual says so), and then belongs to no pool.
cudaError_t destroyPool(cudaMemPool_t handle) {
  Pool *pool = poolOf(handle);
  if (!pool || pool->isDefault)
    return cudaErrorInvalidValue;
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  Pool *&current = table.currentPool[pool->device];
  if (current == pool)
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

bool freePoolMemory(void *p) {
  Allocation a;
  if (!Allocator::get().find(p, a) || Tag::unpack(a.use.tag).owner != Owner::Pool)
    return false;
  if (!giveMemory(p, MemoryKind::Device, Owner::Pool))
    return false;
  MemoryTable &table = memoryTable();
  std::shared_lock lock(table.mutex);
  if (auto &pool = table.pools[Tag::unpack(a.use.tag).value])
    pool->used -= a.bytes;
  return true;
}

/// Default pools come first, so that a device's number is its default pool's.
void addDefaultPool(MemoryTable &table, int device) {
  Pool &pool = addPool(table, device);
  pool.isDefault = true;
  table.currentPool[device] = &pool;
}

void resetPools(Device &device) {
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  for (auto &pool : table.pools) {
    if (!pool || pool->device != device.ordinal)
      continue;
    if (!pool->isDefault) {
      pool.reset();
      continue;
    }
    pool->used = pool->usedHigh = pool->releaseThreshold = pool->peers = 0;
    table.currentPool[device.ordinal] = pool.get();
  }
}

} // namespace heddle::runtime

using namespace heddle::runtime;

namespace {

/// Runs `body(pool)` for a live handle.
template <typename F> cudaError_t withPool(cudaMemPool_t handle, F &&body) {
  return enter([&] {
    Pool *pool = poolOf(handle);
    return pool ? body(*pool) : cudaErrorInvalidValue;
  });
}

} // namespace

HEDDLE_API cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t stream) {
  return enter([&] {
    return allocateFrom(*memoryTable().currentPool[currentDevice().ordinal], p, bytes, stream);
  });
}

HEDDLE_API cudaError_t cudaMallocFromPoolAsync(void **p, size_t bytes, cudaMemPool_t handle,
                                               cudaStream_t stream) {
  return withPool(handle, [&](Pool &pool) { return allocateFrom(pool, p, bytes, stream); });
}

HEDDLE_API cudaError_t cudaFreeAsync(void *p, cudaStream_t stream) {
  return enter([&] { return freeInStream(p, stream); });
}

HEDDLE_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t) {
  return withPool(handle, [](Pool &) { return cudaSuccess; }); // nothing is kept
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
    if (!isDevice(device) || pool.device != device)
      return cudaErrorInvalidValue;
    std::unique_lock lock(memoryTable().mutex);
    memoryTable().currentPool[device] = &pool;
    return cudaSuccess;
  });
}
