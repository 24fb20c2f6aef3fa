// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of the host that devices use: page-locked when it is allocated, or later (driver API,
// "Memory Management").
#include "check/check.h"
#include "driver/functions.h"
#include "driver/memory/addresses.h"
#include "driver/memory/explain.h"
#include "driver/memory/memory.h"
#include "driver/memory/pointer_notes.h"
#include "driver/streams/stream.h"

#include <sys/mman.h>
#include <unistd.h>

namespace heddle::driver {

using device::cpu::Allocator;
using device::cpu::MemoryKind;

namespace {

constexpr unsigned HostAllocFlags =
    CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
constexpr unsigned HostRegisterFlags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                                       CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;

/// Whether the process has pages there, all of the program's.
bool isProgramsMemory(void *p, size_t bytes) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<uintptr_t>(p), lead = start % page;
  size_t whole;
  if (__builtin_add_overflow(bytes, lead + page - 1, &whole))
    return false;
  auto *first = reinterpret_cast<void *>(start - lead),
       *last = reinterpret_cast<void *>(start + bytes - 1);
  const Allocator &ours = Allocator::get();
  return !ours.owns(first) && !ours.owns(last) && msync(first, whole / page * page, MS_ASYNC) == 0;
}

CUresult registerHost(void *p, size_t bytes, unsigned flags) {
  const uintptr_t start = reinterpret_cast<uintptr_t>(p);
  if (!p || !bytes || bytes > UINTPTR_MAX - start || flags & ~HostRegisterFlags)
    return CUDA_ERROR_INVALID_VALUE;
  if (const PointerInfo known = lookUp(p); known.base)
    return known.registered ? CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED : CUDA_ERROR_INVALID_VALUE;
  if (!isProgramsMemory(p, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  auto next = table.registered.lower_bound(start);
  if (next != table.registered.end() && next->first - start < bytes)
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  table.registered[start] = {bytes, flags, currentContext().index};
  table.registeredCount = table.registered.size();
  Allocator::get().noteObject(bytes);
  check::registered(p, bytes);
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
  auto registered = table.registered.find(reinterpret_cast<uintptr_t>(p));
  check::unregistered(p);
  table.registered.erase(registered);
  forgetNotes(p);
  table.registeredCount = table.registered.size();
  return CUDA_SUCCESS;
}

} // namespace

CUresult cuMemHostAlloc(void **host, size_t bytes, unsigned flags) {
  if (!host || flags & ~HostAllocFlags)
    return CUDA_ERROR_INVALID_VALUE;
  if (!bytes) { // no memory and no error, as on an H200
    *host = nullptr;
    return CUDA_SUCCESS;
  }
  void *p = takeMemory(currentContext(), bytes, MemoryKind::PinnedHost, {Owner::User, flags});
  if (!p)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *host = p;
  return CUDA_SUCCESS;
}

CUresult cuMemAllocHost_v2(void **host, size_t bytes) { return cuMemHostAlloc(host, bytes, 0); }

CUresult cuMemFreeHost(void *host) {
  if (!host)
    return CUDA_SUCCESS;
  const PointerInfo info = lookUp(host);
  if (info.base != host || info.type != cudaMemoryTypeHost || info.registered) {
    explainFree(host, cudaMemoryTypeHost);
    return CUDA_ERROR_INVALID_VALUE;
  }
  // Any device may be reading it.
  if (CUresult error = synchronizeContexts())
    return error;
  return giveMemory(host, MemoryKind::PinnedHost, Owner::User) ? CUDA_SUCCESS
                                                               : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *host, unsigned flags) {
  if (!address || flags || lookUp(host).type != cudaMemoryTypeHost)
    return CUDA_ERROR_INVALID_VALUE;
  *address = deviceAddress(host);
  return CUDA_SUCCESS;
}

/// With unified addressing all page-locked memory is mapped and portable, whatever it was asked
/// for. CUDA says the first and not the second.
CUresult cuMemHostGetFlags(unsigned *flags, void *host) {
  const PointerInfo info = lookUp(host);
  if (!flags || info.type != cudaMemoryTypeHost)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = (info.flags & ~unsigned(CU_MEMHOSTALLOC_PORTABLE)) | CU_MEMHOSTALLOC_DEVICEMAP;
  return CUDA_SUCCESS;
}

CUresult cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags) {
  return registerHost(host, bytes, flags);
}

CUresult cuMemHostRegister(void *host, size_t bytes, unsigned flags) {
  return registerHost(host, bytes, flags);
}

CUresult cuMemHostUnregister(void *host) { return unregisterHost(host); }

} // namespace heddle::driver
