// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stream-ordered allocation: the functions. What pools keep and reuse is in pool_blocks.cpp.
#include "driver/memory/pool.h"

#include "driver/memory/graph_memory.h"
#include "driver/streams/capture.h"

#include <cstring>

namespace heddle::driver {

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

CUresult allocate(Pool &pool, void **out, size_t bytes, cudaStream_t handle) {
  Stream *stream = streamOf(handle);
  if (!out || pool.isImported)
    return CUDA_ERROR_INVALID_VALUE;
  *out = nullptr;
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (bytes == 0)
    return CUDA_SUCCESS;
  auto make = [&](std::unique_ptr<Operation> &operation) {
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location = {cudaMemLocationTypeDevice, pool.device};
    p.bytesize = bytes;
    CUresult error = makeAlloc(p, operation);
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

CUresult freeInStream(void *p, cudaStream_t handle) {
  Stream *stream = streamOf(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!p)
    return CUDA_SUCCESS;
  auto run = [&]() -> CUresult {
    const PointerInfo info = lookUp(p);
    if (info.base != p || info.type != cudaMemoryTypeDevice)
      return CUDA_ERROR_INVALID_VALUE;
    if (isGraphMemory(p)) // its memory stays the graph's
      return freeGraphMemory(p) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    switch (ownerOf(p)) {
    case Owner::Pool:
      return freePoolMemory(p, stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case Owner::User:
    case Owner::ImportedPool:
      return enqueue(*stream, [p] { giveMemory(p, MemoryKind::Device, ownerOf(p)); });
    default:
      return CUDA_ERROR_INVALID_VALUE;
    }
  };
  auto make = [&](std::unique_ptr<Operation> &operation) { return makeFree(p, operation); };
  return submit(*stream, make, run);
}

template <typename T> CUresult tell(void *out, const T &value) {
  std::memcpy(out, &value, sizeof value);
  return CUDA_SUCCESS;
}

/// The reuse attributes are an int for the caller, all others 64 bits.
CUresult getAttribute(const Pool &pool, cudaMemPoolAttr attribute, void *value) {
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

CUresult setAttribute(Pool &pool, cudaMemPoolAttr attribute, const void *value) {
  switch (attribute) {
  case cudaMemPoolReuseFollowEventDependencies:
  case cudaMemPoolReuseAllowOpportunistic:
  case cudaMemPoolReuseAllowInternalDependencies:
    std::memcpy(&pool.reuse[attribute - cudaMemPoolReuseFollowEventDependencies], value,
                sizeof(int));
    return CUDA_SUCCESS;
  case cudaMemPoolAttrReleaseThreshold: {
    uint64_t threshold;
    std::memcpy(&threshold, value, sizeof threshold);
    pool.releaseThreshold = threshold;
    return CUDA_SUCCESS;
  }
  case cudaMemPoolAttrReservedMemHigh:
    return putBack(pool.reservedHigh, pool.reserved, value);
  case cudaMemPoolAttrUsedMemHigh:
    return putBack(pool.usedHigh, pool.used, value);
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult createPool(cudaMemPool_t *out, const cudaMemPoolProps *properties) {
  if (!out || !properties || properties->allocType != cudaMemAllocationTypePinned ||
      properties->location.type != cudaMemLocationTypeDevice || !isDevice(properties->location.id))
    return CUDA_ERROR_INVALID_VALUE;
  std::unique_ptr<PoolFile> file;
  if (CUresult error = makePoolFile(properties->handleTypes, properties->location.id, file))
    return error;
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  Pool &pool = addPool(table, properties->location.id);
  pool.maxBytes = properties->maxSize;
  pool.file = std::move(file);
  *out = handleOf(pool);
  return CUDA_SUCCESS;
}

/// The memory of a destroyed pool lives on until it is freed (the manual says so), and then belongs
/// to no pool.
CUresult destroyPool(cudaMemPool_t handle) {
  std::shared_ptr<Pool> pool = poolOf(handle); // the last reference goes without the lock
  if (!pool || pool->isDefault)
    return CUDA_ERROR_INVALID_VALUE;
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  Pool *&current = table.currentPool[pool->device];
  if (current == pool.get())
    current = table.pools[pool->device].get();
  table.pools[pool->number].reset();
  return CUDA_SUCCESS;
}

CUresult setAccess(Pool &pool, const cudaMemAccessDesc &access) {
  const cudaMemLocation &where = access.location;
  if (where.type != cudaMemLocationTypeDevice || !isDevice(where.id))
    return CUDA_ERROR_INVALID_VALUE;
  if (access.flags != cudaMemAccessFlagsProtNone && access.flags != cudaMemAccessFlagsProtReadWrite)
    return CUDA_ERROR_INVALID_VALUE;
  if (where.id == pool.device)
    return access.flags ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
  const uint64_t bit = uint64_t(1) << where.id;
  pool.peers = access.flags ? pool.peers | bit : pool.peers & ~bit;
  return CUDA_SUCCESS;
}

} // namespace

/// Default pools come first, so that a device's number is its default pool's.
void addDefaultPool(MemoryTable &table, int device) {
  Pool &pool = addPool(table, device);
  pool.isDefault = true;
  table.currentPool[device] = &pool;
}

/// With the device idle and before its memory goes, for each allocation is charged as it was made.
void resetPools(Context &device) {
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

} // namespace heddle::driver

using namespace heddle::driver;

namespace {

/// Runs `body(pool)` for a live handle.
template <typename F> CUresult withPool(cudaMemPool_t handle, F &&body) {
  return enter([&] {
    std::shared_ptr<Pool> pool = poolOf(handle);
    return pool ? body(*pool) : CUDA_ERROR_INVALID_VALUE;
  });
}

} // namespace

CUresult heddle::driver::cudaMallocAsync(void **p, size_t bytes, cudaStream_t stream) {
  return enter([&] {
    return allocate(*memoryTable().currentPool[currentContext().ordinal], p, bytes, stream);
  });
}

CUresult heddle::driver::cudaMallocFromPoolAsync(void **p, size_t bytes, cudaMemPool_t handle,
                                                 cudaStream_t stream) {
  return withPool(handle, [&](Pool &pool) { return allocate(pool, p, bytes, stream); });
}

CUresult heddle::driver::cudaFreeAsync(void *p, cudaStream_t stream) {
  return enter([&] { return freeInStream(p, stream); }, EnterFree);
}

CUresult heddle::driver::cudaMemPoolTrimTo(cudaMemPool_t handle, size_t keep) {
  return withPool(handle, [&](Pool &pool) {
    releaseIdle(pool, keep);
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute,
                                                 void *value) {
  return withPool(handle, [&](Pool &pool) {
    return value ? setAttribute(pool, attribute, value) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult heddle::driver::cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute,
                                                 void *value) {
  return withPool(handle, [&](Pool &pool) {
    return value ? getAttribute(pool, attribute, value) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult heddle::driver::cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc *list,
                                              size_t count) {
  return withPool(handle, [&](Pool &pool) {
    if (!list && count)
      return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; ++i)
      if (CUresult error = setAccess(pool, list[i]))
        return error;
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaMemPoolGetAccess(cudaMemAccessFlags *flags, cudaMemPool_t handle,
                                              cudaMemLocation *location) {
  return withPool(handle, [&](Pool &pool) {
    if (!flags || !location || location->type != cudaMemLocationTypeDevice ||
        !isDevice(location->id))
      return CUDA_ERROR_INVALID_VALUE;
    const bool access = location->id == pool.device || pool.peers >> location->id & 1;
    *flags = access ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaMemPoolCreate(cudaMemPool_t *pool,
                                           const cudaMemPoolProps *properties) {
  return enter([&] { return createPool(pool, properties); });
}

CUresult heddle::driver::cudaMemPoolDestroy(cudaMemPool_t handle) {
  return enter([&] { return destroyPool(handle); });
}

CUresult heddle::driver::cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  return enter([&] {
    if (!pool || !isDevice(device))
      return pool ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
    *pool = handleOf(*memoryTable().pools[device]);
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  return enter([&] {
    if (!pool || !isDevice(device))
      return pool ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
    std::shared_lock lock(memoryTable().mutex);
    *pool = handleOf(*memoryTable().currentPool[device]);
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
  return withPool(handle, [&](Pool &pool) {
    if (!isDevice(device) || pool.device != device || pool.isImported)
      return CUDA_ERROR_INVALID_VALUE;
    std::unique_lock lock(memoryTable().mutex);
    memoryTable().currentPool[device] = &pool;
    return CUDA_SUCCESS;
  });
}
