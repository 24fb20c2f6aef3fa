// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cudaMalloc and its relatives for linear memory, and what is asked of a pointer.
#include "runtime/boards/board.h"
#include "runtime/memory/graph_memory.h"
#include "runtime/memory/pool.h"
#include "runtime/streams/stream.h"

#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

using namespace heddle::runtime;
using heddle::device::cpu::Allocator;
using heddle::device::cpu::MemoryKind;

namespace {

/// Rows of pitched memory start at multiples of this (what the driver uses on all recent boards).
constexpr size_t PitchUnit = 512;

constexpr unsigned HostAllocFlags =
    cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
constexpr unsigned HostRegisterFlags = cudaHostRegisterPortable | cudaHostRegisterMapped |
                                       cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;

/// The common part: no bytes give a null pointer, no room an error.
cudaError_t allocate(void **out, size_t bytes, MemoryKind kind, unsigned flags) {
  if (!out)
    return cudaErrorInvalidValue;
  *out = nullptr;
  if (bytes == 0)
    return cudaSuccess;
  *out = takeMemory(currentDevice(), bytes, kind, {Owner::User, flags});
  return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

/// `width` rounded up to the pitch. False on overflow.
bool pitchOf(size_t width, size_t rows, size_t &pitch, size_t &bytes) {
  pitch = (width + PitchUnit - 1) / PitchUnit * PitchUnit;
  return pitch >= width && !__builtin_mul_overflow(pitch, rows, &bytes);
}

cudaError_t allocatePitched(void **out, size_t width, size_t rows, size_t &pitch) {
  size_t bytes;
  if (width == 0 || rows == 0) {
    *out = nullptr;
    pitch = 0;
    return cudaSuccess;
  }
  if (!pitchOf(width, rows, pitch, bytes))
    return cudaErrorMemoryAllocation;
  return allocate(out, bytes, MemoryKind::Device, 0);
}

/// Memory may be in use by queued work: CUDA waits for the device before it frees.
cudaError_t freeDeviceMemory(void *p) {
  const PointerInfo info = lookUp(p);
  if (info.base != p || (info.type != cudaMemoryTypeDevice && info.type != cudaMemoryTypeManaged))
    return cudaErrorInvalidValue;
  if (cudaError_t error = synchronize(*state().devices[info.device]))
    return error;
  if (giveMemory(p, MemoryKind::Device, Owner::User) ||
      giveMemory(p, MemoryKind::Device, Owner::External) ||
      giveMemory(p, MemoryKind::Device, Owner::ImportedPool) ||
      giveMemory(p, MemoryKind::Managed, Owner::User))
    return cudaSuccess;
  return freePoolMemory(p, nullptr) || freeGraphMemory(p) ? cudaSuccess : cudaErrorInvalidValue;
}

/// Whether the process has pages there, all of the program's.
bool isProgramsMemory(void *p, size_t bytes) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<uintptr_t>(p), lead = start % page;
  size_t whole;
  if (__builtin_add_overflow(bytes, lead + page - 1, &whole))
    return false;
  auto *first = static_cast<uint8_t *>(p) - lead, *last = static_cast<uint8_t *>(p) + bytes - 1;
  const Allocator &ours = Allocator::get();
  return !ours.owns(first) && !ours.owns(last) && msync(first, whole / page * page, MS_ASYNC) == 0;
}

cudaError_t registerHost(void *p, size_t bytes, unsigned flags) {
  if (!p || !bytes || flags & ~HostRegisterFlags || lookUp(p).base)
    return !p || !lookUp(p).registered ? cudaErrorInvalidValue
                                       : cudaErrorHostMemoryAlreadyRegistered;
  if (!isProgramsMemory(p, bytes))
    return cudaErrorInvalidValue;
  MemoryTable &table = memoryTable();
  const uintptr_t start = reinterpret_cast<uintptr_t>(p);
  std::unique_lock lock(table.mutex);
  auto next = table.registered.lower_bound(start);
  if (next != table.registered.end() && next->first - start < bytes)
    return cudaErrorHostMemoryAlreadyRegistered;
  table.registered[start] = {bytes, flags, currentDevice().ordinal};
  table.registeredCount = table.registered.size();
  Allocator::get().noteObject(bytes);
  return cudaSuccess;
}

cudaError_t unregisterHost(void *p) {
  if (!p)
    return cudaErrorInvalidValue;
  const PointerInfo info = lookUp(p);
  if (!info.base)
    return cudaErrorHostMemoryNotRegistered;
  if (!info.registered || info.base != p)
    return cudaErrorInvalidValue;
  if (cudaError_t error = synchronize(*state().devices[info.device]))
    return error;
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  table.registered.erase(reinterpret_cast<uintptr_t>(p));
  table.registeredCount = table.registered.size();
  return cudaSuccess;
}

} // namespace

