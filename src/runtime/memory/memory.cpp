// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear memory (runtime API, "Memory Management"). No bytes are a null pointer and no error, where
// the driver refuses them.
#include "base/checked.h"
#include "runtime/memory/checks.h"
#include "runtime/memory/copy_params.h"

#include <bit>

using namespace heddle;
using namespace heddle::runtime;

namespace {

CUresult allocateNothing(void **out) {
  const CUresult error = answerUnsafe(out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
  if (error == CUDA_SUCCESS)
    *out = nullptr;
  return error;
}

/// Of all element sizes that the driver knows the smallest: the pitch is the same for each.
constexpr unsigned ElementBytes = 4;

CUresult allocatePitched(void **out, size_t *pitch, size_t width, size_t rows) {
  if (width && rows)
    return allocate<CUdeviceptr>(out, [&](CUdeviceptr *address) {
      return ask<&Cu::cuMemAllocPitch_v2>(address, pitch, width, rows, ElementBytes);
    });
  if (!pitch)
    return answerUnsafe(CUDA_ERROR_INVALID_VALUE);
  const CUresult error = allocateNothing(out);
  if (error == CUDA_SUCCESS)
    *pitch = 0;
  return error;
}

} // namespace

HEDDLE_API cudaError_t cudaMalloc(void **p, size_t bytes) {
  return translate([&] {
    if (!bytes)
      return allocateNothing(p);
    return allocate<CUdeviceptr>(
        p, [&](CUdeviceptr *address) { return ask<&Cu::cuMemAlloc_v2>(address, bytes); });
  });
}

HEDDLE_API cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned flags) {
  return translate([&]() -> CUresult {
    if (!bytes && (flags == cudaMemAttachGlobal || flags == cudaMemAttachHost))
      return allocateNothing(p);
    return allocate<CUdeviceptr>(p, [&](CUdeviceptr *address) {
      return ask<&Cu::cuMemAllocManaged>(address, bytes, flags);
    });
  });
}

HEDDLE_API cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
  return translate([&] { return allocatePitched(p, pitch, width, height); });
}

HEDDLE_API cudaError_t cudaMalloc3D(cudaPitchedPtr *out, cudaExtent extent) {
  return translate([&] {
    const size_t rows = Checked(extent.height) * extent.depth;
    if (!out)
      return answerUnsafe(CUDA_ERROR_INVALID_VALUE);
    const CUresult error = allocatePitched(&out->ptr, &out->pitch, extent.width, rows);
    if (error == CUDA_SUCCESS) {
      out->xsize = extent.width;
      out->ysize = extent.height;
    }
    return error;
  });
}

HEDDLE_API cudaError_t cudaFree(void *p) {
  return translateCurrent(
      [&] { return ask<&Cu::cuMemFree_v2>(addressOf(p)); }); // programs begin by it
}

HEDDLE_API cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  return translate([&] { return ask<&Cu::cuMemGetInfo_v2>(free, total); });
}

// ---------------------------------------------------------------------------------------------------
// The host's.

HEDDLE_API cudaError_t cudaMallocHost(void **p, size_t bytes) {
  return translate([&] {
    return allocate<void *>(p,
                            [&](void **host) { return ask<&Cu::cuMemAllocHost_v2>(host, bytes); });
  });
}

HEDDLE_API cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags) {
  constexpr unsigned Known =
      cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  return translate([&] {
    if (!bytes && !(flags & ~Known))
      return allocateNothing(p);
    return allocate<void *>(
        p, [&](void **host) { return ask<&Cu::cuMemHostAlloc>(host, bytes, flags); });
  });
}

HEDDLE_API cudaError_t cudaFreeHost(void *p) {
  return translateCurrent([&] { return ask<&Cu::cuMemFreeHost>(p); });
}

HEDDLE_API cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags) {
  return translate([&] { return ask<&Cu::cuMemHostRegister_v2>(p, bytes, flags); });
}

HEDDLE_API cudaError_t cudaHostUnregister(void *p) {
  return translateCurrent([&] { return ask<&Cu::cuMemHostUnregister>(p); });
}

HEDDLE_API cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
  return translate([&] {
    return ask<&Cu::cuMemHostGetDevicePointer_v2>(reinterpret_cast<CUdeviceptr *>(device), host,
                                                  flags);
  });
}

HEDDLE_API cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
  return translate([&] { return ask<&Cu::cuMemHostGetFlags>(flags, host); });
}

// ---------------------------------------------------------------------------------------------------
// Pointers.

namespace {

cudaMemoryType typeOf(unsigned type, bool isManaged) {
  return isManaged ? cudaMemoryTypeManaged : static_cast<cudaMemoryType>(type);
}

} // namespace

/// The driver tells memory that it does not know as of no type.
HEDDLE_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *p) {
  return translate([&] {
    unsigned type = 0, isManaged = 0;
    int device = 0;
    void *onDevice = nullptr, *onHost = nullptr;
    CUpointer_attribute which[] = {
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
        CU_POINTER_ATTRIBUTE_HOST_POINTER};
    void *values[] = {&type, &isManaged, &device, &onDevice, &onHost};
    if (!attributes)
      return CUDA_ERROR_INVALID_VALUE;
    const CUresult error =
        ask<&Cu::cuPointerGetAttributes>(std::size(which), which, values, addressOf(p));
    if (error == CUDA_SUCCESS)
      *attributes = {typeOf(type, isManaged), device, onDevice,
                     type ? onHost : const_cast<void *>(p)};
    return error;
  });
}

// ---------------------------------------------------------------------------------------------------
// Memory of other processes (runtime API, "Device Management"). A handle is the same 64 bytes in both
// APIs.

HEDDLE_API cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *p) {
  return translate([&] {
    return ask<&Cu::cuIpcGetMemHandle>(reinterpret_cast<CUipcMemHandle *>(handle), addressOf(p));
  });
}

HEDDLE_API cudaError_t cudaIpcOpenMemHandle(void **p, cudaIpcMemHandle_t handle, unsigned flags) {
  return translate([&] {
    return ask<&Cu::cuIpcOpenMemHandle_v2>(reinterpret_cast<CUdeviceptr *>(p),
                                           std::bit_cast<CUipcMemHandle>(handle), flags);
  });
}

HEDDLE_API cudaError_t cudaIpcCloseMemHandle(void *p) {
  return translate([&] { return ask<&Cu::cuIpcCloseMemHandle>(addressOf(p)); });
}
