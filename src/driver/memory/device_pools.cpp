// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pools of devices (driver API, "Stream Ordered Memory Allocator", "Device Management"): its
// default one, and that which allocations use.
#include "driver/functions.h"
#include "driver/memory/pool.h"

namespace heddle::driver {

namespace {

/// Runs `body(device)` where the pool of a device is asked for.
template <typename F> CUresult ofDevice(CUmemoryPool *pool, CUdevice device, F &&body) {
  if (!pool)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isDevice(device))
    return CUDA_ERROR_INVALID_DEVICE;
  std::shared_lock lock(memoryTable().mutex);
  *pool = handleOf(body(static_cast<size_t>(device)));
  return CUDA_SUCCESS;
}

/// Runs `body(device)` for memory that has pools: the pinned of a device.
template <typename F>
CUresult atLocation(const CUmemLocation *where, CUmemAllocationType type, F &&body) {
  if (!where || where->type <= CU_MEM_LOCATION_TYPE_INVALID ||
      where->type > CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT ||
      (type != CU_MEM_ALLOCATION_TYPE_PINNED && type != CU_MEM_ALLOCATION_TYPE_MANAGED))
    return CUDA_ERROR_INVALID_VALUE;
  if (where->type != CU_MEM_LOCATION_TYPE_DEVICE || type != CU_MEM_ALLOCATION_TYPE_PINNED) {
    reportFailure("memory pools", "pools of the host and of managed memory are not supported");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  return body(where->id);
}

} // namespace

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  return ofDevice(pool, device,
                  [](size_t number) -> Pool & { return *memoryTable().pools[number]; });
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
  return ofDevice(pool, device,
                  [](size_t number) -> Pool & { return *memoryTable().currentPool[number]; });
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool handle) {
  if (!isDevice(device))
    return CUDA_ERROR_INVALID_DEVICE;
  const std::shared_ptr<Pool> pool = poolOf(handle);
  if (!pool || pool->device != device || pool->isImported)
    return CUDA_ERROR_INVALID_VALUE;
  std::unique_lock lock(memoryTable().mutex);
  memoryTable().currentPool[static_cast<size_t>(device)] = pool.get();
  return CUDA_SUCCESS;
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location,
                                CUmemAllocationType type) {
  return atLocation(location, type,
                    [&](CUdevice device) { return cuDeviceGetDefaultMemPool(pool, device); });
}

CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type) {
  return atLocation(location, type,
                    [&](CUdevice device) { return cuDeviceGetMemPool(pool, device); });
}

CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool) {
  return atLocation(location, type,
                    [&](CUdevice device) { return cuDeviceSetMemPool(device, pool); });
}

} // namespace heddle::driver
