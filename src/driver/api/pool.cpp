// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pools of devices (driver API, "Stream Ordered Memory Allocator").
#include "driver/functions.h"
#include "driver/state.h"

namespace heddle::driver {

namespace {

/// Pools need no current context: a thread that has none is given none by the body.
template <typename F> CUresult withoutContext(F &&body) {
  ThreadState &t = thread();
  Context *before = t.current;
  CUresult error = body();
  t.current = before;
  return error;
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
  return withoutContext([&] { return cudaDeviceGetDefaultMemPool(pool, device); });
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
  return withoutContext([&] { return cudaDeviceGetMemPool(pool, device); });
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  if (!isDevice(device))
    return CUDA_ERROR_INVALID_DEVICE;
  return withoutContext([&] { return cudaDeviceSetMemPool(device, pool); });
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
