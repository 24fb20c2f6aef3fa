// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory between processes (driver API, "Memory Management": cuIpc*). A handle says which
// file of which process the memory lies in; the memory goes there when a handle of it is first made
// (Allocator::share). Opening it maps the file. The allocation stays alive with each process that
// has it open.
#include "check/init/init.h"
#include "driver/functions.h"
#include "driver/memory/addresses.h"
#include "driver/memory/memory.h"
#include "driver/shared_file.h"
#include "driver/streams/stream.h"

#include <cstring>

namespace heddle::driver {

using device::cpu::Allocation;
using device::cpu::Allocator;
using device::cpu::MemoryKind;

namespace {

constexpr char HandleMagic[8] = {'H', 'E', 'D', 'D', 'L', 'E', 'M', '1'};

/// What lies in a CUipcMemHandle.
struct MemoryHandle {
  char magic[8];
  FileAddress file;
  uint64_t offset, bytes; ///< of the allocation, in the file
  int32_t device;         ///< that it lies on, as its process counts
};
static_assert(sizeof(MemoryHandle) <= sizeof(CUipcMemHandle));

/// The whole allocation is shared, wherever in it `p` points to.
CUresult makeHandle(CUipcMemHandle &out, void *p) {
  Allocation a;
  if (!Allocator::get().find(p, a) || a.use.kind != MemoryKind::Device ||
      Tag::unpack(a.use.tag).owner != Owner::User)
    return CUDA_ERROR_INVALID_VALUE;
  device::cpu::SharedPlace place;
  if (!Allocator::get().share(a.base, place))
    return CUDA_ERROR_MAP_FAILED;
  check::initEnds(a.base, /*isFreed=*/false); // others write it
  MemoryHandle handle = {};
  std::memcpy(handle.magic, HandleMagic, sizeof handle.magic);
  handle.file = addressOf(place.file);
  handle.offset = place.offset;
  handle.bytes = a.bytes;
  handle.device = a.use.device;
  out = {};
  std::memcpy(&out, &handle, sizeof handle);
  return CUDA_SUCCESS;
}

/// With the table's mutex held: the memory of a handle that is open on the device already, or null.
void *findOpen(const MemoryHandle &handle, const Context &device) {
  for (auto &[base, opened] : memoryTable().opened)
    if (opened.inode == handle.file.inode && opened.offset == handle.offset &&
        opened.device == device.index) {
      ++opened.references;
      return base;
    }
  return nullptr;
}

CUresult openHandle(void **out, const CUipcMemHandle &in, unsigned flags) {
  MemoryHandle handle;
  std::memcpy(&handle, &in, sizeof handle);
  if (flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS ||
      std::memcmp(handle.magic, HandleMagic, sizeof handle.magic) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (isOwn(handle.file))
    return CUDA_ERROR_INVALID_CONTEXT;
  Context &device = currentContext();
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  if ((*out = findOpen(handle, device)))
    return CUDA_SUCCESS;
  File file = openFile(handle.file);
  if (!file)
    return CUDA_ERROR_INVALID_HANDLE;
  *out =
      mapMemory(device, file.get(), handle.offset, handle.bytes, MemoryKind::Device, {Owner::Ipc});
  if (!*out)
    return CUDA_ERROR_MAP_FAILED;
  table.opened[*out] = {handle.file.inode, handle.offset, device.index, 1};
  return CUDA_SUCCESS;
}

CUresult closeMemory(void *p) {
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  auto found = table.opened.find(p);
  if (found == table.opened.end())
    return CUDA_ERROR_INVALID_VALUE;
  if (--found->second.references)
    return CUDA_SUCCESS;
  Context &device = contextAt(found->second.device);
  table.opened.erase(found);
  lock.unlock();
  CUresult error = synchronize(device); // kernels may be using it
  giveMemory(p, MemoryKind::Device, Owner::Ipc);
  return error;
}

} // namespace

CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address) {
  return handle ? makeHandle(*handle, pointerTo(address)) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags) {
  return makeAddress(address, [&](void **p) { return openHandle(p, handle, flags); });
}

CUresult cuIpcOpenMemHandle(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags) {
  return cuIpcOpenMemHandle_v2(address, handle, flags);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address) { return closeMemory(pointerTo(address)); }

} // namespace heddle::driver
