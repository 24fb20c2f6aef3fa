// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory as the runtime sees it: what a pointer is, how much of a device's memory is taken.
#pragma once

#include "heddle/driver_memory_types.h"

#include "driver/state.h"

#include "device/cpu/memory/allocator.h"

#include <deque>
#include <map>
#include <shared_mutex>
#include <tuple>
#include <unordered_set>

namespace heddle::driver {

/// What a pointer points to. `type` is cudaMemoryTypeUnregistered for pageable host memory and for
/// addresses that belong to nobody; then only `ptr` means anything.
struct PointerInfo {
  cudaMemoryType type = cudaMemoryTypeUnregistered;
  int device = 0;
  unsigned flags = 0;      ///< of cudaHostAlloc, cudaHostRegister or cudaMallocManaged
  uint8_t *base = nullptr; ///< of the allocation or registered range
  size_t bytes = 0;
  bool registered = false; ///< cudaHostRegister
  bool stale = false;      ///< an address of ours where nothing is allocated (any more)

  bool isHost() const { return type == cudaMemoryTypeUnregistered || type == cudaMemoryTypeHost; }
  bool isPageable() const { return type == cudaMemoryTypeUnregistered; }
  /// A kernel may use it.
  bool onDevice() const { return type != cudaMemoryTypeUnregistered; }
  bool holds(const void *p, size_t count) const {
    size_t offset = static_cast<size_t>(static_cast<const uint8_t *>(p) - base);
    return offset <= bytes && count <= bytes - offset;
  }
};

/// Fast (no lock) for everything but managed variables and registered host memory.
PointerInfo lookUp(const void *p);

/// What an allocation's tag says (device::cpu::MemoryUse::tag).
/// Ipc, External, ImportedPool: another process's or API's, which counts for no device of this one.
/// Graph: counts while a graph has it (graph_memory.cpp). Virtual: lies at addresses that the program
/// reserved; it counts from its creation, and no reset frees it (virtual.cpp).
enum class Owner : uint32_t {
  User,
  Pool,
  Module,
  Array,
  Graph,
  Ipc,
  External,
  ImportedPool,
  Virtual
};
inline bool isOfPool(Owner owner) { return owner == Owner::Pool || owner == Owner::ImportedPool; }
struct Tag {
  Owner owner = Owner::User;
  unsigned value = 0; ///< User: flags of cudaHostAlloc or cudaMallocManaged; Pool: its number
  uint32_t pack() const { return static_cast<uint32_t>(owner) | value << 4; }
  static Tag unpack(uint32_t tag) { return {static_cast<Owner>(tag & 15), tag >> 4}; }
};

/// Takes memory against the device's size (device and managed memory) and from the allocator. Null
/// when the device is full or the system has no memory. `bytes` may not be 0.
void *takeMemory(Context &, size_t bytes, device::cpu::MemoryKind, Tag);
/// The same of bytes in a file. Those of other owners than Pool are not taken against the device's
/// size.
void *mapMemory(Context &, int file, uint64_t offset, size_t bytes, device::cpu::MemoryKind, Tag);
/// Takes bytes against the device's size, and gives them back. False when it is full.
bool chargeMemory(Context &, size_t bytes);
void dischargeMemory(Context &, size_t bytes);
/// From now on an allocation counts with the bytes that it has, not with those that it was made for.
void chargeAsItIs(const void *base, size_t capacity);
/// Gives back what these gave; false if `base` is no such allocation with that owner.
bool giveMemory(void *base, device::cpu::MemoryKind, Owner);

/// Memory for a module's globals block or a managed variable: a pointer that memcpy and kernels
/// know. It counts, and cudaDeviceReset leaves it to the module table.
void *takeModuleMemory(Context &, size_t bytes, bool managed);
void giveModuleMemory(void *base);

/// Bytes of the device's memory that this process has taken, that no process has, and that there are.
size_t usedMemory(const Context &);
size_t freeMemory(const Context &);
size_t totalMemory(const Context &);

/// For cudaDeviceReset, when the device is idle: frees all of the user's memory, arrays and pools
/// on it.
void resetMemory(Context &);

/// A range that cudaHostRegister made page-locked.
struct RegisteredRange {
  size_t bytes;
  unsigned flags;
  int device;
};

struct Pool; ///< pool.h
/// The pool of that number lives and is the host's, so that no device's reset ends it.
bool isOfNoDevice(uint32_t pool);

/// Memory of another process that cudaIpcOpenMemHandle has mapped.
struct OpenedMemory {
  uint64_t inode, offset; ///< in that process's file
  int device;
  unsigned references;
};

/// What cudaMemAdvise and cudaMemPrefetchAsync said of a range of managed memory.
struct ManagedAdvice {
  bool readMostly = false;
  CUmemLocation preferred = {CU_MEM_LOCATION_TYPE_INVALID, CU_DEVICE_INVALID};
  CUmemLocation lastPrefetch = {CU_MEM_LOCATION_TYPE_INVALID, CU_DEVICE_INVALID};
  uint64_t accessedBy = 0; ///< bit n: device n; bit 63: the host
  bool operator==(const ManagedAdvice &) const;
};
struct ManagedRange {
  uintptr_t end;
  ManagedAdvice advice;
};

/// Where the memory of pools lies, and of which type it is.
struct PoolPlace {
  CUmemAllocationType type = CU_MEM_ALLOCATION_TYPE_PINNED;
  CUmemLocation where = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  bool operator<(const PoolPlace &o) const {
    return std::tie(type, where.type, where.id) < std::tie(o.type, o.where.type, o.where.id);
  }
  bool operator==(const PoolPlace &o) const { return !(*this < o) && !(o < *this); }
};
struct PoolsOfPlace {
  Pool *initial = nullptr, *current = nullptr;
};

/// The state behind State::memory.
struct MemoryTable {
  std::shared_mutex mutex; ///< guards what follows, but for `used`
  std::map<uintptr_t, RegisteredRange> registered;
  std::atomic<size_t> registeredCount{0};
  std::map<void *, OpenedMemory> opened;        ///< by address
  std::unordered_set<cudaArray_const_t> arrays; ///< live ones, the levels of mipmaps too
  std::unordered_set<cudaMipmappedArray_t> mipmaps;
  std::deque<std::shared_ptr<const void>> retired; ///< arrays that were destroyed last
  std::vector<std::shared_ptr<Pool>> pools;        ///< by number; null: destroyed
  /// Those of devices are there from the start, others since they were asked for.
  std::map<PoolPlace, PoolsOfPlace> places;
  std::vector<std::atomic<size_t>> used;     ///< bytes, for each device
  std::map<uintptr_t, ManagedRange> managed; ///< by start; only ranges that were advised
  explicit MemoryTable(size_t devices);
  ~MemoryTable();
};
inline MemoryTable &memoryTable() { return *state().memory; }

// Parts of resetMemory, initializeMemory and giveMemory.
void resetArrays(Context &);
void resetPools(Context &);
void resetGraphMemory(Context &);
void forgetAdvice(const void *base, size_t bytes);

/// The host has a NUMA node of that number. The first is there, whatever the system shows.
bool isNumaNode(int id);

/// For state.cpp: once, when the devices are known.
void initializeMemory(State &);

} // namespace heddle::driver
