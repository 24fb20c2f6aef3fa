// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory in the order of streams (runtime API, "Stream Ordered Memory Allocator"). Structures and
// numbers of pools are the driver's (tests/headers/driver_runtime.cpp). The driver's pools need no
// current context; a call of the runtime's has one.
#include "runtime/memory/checks.h"
#include "runtime/memory/copy_params.h"

using namespace heddle::runtime;

namespace {

/// A function of the runtime about a pool.
template <class Body> cudaError_t translateInContext(Body &&body) {
  return translate([&]() -> CUresult {
    const CUresult error = answer(CUDA_SUCCESS);
    return error == CUDA_SUCCESS ? body() : error;
  });
}

/// No bytes are a null pointer and no error, where the driver refuses them.
CUresult allocateNothing(void **out, cudaStream_t stream) {
  unsigned flags;
  if (!out)
    return answer(CUDA_ERROR_INVALID_VALUE);
  const CUresult error = ask<&Cu::cuStreamGetFlags>(stream, &flags);
  if (error == CUDA_SUCCESS)
    *out = nullptr;
  return error;
}

} // namespace

HEDDLE_API cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t stream) {
  return translate([&] {
    if (!bytes)
      return allocateNothing(p, stream);
    return allocate<CUdeviceptr>(
        p, [&](CUdeviceptr *address) { return ask<&Cu::cuMemAllocAsync>(address, bytes, stream); });
  });
}

HEDDLE_API cudaError_t cudaMallocFromPoolAsync(void **p, size_t bytes, cudaMemPool_t pool,
                                               cudaStream_t stream) {
  return translate([&]() -> CUresult {
    if (bytes)
      return allocate<CUdeviceptr>(p, [&](CUdeviceptr *address) {
        return ask<&Cu::cuMemAllocFromPoolAsync>(address, bytes, pool, stream);
      });
    uint64_t used;
    const CUresult error =
        cu().cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used);
    return error == CUDA_SUCCESS ? allocateNothing(p, stream) : answer(error);
  });
}

HEDDLE_API cudaError_t cudaFreeAsync(void *p, cudaStream_t stream) {
  return translateCurrent([&] { return ask<&Cu::cuMemFreeAsync>(addressOf(p), stream); });
}

HEDDLE_API cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *properties) {
  return translateInContext([&] {
    return ask<&Cu::cuMemPoolCreate>(pool, reinterpret_cast<const CUmemPoolProps *>(properties));
  });
}

HEDDLE_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return translateInContext([&] { return ask<&Cu::cuMemPoolDestroy>(pool); });
}

HEDDLE_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
  return translateInContext([&] { return ask<&Cu::cuMemPoolTrimTo>(pool, keep); });
}

HEDDLE_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute,
                                               void *value) {
  return translateInContext([&] {
    return ask<&Cu::cuMemPoolSetAttribute>(pool, static_cast<CUmemPool_attribute>(attribute),
                                           value);
  });
}

HEDDLE_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute,
                                               void *value) {
  return translateInContext([&] {
    return ask<&Cu::cuMemPoolGetAttribute>(pool, static_cast<CUmemPool_attribute>(attribute),
                                           value);
  });
}

HEDDLE_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *accesses,
                                            size_t count) {
  return translateInContext([&] {
    return ask<&Cu::cuMemPoolSetAccess>(pool, reinterpret_cast<const CUmemAccessDesc *>(accesses),
                                        count);
  });
}

HEDDLE_API cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                            cudaMemLocation *location) {
  return translateInContext([&] {
    return ask<&Cu::cuMemPoolGetAccess>(reinterpret_cast<CUmemAccess_flags *>(flags), pool,
                                        reinterpret_cast<CUmemLocation *>(location));
  });
}

// ---------------------------------------------------------------------------------------------------
// The pools of a device.

HEDDLE_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  return translateInContext([&] { return ask<&Cu::cuDeviceGetDefaultMemPool>(pool, device); });
}

HEDDLE_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  return translateInContext([&] { return ask<&Cu::cuDeviceGetMemPool>(pool, device); });
}

HEDDLE_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return translateInContext([&] {
    return as(ask<&Cu::cuDeviceSetMemPool>(device, pool), CUDA_ERROR_INVALID_DEVICE,
              cudaErrorInvalidValue);
  });
}

// ---------------------------------------------------------------------------------------------------
// Other processes.

HEDDLE_API cudaError_t cudaMemPoolExportToShareableHandle(void *handle, cudaMemPool_t pool,
                                                          cudaMemAllocationHandleType type,
                                                          unsigned flags) {
  return translateInContext([&] {
    return ask<&Cu::cuMemPoolExportToShareableHandle>(
        handle, pool, static_cast<CUmemAllocationHandleType>(type), flags);
  });
}

HEDDLE_API cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *handle,
                                                            cudaMemAllocationHandleType type,
                                                            unsigned flags) {
  return translateInContext([&] {
    return ask<&Cu::cuMemPoolImportFromShareableHandle>(
        pool, handle, static_cast<CUmemAllocationHandleType>(type), flags);
  });
}

HEDDLE_API cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData *data, void *p) {
  return translateInContext([&] {
    return ask<&Cu::cuMemPoolExportPointer>(reinterpret_cast<CUmemPoolPtrExportData *>(data),
                                            addressOf(p));
  });
}

HEDDLE_API cudaError_t cudaMemPoolImportPointer(void **p, cudaMemPool_t pool,
                                                cudaMemPoolPtrExportData *data) {
  return translateInContext([&] {
    return ask<&Cu::cuMemPoolImportPointer>(reinterpret_cast<CUdeviceptr *>(p), pool,
                                            reinterpret_cast<CUmemPoolPtrExportData *>(data));
  });
}

// A location's pool (CUDA 13).

HEDDLE_API cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, cudaMemLocation *location,
                                                cudaMemAllocationType type) {
  return translateInContext([&] {
    return ask<&Cu::cuMemGetDefaultMemPool>(pool, reinterpret_cast<CUmemLocation *>(location),
                                            static_cast<CUmemAllocationType>(type));
  });
}
HEDDLE_API cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, cudaMemLocation *location,
                                         cudaMemAllocationType type) {
  return translateInContext([&] {
    return ask<&Cu::cuMemGetMemPool>(pool, reinterpret_cast<CUmemLocation *>(location),
                                     static_cast<CUmemAllocationType>(type));
  });
}
HEDDLE_API cudaError_t cudaMemSetMemPool(cudaMemLocation *location, cudaMemAllocationType type,
                                         cudaMemPool_t pool) {
  return translateInContext([&] {
    return ask<&Cu::cuMemSetMemPool>(reinterpret_cast<CUmemLocation *>(location),
                                     static_cast<CUmemAllocationType>(type), pool);
  });
}
