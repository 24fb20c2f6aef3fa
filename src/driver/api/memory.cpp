// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear memory (driver API, "Memory Management").
#include "driver/memory/memory.h"
#include "driver/api/addresses.h"
#include "driver/functions.h"

namespace heddle::driver {

/// Either may be null.
CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  size_t unasked;
  return cudaMemGetInfo(free ? free : &unasked, total ? total : &unasked);
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  return makeAddress(address, [&](void **p) { return cudaMalloc(p, bytes); });
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width, size_t height,
                            unsigned elementBytes) {
  const bool isElement = elementBytes == 4 || elementBytes == 8 || elementBytes == 16;
  if (!pitch || !width || !height || !isElement)
    return CUDA_ERROR_INVALID_VALUE;
  return makeAddress(address, [&](void **p) { return cudaMallocPitch(p, pitch, width, height); });
}

CUresult cuMemFree_v2(CUdeviceptr address) { return cudaFree(pointerTo(address)); }

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address) {
  const PointerInfo info = lookUp(pointerTo(address));
  if (!info.base)
    return CUDA_ERROR_NOT_FOUND;
  if (base)
    *base = deviceAddress(info.base);
  if (bytes)
    *bytes = info.bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags) {
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  return makeAddress(address, [&](void **p) { return cudaMallocManaged(p, bytes, flags); });
}

// ---------------------------------------------------------------------------------------------------
// The host's.

CUresult cuMemHostAlloc(void **host, size_t bytes, unsigned flags) {
  return host && bytes ? cudaHostAlloc(host, bytes, flags) : CUDA_ERROR_INVALID_VALUE;
}

/// No bytes are no memory and no error, as on an H200.
CUresult cuMemAllocHost_v2(void **host, size_t bytes) {
  if (!host || bytes)
    return cuMemHostAlloc(host, bytes, 0);
  *host = nullptr;
  return CUDA_SUCCESS;
}

CUresult cuMemAllocHost(void **host, unsigned bytes) { return cuMemAllocHost_v2(host, bytes); }

CUresult cuMemFreeHost(void *host) { return cudaFreeHost(host); }

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *host, unsigned flags) {
  return makeAddress(address, [&](void **p) { return cudaHostGetDevicePointer(p, host, flags); });
}

CUresult cuMemHostGetFlags(unsigned *flags, void *host) { return cudaHostGetFlags(flags, host); }

CUresult cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags) {
  return cudaHostRegister(host, bytes, flags);
}

CUresult cuMemHostRegister(void *host, size_t bytes, unsigned flags) {
  return cudaHostRegister(host, bytes, flags);
}

CUresult cuMemHostUnregister(void *host) { return cudaHostUnregister(host); }

} // namespace heddle::driver
