// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pools of several processes (CUDA guide, "Interprocess Communication Support"). The allocations of
// a pool that has handles are ranges of one file, without bytes where nothing is allocated; the
// handle is that file's descriptor. Its first unit holds a header, by which an importing process
// knows that it is one. A pointer is told as a range of the file.
#include "runtime/memory/pool.h"

#include <cstring>

#include <sys/stat.h>
#include <unistd.h>

namespace heddle::runtime {

using device::cpu::MemoryKind;

namespace {

constexpr char FileMagic[8] = {'H', 'E', 'D', 'D', 'L', 'E', 'P', '1'};
constexpr size_t FileUnit = 64 << 10, FileUnits = size_t(1) << 24; ///< 1 TiB of addresses in a file

/// At the start of a pool's file.
struct PoolHeader {
  char magic[8];
  int32_t device; ///< of the exporting process
};

/// What lies in a cudaMemPoolPtrExportData.
struct PointerData {
  char magic[8];
  uint64_t inode, offset, bytes;
};
static_assert(sizeof(PointerData) <= sizeof(cudaMemPoolPtrExportData));

bool hasMagic(const char (&magic)[8]) { return std::memcmp(magic, FileMagic, sizeof magic) == 0; }

cudaError_t importPool(cudaMemPool_t *out, int number) {
  PoolHeader header;
  if (pread(number, &header, sizeof header, 0) != ssize_t(sizeof header) || !hasMagic(header.magic))
    return cudaErrorInvalidValue;
  File file(dup(number)); // the caller's stays the caller's
  if (!file)
    return cudaErrorOperatingSystem;
  const auto devices = static_cast<int>(state().devices.size());
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  Pool &pool = addPool(table, header.device < devices ? header.device : 0);
  pool.isImported = true;
  pool.file = std::make_unique<PoolFile>(std::move(file), FileUnits);
  *out = handleOf(pool);
  return cudaSuccess;
}

cudaError_t exportPointer(cudaMemPoolPtrExportData &out, void *p) {
  std::shared_ptr<Pool> pool;
  PoolBlock block;
  PointerData data = {};
  if (!findShared(p, pool, block, data.bytes))
    return cudaErrorInvalidValue;
  std::memcpy(data.magic, FileMagic, sizeof data.magic);
  data.inode = inodeOf(pool->file->file.get());
  data.offset = block.offset;
  out = {};
  std::memcpy(&out, &data, sizeof data);
  return cudaSuccess;
}

cudaError_t importPointer(void **out, const Pool &pool, const cudaMemPoolPtrExportData &in) {
  PointerData data;
  std::memcpy(&data, &in, sizeof data);
  if (!pool.isImported || !hasMagic(data.magic) || data.inode != inodeOf(pool.file->file.get()))
    return cudaErrorInvalidValue;
  *out = mapMemory(*state().devices[static_cast<size_t>(pool.device)], pool.file->file.get(),
                   data.offset, data.bytes, {Owner::ImportedPool});
  return *out ? cudaSuccess : cudaErrorMapBufferObjectFailed;
}

/// The only kind of handle that there is.
cudaError_t checkHandleType(cudaMemAllocationHandleType type) {
  switch (type) {
  case cudaMemHandleTypePosixFileDescriptor:
    return cudaSuccess;
  case cudaMemHandleTypeWin32:
  case cudaMemHandleTypeWin32Kmt:
  case cudaMemHandleTypeFabric:
    return cudaErrorNotSupported;
  default:
    return cudaErrorInvalidValue;
  }
}

} // namespace

cudaError_t makePoolFile(cudaMemAllocationHandleType type, int device,
                         std::unique_ptr<PoolFile> &made) {
  if (type == cudaMemHandleTypeNone)
    return cudaSuccess;
  if (cudaError_t error = checkHandleType(type))
    return error;
  File file = createSharedFile(FileUnit * FileUnits);
  PoolHeader header = {};
  std::memcpy(header.magic, FileMagic, sizeof header.magic);
  header.device = device;
  if (!file || pwrite(file.get(), &header, sizeof header, 0) != ssize_t(sizeof header))
    return cudaErrorMemoryAllocation;
  made = std::make_unique<PoolFile>(std::move(file), FileUnits);
  return cudaSuccess;
}

} // namespace heddle::runtime

using namespace heddle::runtime;

/// The descriptor is the caller's.
HEDDLE_API cudaError_t cudaMemPoolExportToShareableHandle(void *handle, cudaMemPool_t poolHandle,
                                                          cudaMemAllocationHandleType type,
                                                          unsigned flags) {
  return enter([&]() -> cudaError_t {
    std::shared_ptr<Pool> pool = poolOf(poolHandle);
    if (!handle || flags || !pool || pool->isImported)
      return cudaErrorInvalidValue;
    if (cudaError_t error = checkHandleType(type))
      return error;
    if (!pool->file)
      return cudaErrorInvalidValue;
    const int file = dup(pool->file->file.get());
    if (file < 0)
      return cudaErrorOperatingSystem;
    std::memcpy(handle, &file, sizeof file);
    return cudaSuccess;
  });
}

/// The descriptor is given as the value of the pointer.
HEDDLE_API cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *handle,
                                                            cudaMemAllocationHandleType type,
                                                            unsigned flags) {
  return enter([&]() -> cudaError_t {
    if (!pool || flags)
      return cudaErrorInvalidValue;
    if (cudaError_t error = checkHandleType(type))
      return error;
    return importPool(pool, static_cast<int>(reinterpret_cast<intptr_t>(handle)));
  });
}

HEDDLE_API cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData *data, void *p) {
  return enter([&] { return data ? exportPointer(*data, p) : cudaErrorInvalidValue; });
}

HEDDLE_API cudaError_t cudaMemPoolImportPointer(void **p, cudaMemPool_t handle,
                                                cudaMemPoolPtrExportData *data) {
  return enter([&]() -> cudaError_t {
    std::shared_ptr<Pool> pool = poolOf(handle);
    return p && data && pool ? importPointer(p, *pool, *data) : cudaErrorInvalidValue;
  });
}
