// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pools of several processes (CUDA guide, "Interprocess Communication Support"). The allocations of
// a pool that has handles are ranges of one file, without bytes where nothing is allocated; the
// handle is that file's descriptor. Its first unit holds a header, by which an importing process
// knows that it is one. A pointer is told as a range of the file.
#include "driver/memory/pool.h"

#include <cstring>

#include <sys/stat.h>
#include <unistd.h>

namespace heddle::driver {

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

CUresult importPool(cudaMemPool_t *out, int number) {
  PoolHeader header;
  if (pread(number, &header, sizeof header, 0) != ssize_t(sizeof header) || !hasMagic(header.magic))
    return CUDA_ERROR_INVALID_VALUE;
  File file(dup(number)); // the caller's stays the caller's
  if (!file)
    return CUDA_ERROR_OPERATING_SYSTEM;
  const auto devices = static_cast<int>(state().devices.size());
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  Pool &pool = addPool(table, header.device < devices ? header.device : 0);
  pool.isImported = true;
  pool.file = std::make_unique<PoolFile>(std::move(file), FileUnits);
  *out = handleOf(pool);
  return CUDA_SUCCESS;
}

CUresult exportPointer(cudaMemPoolPtrExportData &out, void *p) {
  std::shared_ptr<Pool> pool;
  PoolBlock block;
  PointerData data = {};
  if (!findShared(p, pool, block, data.bytes))
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(data.magic, FileMagic, sizeof data.magic);
  data.inode = inodeOf(pool->file->file.get());
  data.offset = block.offset;
  out = {};
  std::memcpy(&out, &data, sizeof data);
  return CUDA_SUCCESS;
}

CUresult importPointer(void **out, const Pool &pool, const cudaMemPoolPtrExportData &in) {
  PointerData data;
  std::memcpy(&data, &in, sizeof data);
  if (!pool.isImported || !hasMagic(data.magic) || data.inode != inodeOf(pool.file->file.get()))
    return CUDA_ERROR_INVALID_VALUE;
  *out = mapMemory(*state().devices[static_cast<size_t>(pool.device)], pool.file->file.get(),
                   data.offset, data.bytes, {Owner::ImportedPool});
  return *out ? CUDA_SUCCESS : CUDA_ERROR_MAP_FAILED;
}

/// The only kind of handle that there is.
CUresult checkHandleType(cudaMemAllocationHandleType type) {
  switch (type) {
  case cudaMemHandleTypePosixFileDescriptor:
    return CUDA_SUCCESS;
  case cudaMemHandleTypeWin32:
  case cudaMemHandleTypeWin32Kmt:
  case cudaMemHandleTypeFabric:
    return CUDA_ERROR_NOT_SUPPORTED;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

} // namespace

CUresult makePoolFile(cudaMemAllocationHandleType type, int device,
                      std::unique_ptr<PoolFile> &made) {
  if (type == cudaMemHandleTypeNone)
    return CUDA_SUCCESS;
  if (CUresult error = checkHandleType(type))
    return error;
  File file = createSharedFile(FileUnit * FileUnits);
  PoolHeader header = {};
  std::memcpy(header.magic, FileMagic, sizeof header.magic);
  header.device = device;
  if (!file || pwrite(file.get(), &header, sizeof header, 0) != ssize_t(sizeof header))
    return CUDA_ERROR_OUT_OF_MEMORY;
  made = std::make_unique<PoolFile>(std::move(file), FileUnits);
  return CUDA_SUCCESS;
}

} // namespace heddle::driver

using namespace heddle::driver;

/// The descriptor is the caller's.
CUresult heddle::driver::cudaMemPoolExportToShareableHandle(void *handle, cudaMemPool_t poolHandle,
                                                            cudaMemAllocationHandleType type,
                                                            unsigned flags) {
  return enter([&]() -> CUresult {
    std::shared_ptr<Pool> pool = poolOf(poolHandle);
    if (!handle || flags || !pool || pool->isImported)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = checkHandleType(type))
      return error;
    if (!pool->file)
      return CUDA_ERROR_INVALID_VALUE;
    const int file = dup(pool->file->file.get());
    if (file < 0)
      return CUDA_ERROR_OPERATING_SYSTEM;
    std::memcpy(handle, &file, sizeof file);
    return CUDA_SUCCESS;
  });
}

/// The descriptor is given as the value of the pointer.
CUresult heddle::driver::cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *handle,
                                                              cudaMemAllocationHandleType type,
                                                              unsigned flags) {
  return enter([&]() -> CUresult {
    if (!pool || flags)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = checkHandleType(type))
      return error;
    return importPool(pool, static_cast<int>(reinterpret_cast<intptr_t>(handle)));
  });
}

CUresult heddle::driver::cudaMemPoolExportPointer(cudaMemPoolPtrExportData *data, void *p) {
  return enter([&] { return data ? exportPointer(*data, p) : CUDA_ERROR_INVALID_VALUE; });
}

CUresult heddle::driver::cudaMemPoolImportPointer(void **p, cudaMemPool_t handle,
                                                  cudaMemPoolPtrExportData *data) {
  return enter([&]() -> CUresult {
    std::shared_ptr<Pool> pool = poolOf(handle);
    return p && data && pool ? importPointer(p, *pool, *data) : CUDA_ERROR_INVALID_VALUE;
  });
}
