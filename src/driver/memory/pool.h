// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory pools of stream-ordered allocation. See pool_blocks.cpp for what they keep and reuse.
#pragma once

#include "driver/memory/memory.h"
#include "driver/memory/pool_release.h"
#include "driver/shared_file.h"
#include "driver/streams/stream.h"

#include "device/cpu/memory/address_space.h"

#include <unordered_map>

namespace heddle::driver {

/// The file that the allocations of a pool with handles lie in, which other processes map.
struct PoolFile {
  File file;
  std::mutex mutex; ///< guards ranges
  device::cpu::RunList ranges;
  PoolFile(File file, size_t units) : file(std::move(file)), ranges(1, units - 1) {}
};

/// An allocation of a pool, or memory that it keeps for one.
struct PoolBlock {
  uint8_t *base = nullptr;
  size_t capacity = 0; ///< bytes that it was made for
  uint64_t offset = 0; ///< in the pool's file
};

/// A block that is free for work behind `freed`.
struct FreeBlock {
  PoolBlock block;
  unsigned long long stream = 0; ///< the number of the one in which it was freed
  device::Device *device = nullptr;
  device::Marker *freed = nullptr; ///< null: nothing uses it
};

struct Pool {
  PoolPlace place;
  /// Which pays; the first, for managed memory that is no device's.
  int device = 0;
  uint32_t number = 0; ///< in the tags of its allocations
  bool isDefault = false;
  bool isImported = false;  ///< another process's: nothing is allocated from it
  int reuse[3] = {1, 1, 1}; ///< CU_MEMPOOL_ATTR_REUSE_*, in their order
  std::atomic<uint64_t> releaseThreshold{0};
  uint64_t maxBytes = 0; ///< 0: no limit of its own
  uint64_t peers = 0;    ///< devices that cuMemPoolSetAccess gave access
  std::unique_ptr<PoolFile> file;
  std::atomic<uint64_t> used{0}, usedHigh{0};         ///< bytes as asked for
  std::atomic<uint64_t> reserved{0}, reservedHigh{0}; ///< with what is kept

  /// Guards what follows. Taken again where memory runs short while one is allocated (releaseIdle).
  std::recursive_mutex mutex;
  bool isDestroyed = false; ///< what was allocated belongs to no pool
  std::unordered_map<void *, PoolBlock> live;
  std::multimap<size_t, FreeBlock> free; ///< by capacity

  bool isOfDevice() const { return place.where.type == CU_MEM_LOCATION_TYPE_DEVICE; }
  device::cpu::MemoryKind kind() const {
    return place.type == CU_MEM_ALLOCATION_TYPE_MANAGED ? device::cpu::MemoryKind::Managed
           : isOfDevice()                               ? device::cpu::MemoryKind::Device
                                                        : device::cpu::MemoryKind::PinnedHost;
  }
  ~Pool();
};

/// A handle is a number, from 1; a stale one names nothing.
CUmemoryPool handleOf(const Pool &);
std::shared_ptr<Pool> poolOf(CUmemoryPool);
/// A new pool, with the table's mutex held.
Pool &addPool(MemoryTable &, const PoolPlace &);
/// Whether pools can lie there. What the id of a place without one says goes.
bool isPlace(PoolPlace &);
/// The pools of a place, with the table's mutex held. Its default one is made when it is missing.
PoolsOfPlace &poolsOf(MemoryTable &, const PoolPlace &);
/// That which allocations of a device use.
std::shared_ptr<Pool> currentPool(CUdevice);

/// Memory for work of the stream. Error: CUDA_ERROR_OUT_OF_MEMORY.
CUresult allocateFrom(Pool &, void **out, size_t bytes, Stream &);
/// Frees memory of a pool behind the work of the stream; null: at once, for nothing uses it. False
/// if `base` is no allocation of a pool's.
bool freePoolMemory(void *base, Stream *);
/// Gives idle memory back until the pool has at most `keep` bytes.
void releaseIdle(Pool &, uint64_t keep);
/// ... that all pools of the device keep. True if there was some.
bool releaseIdle(Context &);
/// The context's work is over: nothing that pools keep waits for it.
void forgetWork(const Context &);
/// What is allocated belongs to no pool from now on.
void abandon(Pool &);
/// Gives back all memory, what is allocated too. The device is idle.
void empty(Pool &);

/// The file of a pool whose memory is shared by handles of that type; none for
/// CU_MEM_HANDLE_TYPE_NONE. Errors: CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_SUPPORTED,
/// CUDA_ERROR_OUT_OF_MEMORY.
CUresult makePoolFile(CUmemAllocationHandleType, const PoolPlace &, std::unique_ptr<PoolFile> &);
/// Where an allocation lies in its pool's file; false if it is none of a pool with a file.
bool findShared(void *base, std::shared_ptr<Pool> &, PoolBlock &, size_t &bytes);

} // namespace heddle::driver
