// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where pools lie: on devices, on the host, wherever managed memory is used. Each place has a default
// pool and one that allocations use (driver API, "Stream Ordered Memory Allocator", "Device
// Management").
#include "driver/functions.h"
#include "driver/memory/pool.h"

namespace heddle::driver {

bool isPlace(PoolPlace &place) {
  auto &[type, where] = place;
  const bool isManaged = type == CU_MEM_ALLOCATION_TYPE_MANAGED;
  if (!isManaged && type != CU_MEM_ALLOCATION_TYPE_PINNED)
    return false;
  switch (where.type) {
  case CU_MEM_LOCATION_TYPE_DEVICE:
    return isDevice(where.id);
  case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    return isNumaNode(where.id);
  case CU_MEM_LOCATION_TYPE_HOST:
    where.id = 0;
    return true;
  case CU_MEM_LOCATION_TYPE_NONE:
    where.id = 0;
    return isManaged;
  default:
    return false;
  }
}

PoolsOfPlace &poolsOf(MemoryTable &table, const PoolPlace &place) {
  PoolsOfPlace &pools = table.places[place];
  if (!pools.initial) {
    pools.initial = &addPool(table, place);
    pools.initial->isDefault = true;
  }
  if (!pools.current)
    pools.current = pools.initial;
  return pools;
}

namespace {

PoolPlace placeOf(CUdevice device) {
  return {CU_MEM_ALLOCATION_TYPE_PINNED, {CU_MEM_LOCATION_TYPE_DEVICE, device}};
}

/// Tells one of the pools of a place.
CUresult tellPool(CUmemoryPool *pool, const PoolPlace &place, Pool *PoolsOfPlace::*which) {
  if (!pool)
    return CUDA_ERROR_INVALID_VALUE;
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  *pool = handleOf(*(poolsOf(table, place).*which));
  return CUDA_SUCCESS;
}

CUresult setPool(const PoolPlace &place, CUmemoryPool handle) {
  const std::shared_ptr<Pool> pool = poolOf(handle);
  if (!pool || !(pool->place == place) || pool->isImported)
    return CUDA_ERROR_INVALID_VALUE;
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  poolsOf(table, place).current = pool.get();
  return CUDA_SUCCESS;
}

/// Runs `body(place)` for what a program calls a place.
template <typename F>
CUresult atLocation(const CUmemLocation *where, CUmemAllocationType type, F &&body) {
  if (!where)
    return CUDA_ERROR_INVALID_VALUE;
  PoolPlace place = {type, *where};
  if (isPlace(place))
    return body(place);
  const bool isType =
      type == CU_MEM_ALLOCATION_TYPE_PINNED || type == CU_MEM_ALLOCATION_TYPE_MANAGED;
  return isType && where->type > CU_MEM_LOCATION_TYPE_HOST_NUMA ? CUDA_ERROR_NOT_SUPPORTED
                                                                : CUDA_ERROR_INVALID_VALUE;
}

} // namespace

std::shared_ptr<Pool> currentPool(CUdevice device) {
  MemoryTable &table = memoryTable();
  std::shared_lock lock(table.mutex);
  return table.pools[table.places.at(placeOf(device)).current->number];
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  if (!pool)
    return CUDA_ERROR_INVALID_VALUE;
  return isDevice(device) ? tellPool(pool, placeOf(device), &PoolsOfPlace::initial)
                          : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
  return isDevice(device) ? tellPool(pool, placeOf(device), &PoolsOfPlace::current)
                          : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return isDevice(device) ? setPool(placeOf(device), pool) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location,
                                CUmemAllocationType type) {
  return atLocation(location, type, [&](const PoolPlace &place) {
    return tellPool(pool, place, &PoolsOfPlace::initial);
  });
}

CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type) {
  return atLocation(location, type, [&](const PoolPlace &place) {
    return tellPool(pool, place, &PoolsOfPlace::current);
  });
}

CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool) {
  return atLocation(location, type, [&](const PoolPlace &place) { return setPool(place, pool); });
}

} // namespace heddle::driver
