// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cudaMalloc and its relatives for linear memory, and what is asked of a pointer.
#include "driver/boards/board.h"
#include "driver/memory/graph_memory.h"
#include "driver/memory/pointer_notes.h"
#include "driver/memory/pool.h"
#include "driver/streams/stream.h"

#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

using namespace heddle::driver;
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
CUresult allocate(void **out, size_t bytes, MemoryKind kind, unsigned flags) {
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  *out = nullptr;
  if (bytes == 0)
    return CUDA_SUCCESS;
  *out = takeMemory(currentContext(), bytes, kind, {Owner::User, flags});
  return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/// `width` rounded up to the pitch. False on overflow.
bool pitchOf(size_t width, size_t rows, size_t &pitch, size_t &bytes) {
  pitch = (width + PitchUnit - 1) / PitchUnit * PitchUnit;
  return pitch >= width && !__builtin_mul_overflow(pitch, rows, &bytes);
}

CUresult allocatePitched(void **out, size_t width, size_t rows, size_t &pitch) {
  size_t bytes;
  if (width == 0 || rows == 0) {
    *out = nullptr;
    pitch = 0;
    return CUDA_SUCCESS;
  }
  if (!pitchOf(width, rows, pitch, bytes))
    return CUDA_ERROR_OUT_OF_MEMORY;
  return allocate(out, bytes, MemoryKind::Device, 0);
}

/// Memory may be in use by queued work: CUDA waits for the device before it frees.
CUresult freeDeviceMemory(void *p) {
  const PointerInfo info = lookUp(p);
  if (info.base != p || (info.type != cudaMemoryTypeDevice && info.type != cudaMemoryTypeManaged))
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = synchronize(contextAt(info.device)))
    return error;
  if (giveMemory(p, MemoryKind::Device, Owner::User) ||
      giveMemory(p, MemoryKind::Device, Owner::External) ||
      giveMemory(p, MemoryKind::Device, Owner::ImportedPool) ||
      giveMemory(p, MemoryKind::Managed, Owner::User))
    return CUDA_SUCCESS;
  return freePoolMemory(p, nullptr) || freeGraphMemory(p) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
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

CUresult registerHost(void *p, size_t bytes, unsigned flags) {
  if (!p || !bytes || flags & ~HostRegisterFlags || lookUp(p).base)
    return !p || !lookUp(p).registered ? CUDA_ERROR_INVALID_VALUE
                                       : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  if (!isProgramsMemory(p, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  MemoryTable &table = memoryTable();
  const uintptr_t start = reinterpret_cast<uintptr_t>(p);
  std::unique_lock lock(table.mutex);
  auto next = table.registered.lower_bound(start);
  if (next != table.registered.end() && next->first - start < bytes)
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  table.registered[start] = {bytes, flags, currentContext().index};
  table.registeredCount = table.registered.size();
  Allocator::get().noteObject(bytes);
  return CUDA_SUCCESS;
}

CUresult unregisterHost(void *p) {
  if (!p)
    return CUDA_ERROR_INVALID_VALUE;
  const PointerInfo info = lookUp(p);
  if (!info.base)
    return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  if (!info.registered || info.base != p)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = synchronize(contextAt(info.device)))
    return error;
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  table.registered.erase(reinterpret_cast<uintptr_t>(p));
  forgetNotes(p);
  table.registeredCount = table.registered.size();
  return CUDA_SUCCESS;
}

} // namespace

CUresult heddle::driver::cudaMalloc(void **p, size_t bytes) {
  return enterUnsafe([&] { return allocate(p, bytes, MemoryKind::Device, 0); });
}

CUresult heddle::driver::cudaMallocManaged(void **p, size_t bytes, unsigned flags) {
  return enterUnsafe([&] {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
      return CUDA_ERROR_INVALID_VALUE;
    if (!currentContext().board->properties.managedMemory)
      return CUDA_ERROR_NOT_SUPPORTED;
    return allocate(p, bytes, MemoryKind::Managed, flags);
  });
}

CUresult heddle::driver::cudaMallocHost(void **p, size_t bytes) {
  return enterUnsafe([&] { return allocate(p, bytes, MemoryKind::PinnedHost, 0); });
}

CUresult heddle::driver::cudaHostAlloc(void **p, size_t bytes, unsigned flags) {
  return enterUnsafe([&] {
    if (flags & ~HostAllocFlags)
      return CUDA_ERROR_INVALID_VALUE;
    return allocate(p, bytes, MemoryKind::PinnedHost, flags);
  });
}

CUresult heddle::driver::cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
  return enterUnsafe([&] {
    if (!p || !pitch)
      return CUDA_ERROR_INVALID_VALUE;
    return allocatePitched(p, width, height, *pitch);
  });
}