HEDDLE_API cudaError_t cudaMalloc(void **p, size_t bytes) {
  return enterUnsafe([&] { return allocate(p, bytes, MemoryKind::Device, 0); });
}

HEDDLE_API cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned flags) {
  return enterUnsafe([&] {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
      return cudaErrorInvalidValue;
    if (!currentDevice().board->properties.managedMemory)
      return cudaErrorNotSupported;
    return allocate(p, bytes, MemoryKind::Managed, flags);
  });
}

HEDDLE_API cudaError_t cudaMallocHost(void **p, size_t bytes) {
  return enterUnsafe([&] { return allocate(p, bytes, MemoryKind::PinnedHost, 0); });
}

HEDDLE_API cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags) {
  return enterUnsafe([&] {
    if (flags & ~HostAllocFlags)
      return cudaErrorInvalidValue;
    return allocate(p, bytes, MemoryKind::PinnedHost, flags);
  });
}

HEDDLE_API cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
  return enterUnsafe([&] {
    if (!p || !pitch)
      return cudaErrorInvalidValue;
    return allocatePitched(p, width, height, *pitch);
  });
}

HEDDLE_API cudaError_t cudaMalloc3D(cudaPitchedPtr *out, cudaExtent extent) {
  return enterUnsafe([&] {
    size_t rows;
    if (!out)
      return cudaErrorInvalidValue;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
      return cudaErrorMemoryAllocation;
    out->xsize = extent.width;
    out->ysize = extent.height;
    return allocatePitched(&out->ptr, extent.width, rows, out->pitch);
  });
}

HEDDLE_API cudaError_t cudaFree(void *p) {
  return enterFree([&] { return p ? freeDeviceMemory(p) : cudaSuccess; });
}

HEDDLE_API cudaError_t cudaFreeHost(void *p) {
  return enterFree([&] {
    if (!p)
      return cudaSuccess;
    const PointerInfo info = lookUp(p);
    if (info.base != p || info.type != cudaMemoryTypeHost || info.registered)
      return cudaErrorInvalidValue;
    // Any device may be reading it.
    for (auto &device : state().devices)
      if (cudaError_t error = synchronize(*device))
        return error;
    return giveMemory(p, MemoryKind::PinnedHost, Owner::User) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

HEDDLE_API cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags) {
  return enterUnsafe([&] { return registerHost(p, bytes, flags); });
}

HEDDLE_API cudaError_t cudaHostUnregister(void *p) {
  return enterFree([&] { return unregisterHost(p); });
}

HEDDLE_API cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
  return enter([&] {
    if (!device || flags || lookUp(host).type != cudaMemoryTypeHost)
      return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
  });
}

/// With unified addressing all page-locked memory is mapped and portable, whatever it was asked
/// for. CUDA says the first and not the second.
HEDDLE_API cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
  return enter([&] {
    const PointerInfo info = lookUp(host);
    if (!flags || info.type != cudaMemoryTypeHost)
      return cudaErrorInvalidValue;
    *flags = (info.flags & ~cudaHostAllocPortable) | cudaHostAllocMapped;
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *p) {
  return enter(
      [&] {
        if (!attributes)
          return cudaErrorInvalidValue;
        const PointerInfo info = lookUp(p);
        void *same = const_cast<void *>(p);
        *attributes = {info.type, info.onDevice() ? info.device : cudaInvalidDeviceId,
                       info.onDevice() ? same : nullptr,
                       info.type == cudaMemoryTypeDevice ? nullptr : same};
        return cudaSuccess;
      },
      EnterLost);
}

HEDDLE_API cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  return enter([&] {
    Device &device = currentDevice();
    if (free)
      *free = freeMemory(device);
    if (total)
      *total = totalMemory(device);
    return cudaSuccess;
  });
}
