// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that CUDA calls allocate: device memory, managed memory and page-locked host memory,
// of all devices of the process.
#pragma once

#include "base/abi/check_abi.h"
#include "device/cpu/memory/address_space.h"
#include "device/device.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace heddle::device::cpu {

enum class MemoryKind : uint8_t { Device, Managed, PinnedHost };

/// What an allocation is for. The allocator keeps it and never looks into `tag`.
struct MemoryUse {
  MemoryKind kind = MemoryKind::Device;
  uint8_t device = 0;
  uint32_t tag = 0;
  bool operator==(const MemoryUse &) const = default;
};

struct Allocation {
  uint8_t *base = nullptr;
  size_t bytes = 0; ///< as asked for
  MemoryUse use;
  bool isApart = false; ///< nothing else lies near it: what is a little beyond it is not allocated
  bool contains(const void *p, size_t count = 1) const {
    size_t offset = static_cast<size_t>(static_cast<const uint8_t *>(p) - base);
    return offset < bytes && count <= bytes - offset;
  }
};

/// Where an allocation lies in a file that other processes can map.
struct SharedPlace {
  int file = -1;     ///< the allocator's own
  size_t bytes = 0;  ///< that must be mapped, from the file's start
  size_t offset = 0; ///< of the allocation
};

struct Chunk;

class Allocator {
public:
  static constexpr size_t Alignment = 256;

  /// `mappings` bounds how many mappings of the process it may use; 0: a share of what the system
  /// allows.
  explicit Allocator(size_t addressBytes = size_t(16) << 40, size_t mappings = 0);
  ~Allocator();
  /// Whether small overruns go on (faults/overrun.cpp), or are faults like others.
  void setPassesOverruns(bool on) { passesOverruns_ = on; }
  bool passesOverruns() const { return passesOverruns_; }
  /// Off: MarginBytes on either side of an allocation are memory too, so that small overruns go
  /// unnoticed, as they do on a GPU. For programs with such mistakes that nobody will correct.
  void setGuards(bool on) { guards_ = on; }
  static constexpr size_t MarginBytes = size_t(1) << 20;
  /// The process's own, never destroyed. HEDDLE_GUARD=0 turns its guards off, and with `error`
  /// overruns do not pass.
  static Allocator &get();

  /// Zeroed or old content, aligned to Alignment. Null when there is no room. `bytes` must not be
  /// 0.
  void *allocate(size_t bytes, MemoryUse use);
  /// An allocation of `bytes` bytes that lie in a file from `offset` on: what any process writes
  /// there, all see. Null when they cannot be mapped.
  void *map(int file, uint64_t offset, size_t bytes, MemoryUse use);
  /// Makes memory that other processes can map of what the live allocation at `base` lies in, if it
  /// is not so already; kernels and copies may be using it meanwhile. False when the system has no
  /// memory for it.
  bool share(const void *base, SharedPlace &);
  /// Addresses for mappings of the program's, from a multiple of `alignment` on; nothing is
  /// allocated there yet. Null when there are none.
  uint8_t *reserve(size_t bytes, size_t alignment);
  /// Gives the addresses back, where nothing is mapped any more.
  void unreserve(uint8_t *start);
  /// Puts bytes of a file at reserved addresses, both in whole granules. They are accessible as
  /// `protection` says (mprotect). What is mapped in one reservation, from the first byte to the
  /// last, is one allocation; addresses between where nothing is mapped belong to none. False when
  /// the system refuses.
  bool mapReserved(uint8_t *start, uint8_t *at, size_t bytes, int file, uint64_t offset,
                   int protection, MemoryUse use);
  /// The same of pages of zeros, which are nobody else's.
  bool mapZeros(uint8_t *start, uint8_t *at, size_t bytes, MemoryUse use);
  void unmapReserved(uint8_t *start, uint8_t *at, size_t bytes);
  /// ReservationUnit divides sizes and addresses of mappings.
  static constexpr size_t ReservationUnit = size_t(2) << 20;
  /// Some memory lies in files.
  bool isAnyShared() const { return shared_.load(std::memory_order_relaxed) != 0; }
  /// From now on: some at reserved addresses is other processes', too.
  void noteShared() { ++shared_; }
  /// For the handler of faults, of an access that is not allowed: true if the memory at the address
  /// was being moved into a file, and has arrived.
  static bool waitWhileMoving(const void *address);