CUresult heddle::driver::cudaMalloc3D(cudaPitchedPtr *out, cudaExtent extent) {
  return enterUnsafe([&] {
    size_t rows;
    if (!out)
      return CUDA_ERROR_INVALID_VALUE;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
      return CUDA_ERROR_OUT_OF_MEMORY;
    out->xsize = extent.width;
    out->ysize = extent.height;
    return allocatePitched(&out->ptr, extent.width, rows, out->pitch);
  });
}

CUresult heddle::driver::cudaFree(void *p) {
  return enterFree([&] { return p ? freeDeviceMemory(p) : CUDA_SUCCESS; });
}

CUresult heddle::driver::cudaFreeHost(void *p) {
  return enterFree([&] {
    if (!p)
      return CUDA_SUCCESS;
    const PointerInfo info = lookUp(p);
    if (info.base != p || info.type != cudaMemoryTypeHost || info.registered)
      return CUDA_ERROR_INVALID_VALUE;
    // Any device may be reading it.
    if (CUresult error = synchronizeContexts())
      return error;
    return giveMemory(p, MemoryKind::PinnedHost, Owner::User) ? CUDA_SUCCESS
                                                              : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult heddle::driver::cudaHostRegister(void *p, size_t bytes, unsigned flags) {
  return enterUnsafe([&] { return registerHost(p, bytes, flags); });
}

CUresult heddle::driver::cudaHostUnregister(void *p) {
  return enterFree([&] { return unregisterHost(p); });
}

CUresult heddle::driver::cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
  return enter([&] {
    if (!device || flags || lookUp(host).type != cudaMemoryTypeHost)
      return CUDA_ERROR_INVALID_VALUE;
    *device = host;
    return CUDA_SUCCESS;
  });
}

/// With unified addressing all page-locked memory is mapped and portable, whatever it was asked
/// for. CUDA says the first and not the second.
CUresult heddle::driver::cudaHostGetFlags(unsigned *flags, void *host) {
  return enter([&] {
    const PointerInfo info = lookUp(host);
    if (!flags || info.type != cudaMemoryTypeHost)
      return CUDA_ERROR_INVALID_VALUE;
    *flags = (info.flags & ~cudaHostAllocPortable) | cudaHostAllocMapped;
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaPointerGetAttributes(cudaPointerAttributes *attributes,
                                                  const void *p) {
  return enter(
      [&] {
        if (!attributes)
          return CUDA_ERROR_INVALID_VALUE;
        const PointerInfo info = lookUp(p);
        void *same = const_cast<void *>(p);
        *attributes = {
            info.type, info.onDevice() ? contextAt(info.device).ordinal : cudaInvalidDeviceId,
            info.onDevice() ? same : nullptr, info.type == cudaMemoryTypeDevice ? nullptr : same};
        return CUDA_SUCCESS;
      },
      EnterLost);
}

CUresult heddle::driver::cudaMemGetInfo(size_t *free, size_t *total) {
  return enter([&] {
    Context &device = currentContext();
    if (free)
      *free = freeMemory(device);
    if (total)
      *total = totalMemory(device);
    return CUDA_SUCCESS;
  });
}
