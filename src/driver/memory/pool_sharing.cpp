// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pools of several processes (CUDA guide, "Interprocess Communication Support"). The allocations of
// a pool that has handles are ranges of one file, without bytes where nothing is allocated; the
// handle is that file's descriptor. Its first unit holds a header, by which an importing process
// knows that it is one. A pointer is told as a range of the file.
#include "driver/functions.h"
#include "driver/memory/addresses.h"
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
  int32_t place, id; ///< CUmemLocation, as the exporting process counts
};

/// What lies in a CUmemPoolPtrExportData.
struct PointerData {
  char magic[8];
  uint64_t inode, offset, bytes;
};
static_assert(sizeof(PointerData) <= sizeof(CUmemPoolPtrExportData));

bool hasMagic(const char (&magic)[8]) { return std::memcmp(magic, FileMagic, sizeof magic) == 0; }

CUresult importPool(CUmemoryPool *out, int number) {
  PoolHeader header;
  if (pread(number, &header, sizeof header, 0) != ssize_t(sizeof header) || !hasMagic(header.magic))
    return CUDA_ERROR_INVALID_VALUE;
  File file(dup(number)); // the caller's stays the caller's
  if (!file)
    return CUDA_ERROR_OPERATING_SYSTEM;
  PoolPlace place = {CU_MEM_ALLOCATION_TYPE_PINNED,
                     {static_cast<CUmemLocationType>(header.place), header.id}};
  if (!isPlace(place))
    place.where.id = 0;
  if (!isPlace(place))
    return CUDA_ERROR_INVALID_VALUE;
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  Pool &pool = addPool(table, place);
  pool.isImported = true;
  pool.file = std::make_unique<PoolFile>(std::move(file), FileUnits);
  *out = handleOf(pool);
  return CUDA_SUCCESS;
}

CUresult exportPointer(CUmemPoolPtrExportData &out, void *p) {
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

CUresult importPointer(void **out, const Pool &pool, const CUmemPoolPtrExportData &in) {
  PointerData data;
  std::memcpy(&data, &in, sizeof data);
  if (!pool.isImported || !hasMagic(data.magic) || data.inode != inodeOf(pool.file->file.get()))
    return CUDA_ERROR_INVALID_VALUE;
  *out = mapMemory(*state().devices[static_cast<size_t>(pool.device)], pool.file->file.get(),
                   data.offset, data.bytes, pool.kind(), {Owner::ImportedPool});
  return *out ? CUDA_SUCCESS : CUDA_ERROR_MAP_FAILED;
}

/// The only kind of handle that there is.
CUresult checkHandleType(CUmemAllocationHandleType type) {
  switch (type) {
  case CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR:
    return CUDA_SUCCESS;
  case CU_MEM_HANDLE_TYPE_FABRIC:
    return CUDA_ERROR_NOT_SUPPORTED;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

} // namespace

CUresult makePoolFile(CUmemAllocationHandleType type, const PoolPlace &place,
                      std::unique_ptr<PoolFile> &made) {
  if (type == CU_MEM_HANDLE_TYPE_NONE)
    return CUDA_SUCCESS;
  const bool isShareable =
      place.type == CU_MEM_ALLOCATION_TYPE_PINNED && place.where.type != CU_MEM_LOCATION_TYPE_HOST;
  if (!isShareable)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = checkHandleType(type))
    return error;
  File file = createSharedFile(FileUnit * FileUnits);
  PoolHeader header = {};
  std::memcpy(header.magic, FileMagic, sizeof header.magic);
  header.place = place.where.type;
  header.id = place.where.id;
  if (!file || pwrite(file.get(), &header, sizeof header, 0) != ssize_t(sizeof header))
    return CUDA_ERROR_OUT_OF_MEMORY;
  made = std::make_unique<PoolFile>(std::move(file), FileUnits);
  return CUDA_SUCCESS;
}

/// The descriptor is the caller's.
CUresult cuMemPoolExportToShareableHandle(void *shared, CUmemoryPool handle,
                                          CUmemAllocationHandleType type,
                                          unsigned long long flags) {
  std::shared_ptr<Pool> pool = poolOf(handle);
  if (!shared || flags || !pool || pool->isImported)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = checkHandleType(type))
    return error;
  if (!pool->file)
    return CUDA_ERROR_INVALID_VALUE;
  const int file = dup(pool->file->file.get());
  if (file < 0)
    return CUDA_ERROR_OPERATING_SYSTEM;
  std::memcpy(shared, &file, sizeof file);
  return CUDA_SUCCESS;
}

/// The descriptor is given as the value of the pointer.
CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *pool, void *shared,
                                            CUmemAllocationHandleType type,
                                            unsigned long long flags) {
  if (!pool || flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = checkHandleType(type))
    return error;
  return importPool(pool, static_cast<int>(reinterpret_cast<intptr_t>(shared)));
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *data, CUdeviceptr address) {
  return data ? exportPointer(*data, pointerTo(address)) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPoolImportPointer(CUdeviceptr *address, CUmemoryPool handle,
                                CUmemPoolPtrExportData *data) {
  std::shared_ptr<Pool> pool = poolOf(handle);
  if (!address || !data || !pool)
    return CUDA_ERROR_INVALID_VALUE;
  return makeAddress(address, [&](void **p) { return importPointer(p, *pool, *data); });
}

} // namespace heddle::driver