  /// Makes device memory inaccessible that was made or shown since the last time, but for what has
  /// more pages than `pages` in all, from which its pages are taken.
  void hide(size_t &pages);
  /// For the handler of faults: makes it accessible again at an address. No: it was not hidden.
  enum class Shown { No, Again, Now };
  Shown show(const void *address);

  /// The pages of live allocations that host code may access, too.
  std::vector<Bounds> hostPages() const;

  /// Makes memory accessible around an address where nothing is allocated, for what goes on in spite
  /// of an error. False if that is not ours, or the system refuses.
  bool tolerate(const void *address);
  /// For the handler of faults: if the address lies in the guard pages of a live allocation and
  /// overruns pass, makes its page accessible and says which allocation it is. Takes no lock.
  bool passBeside(const void *address, Allocation &);

  /// The content of the allocation at `base` is no longer needed, and the system may have its
  /// pages.
  void dropContent(void *base);
  /// From now on the allocation at `base` is that long, which must not be longer than it was made.
  void resize(void *base, size_t bytes);
  /// Frees what starts at `base`; false if no live allocation does. `freed` gets its description.
  bool release(void *base, Allocation *freed = nullptr);
  /// Frees all for which `predicate` says so. For cudaDeviceReset.
  template <typename F> void releaseIf(F &&predicate) {
    for (const Allocation &a : list())
      if (predicate(a))
        release(a.base);
  }

  /// The live allocation that holds the byte at `p`. Takes no lock: a few nanoseconds.
  bool find(const void *p, Allocation &) const;
  /// For fault reports: the allocation at `p`, a freed one that was there, or the nearest one
  /// around.
  bool nearest(const void *p, AllocationInfo &) const;

  /// In the reserved addresses, live or not.
  bool owns(const void *p) const { return space_.contains(p); }
  Bounds range() const { return {space_.base(), space_.size()}; }
  std::vector<Allocation> list() const;
  /// Goes up with each allocation and release: what was found out about addresses may have changed.
  uint64_t changes() const { return changes_.load(std::memory_order_relaxed); }

  /// Bytes of the longest object that kernels of this process could access so far: of what was
  /// allocated, and of what else `noteObject` was told of.
  size_t longestObject() const { return longest_.load(std::memory_order_relaxed); }
  void noteObject(size_t bytes) {
    size_t known = longest_.load(std::memory_order_relaxed);
    while (known < bytes && !longest_.compare_exchange_weak(known, bytes))
      ;
  }
  size_t liveCount() const { return live_.load(std::memory_order_relaxed); }

private:
  Chunk *newChunk();
  void *allocateGuarded(size_t bytes, MemoryUse);
  bool beside(const void *address, Allocation &) const;
  void *allocatePlain(size_t bytes, MemoryUse, size_t margin = 0);
  void *allocateSlot(size_t bytes, MemoryUse);
  Chunk *newSlab(size_t slotBytes, MemoryUse);
  bool moveIntoFile(Chunk &);
  void leaveFile(Chunk &);
  void listShown(Chunk &);
  void measureReserved(Chunk &);
  bool enterMapping(uint8_t *start, uint8_t *at, size_t bytes, const void *mapped, MemoryUse);
  void enter(Chunk *);
  void leave(Chunk *);
  Chunk *chunkAt(size_t granule) const { return table_[granule].load(std::memory_order_acquire); }
  void remember(const Allocation &);

  AddressSpace space_;
  size_t maxGuarded_;
  bool guards_ = true, passesOverruns_ = false;
  mutable std::mutex mutex_;
  std::atomic<Chunk *> *table_ = nullptr; ///< a chunk for each granule; sparse
  RunList guardedRuns_, plainRuns_;       ///< lower and upper half of the address space
  size_t guarded_ = 0;                    ///< live guarded chunks
  size_t smallMade_ = 0;                  ///< small allocations ever made
  std::atomic<size_t> live_{0}, longest_{0};
  std::atomic<size_t> shared_{0}; ///< chunks in files
  std::atomic<uint64_t> changes_{0};
  std::vector<std::unique_ptr<Chunk>>
      chunks_; ///< all ever made; never freed, as find() takes no lock
  std::vector<Chunk *> spare_;
  std::vector<Chunk *> open_;             ///< slabs with free slots
  std::map<uint8_t *, Chunk *> reserved_; ///< by the start of their addresses
  std::atomic<Chunk *> shown_ = nullptr;  ///< of device memory
  std::vector<Allocation> freed_;
  size_t freedNext_ = 0;
};

} // namespace heddle::device::cpu
