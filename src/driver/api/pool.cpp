// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory in the order of streams (driver API, "Stream Ordered Memory Allocator"). Structures and
// numbers of pools are the runtime API's.
#include "driver/api/addresses.h"
#include "driver/functions.h"
#include "driver/state.h"

#include <limits>

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

/// The flags of the bodies have 32 bits; all are reserved.
unsigned asFlags(unsigned long long flags) {
  constexpr unsigned Most = std::numeric_limits<unsigned>::max();
  return flags > Most ? Most : static_cast<unsigned>(flags);
}

} // namespace

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  return makeAddress(address, [&](void **p) { return cudaMallocAsync(p, bytes, stream); });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool,
                                 CUstream stream) {
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  return makeAddress(address,
                     [&](void **p) { return cudaMallocFromPoolAsync(p, bytes, pool, stream); });
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return cudaFreeAsync(pointerTo(address), stream);
}

// ---------------------------------------------------------------------------------------------------
// Pools.

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
  return withoutContext([&] {
    return cudaMemPoolCreate(pool, reinterpret_cast<const cudaMemPoolProps *>(properties));
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return withoutContext([&] { return cudaMemPoolDestroy(pool); });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep) {
  return withoutContext([&] { return cudaMemPoolTrimTo(pool, keep); });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  return withoutContext([&] {
    return cudaMemPoolSetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value);
  });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  return withoutContext([&] {
    return cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value);
  });
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *accesses, size_t count) {
  return withoutContext([&] {
    return cudaMemPoolSetAccess(pool, reinterpret_cast<const cudaMemAccessDesc *>(accesses), count);
  });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location) {
  return withoutContext([&] {
    return cudaMemPoolGetAccess(reinterpret_cast<cudaMemAccessFlags *>(flags), pool,
                                reinterpret_cast<cudaMemLocation *>(location));
  });
}

// ---------------------------------------------------------------------------------------------------
// The pools of a device.

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

// ---------------------------------------------------------------------------------------------------
// Other processes.

CUresult cuMemPoolExportToShareableHandle(void *shared, CUmemoryPool pool,
                                          CUmemAllocationHandleType type,
                                          unsigned long long flags) {
  return withoutContext([&] {
    return cudaMemPoolExportToShareableHandle(
        shared, pool, static_cast<cudaMemAllocationHandleType>(type), asFlags(flags));
  });
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *pool, void *shared,
                                            CUmemAllocationHandleType type,
                                            unsigned long long flags) {
  return withoutContext([&] {
    return cudaMemPoolImportFromShareableHandle(
        pool, shared, static_cast<cudaMemAllocationHandleType>(type), asFlags(flags));
  });
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *data, CUdeviceptr address) {
  return withoutContext([&] {
    return cudaMemPoolExportPointer(reinterpret_cast<cudaMemPoolPtrExportData *>(data),
                                    pointerTo(address));
  });
}

CUresult cuMemPoolImportPointer(CUdeviceptr *address, CUmemoryPool pool,
                                CUmemPoolPtrExportData *data) {
  return withoutContext([&] {
    return makeAddress(address, [&](void **p) {
      return cudaMemPoolImportPointer(p, pool, reinterpret_cast<cudaMemPoolPtrExportData *>(data));
    });
  });
}

} // namespace heddle::driver
