// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear memory of devices (driver API, "Memory Management"). The host's is in host_memory.cpp.
#include "driver/boards/board.h"
#include "driver/functions.h"
#include "driver/memory/addresses.h"
#include "driver/memory/explain.h"
#include "driver/memory/graph_memory.h"
#include "driver/memory/pool.h"
#include "driver/streams/stream.h"

namespace heddle::driver {

using device::cpu::MemoryKind;

namespace {

/// Rows of pitched memory start at multiples of this (what the driver uses on all recent boards).
constexpr size_t PitchUnit = 512;

CUresult allocate(CUdeviceptr *address, size_t bytes, MemoryKind kind, unsigned flags) {
  void *p = takeMemory(currentContext(), bytes, kind, {Owner::User, flags});
  if (!p)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *address = deviceAddress(p);
  return CUDA_SUCCESS;
}

/// `width` rounded up to the pitch. False on overflow.
bool pitchOf(size_t width, size_t rows, size_t &pitch, size_t &bytes) {
  pitch = (width + PitchUnit - 1) / PitchUnit * PitchUnit;
  return pitch >= width && !__builtin_mul_overflow(pitch, rows, &bytes);
}

/// Memory may be in use by queued work: CUDA waits for the device before it frees.
CUresult freeDeviceMemory(void *p) {
  device::cpu::Allocation a;
  device::cpu::Allocator::get().find(p, a);
  const Owner owner = Tag::unpack(a.use.tag).owner;
  const bool isHosts = a.use.kind == MemoryKind::PinnedHost;
  if (a.base != p || (isHosts && !isOfPool(owner))) {
    if (!thread().current)
      return CUDA_ERROR_INVALID_CONTEXT;
    explainFree(p, cudaMemoryTypeDevice);
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (CUresult error = isHosts ? synchronizeContexts() : synchronizeDevice(contextAt(a.use.device)))
    return error;
  const bool isGiven =
      owner == Owner::User || owner == Owner::External || owner == Owner::ImportedPool;
  if (isGiven && giveMemory(p, a.use.kind, owner))
    return CUDA_SUCCESS;
  if (freePoolMemory(p, nullptr) || freeGraphMemory(p))
    return CUDA_SUCCESS;
  explainFree(p, cudaMemoryTypeDevice);
  return CUDA_ERROR_INVALID_VALUE;
}

} // namespace

/// Either may be null.
CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  Context &device = currentContext();
  if (free)
    *free = freeMemory(device);
  if (total)
    *total = totalMemory(device);
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  return address && bytes ? allocate(address, bytes, MemoryKind::Device, 0)
                          : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width, size_t height,
                            unsigned elementBytes) {
  const bool isElement = elementBytes == 4 || elementBytes == 8 || elementBytes == 16;
  if (!address || !pitch || !width || !height || !isElement)
    return CUDA_ERROR_INVALID_VALUE;
  size_t bytes;
  if (width > PTRDIFF_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  return pitchOf(width, height, *pitch, bytes) ? allocate(address, bytes, MemoryKind::Device, 0)
                                               : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags) {
  if (!address || !bytes || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
    return CUDA_ERROR_INVALID_VALUE;
  if (!currentContext().board->properties.managedMemory)
    return CUDA_ERROR_NOT_SUPPORTED;
  return allocate(address, bytes, MemoryKind::Managed, flags);
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  if (address)
    return freeDeviceMemory(pointerTo(address));
  return thread().current ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

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

} // namespace heddle::driver
