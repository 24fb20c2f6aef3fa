// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An overrun should fault at once, and a million small allocations must fit in a process that may
// have only 65,530 mappings (vm.max_map_count). So there are three forms, tried in this order:
//
//   guarded  pages of its own, with its end (rounded up to 256 bytes) at the end of a page and
//            inaccessible pages on both sides. Two mappings each. Used until a quarter of the
//            system's mappings are taken, and for the first 65,536 small allocations of the
//            process: each costs some microseconds of system calls, too much for programs that
//            allocate by the million.
//   slot     of a slab, for up to 32 KiB: slabs are adjacent, so that the kernel merges their
//            mappings.
//   plain    whole pages without guards, also adjacent. Without guards (HEDDLE_GUARD=0) all but
//            many small ones are plain, with a margin of memory on both sides.
//
// Addresses come from one reserved range, in granules of 64 KiB. Guarded chunks live in its lower
// half; slabs and plain chunks in the upper one. A table over the range has the chunk of each
// granule, so two loads find an allocation from any address inside it. There is plenty of address
// space, so freed ranges rest before they are reused and a dangling pointer keeps faulting.
//
// A chunk's record is never returned to the system, only reused, because find() reads it without a
// lock. A find() that races with the release of the same allocation is a race in the user's
// program; it gets an old or a new answer.
#include "device/checks.h"
#include "device/cpu/memory/chunk.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

namespace heddle::device::cpu {

namespace {

constexpr size_t SlabBytes = 256 << 10;
constexpr std::array<uint32_t, 14> SlotBytes = {256,  512,  768,  1024,  1536,  2048,  3072,
                                                4096, 6144, 8192, 12288, 16384, 24576, 32768};
constexpr size_t GuardedSmall = 65536;
constexpr size_t BehindBytes = 64 << 10; ///< inaccessible, behind a guarded one
constexpr size_t FreedRemembered = 1024;
constexpr size_t NearestGranules = 4096; ///< how far `nearest` looks
constexpr size_t Beside = 1u << 16;      ///< ... from something small

size_t systemMappings() {
  size_t count = 65530;
  if (FILE *file = std::fopen("/proc/sys/vm/max_map_count", "re")) {
    if (std::fscanf(file, "%zu", &count) != 1)
      count = 65530;
    std::fclose(file);
  }
  return count / 2; // the other half is for the program and for freed ranges
}

const char *kindName(MemoryKind kind, bool freed) {
  switch (kind) {
  case MemoryKind::Device:
    return freed ? "freed device" : "device";
  case MemoryKind::Managed:
    return freed ? "freed managed" : "managed";
  case MemoryKind::PinnedHost:
    return freed ? "freed pinned host" : "pinned host";
  }
  return "";
}

AllocationInfo infoOf(const Allocation &a, bool freed) {
  return {a.base, a.bytes, kindName(a.use.kind, freed), ""};
}

size_t distance(const void *p, const Allocation &a) {
  auto *byte = static_cast<const uint8_t *>(p);
  return byte < a.base ? static_cast<size_t>(a.base - byte)
                       : static_cast<size_t>(byte - a.base) - (a.bytes - 1);
}

} // namespace

Allocator::Allocator(size_t addressBytes, size_t mappings)
    : space_(addressBytes), maxGuarded_((mappings ? mappings : systemMappings()) / 2),
      guardedRuns_(0, space_.size() / space_.granule() / 2),
      plainRuns_(space_.size() / space_.granule() / 2,
                 space_.size() / space_.granule() - space_.size() / space_.granule() / 2) {
  size_t bytes = space_.size() / space_.granule() * sizeof(std::atomic<Chunk *>);
  void *memory = mmap(nullptr, std::max(bytes, pageSize()), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory != MAP_FAILED)
    table_ = static_cast<std::atomic<Chunk *> *>(memory); // zero bytes are null pointers
}

Allocator::~Allocator() {
  if (table_)
    munmap(table_,
           std::max(space_.size() / space_.granule() * sizeof(std::atomic<Chunk *>), pageSize()));
}

Allocator &Allocator::get() {
  static Allocator &allocator = []() -> Allocator & {
    auto *made = new Allocator;
    const char *guard = getenv("HEDDLE_GUARD");
    made->setGuards(!guard || std::string_view(guard) != "0");
    made->setPassesOverruns(!guard || std::string_view(guard) != "error");
    return *made;
  }();
  return allocator;
}

Chunk *Allocator::newChunk() {
  if (spare_.empty()) {
    chunks_.push_back(std::make_unique<Chunk>());
    return chunks_.back().get();
  }
  Chunk *chunk = spare_.back();
  spare_.pop_back();
  return chunk;
}

/// Publishes a chunk whose fields are set.
void Allocator::enter(Chunk *chunk) {
  for (size_t i = 0; i < chunk->granules; ++i)
    table_[chunk->granule + i].store(chunk, std::memory_order_release);
}

/// Takes a chunk out of the table and gives back its pages and addresses.
void Allocator::leave(Chunk *chunk) {
  for (size_t i = 0; i < chunk->granules; ++i)
    table_[chunk->granule + i].store(nullptr, std::memory_order_release);
  chunk->isHidden = false;
  AddressSpace::close(chunk->data, chunk->dataBytes);
  if (chunk->isOverrun.exchange(false))
    AddressSpace::close(space_.addressOf(chunk->granule), chunk->granules * space_.granule());
  if (chunk->isShared)
    leaveFile(*chunk);
  (chunk->guarded ? guardedRuns_ : plainRuns_).give(chunk->granule, chunk->granules);
  guarded_ -= chunk->guarded;
  chunk->slotBytes = 0;
  chunk->bytes = 0;
  spare_.push_back(chunk);
}

void *Allocator::allocateGuarded(size_t bytes, MemoryUse use) {
  if (guarded_ >= maxGuarded_)
    return nullptr;
  const size_t page = pageSize(), dataBytes = roundUpTo(bytes, page);
  // Large ones begin at a huge page, so that few small pages are left at the ends.
  const bool isLarge = dataBytes >= AddressSpace::HugePage;
  const size_t slack = isLarge ? AddressSpace::HugePage : 0;
  const size_t granules =
      roundUpTo(dataBytes + page + BehindBytes + slack, space_.granule()) / space_.granule();
  const size_t granule = guardedRuns_.take(granules);
  if (granule == RunList::None)
    return nullptr;
  uint8_t *data = space_.addressOf(granule + granules) - BehindBytes - dataBytes;
  if (isLarge)
    data -= reinterpret_cast<uintptr_t>(data) % AddressSpace::HugePage;
  if (!AddressSpace::open(data, dataBytes)) {
    AddressSpace::close(data, dataBytes);
    guardedRuns_.give(granule, granules);
    return nullptr;
  }
  Chunk *chunk = newChunk();
  chunk->granule = granule;
  chunk->granules = granules;
  chunk->data = data;
  chunk->dataBytes = dataBytes;
  chunk->guarded = true;
  chunk->use = use;
  chunk->base = data + dataBytes - roundUpTo(bytes, Alignment);
  chunk->bytes = bytes;
  ++guarded_;
  enter(chunk);
  listShown(*chunk);
  return chunk->base;
}

void *Allocator::allocatePlain(size_t bytes, MemoryUse use, size_t margin) {
  const size_t granules = roundUpTo(bytes + 2 * margin, space_.granule()) / space_.granule();
  const size_t granule = plainRuns_.take(granules);
  if (granule == RunList::None)
    return nullptr;
  uint8_t *data = space_.addressOf(granule);
  if (!AddressSpace::open(data, granules * space_.granule())) {
    AddressSpace::close(data, granules * space_.granule());
    plainRuns_.give(granule, granules);
    return nullptr;
  }
  Chunk *chunk = newChunk();
  chunk->granule = granule;
  chunk->granules = granules;
  chunk->data = data;
  chunk->base = data + margin;
  chunk->dataBytes = granules * space_.granule();
  chunk->guarded = false;
  chunk->use = use;
  chunk->bytes = bytes;
  enter(chunk);
  return chunk->base;
}

Chunk *Allocator::newSlab(size_t slotBytes, MemoryUse use) {
  auto *data = static_cast<uint8_t *>(allocatePlain(SlabBytes, use));
  if (!data)
    return nullptr;
  Chunk *slab = chunkAt(space_.granuleOf(data));
  const uint32_t slots = static_cast<uint32_t>(SlabBytes / slotBytes);
  slab->usedSlots = 0;
  slab->slotSize.reserve(SlabBytes / SlotBytes.front()); // once: find() may be reading it
  slab->slotSize.assign(slots, 0);
  slab->freeSlots.resize(slots);
  for (uint32_t i = 0; i < slots; ++i)
    slab->freeSlots[i] = slots - 1 - i;
  slab->slotBytes = slotBytes;
  open_.push_back(slab);
  return slab;
}

void *Allocator::allocateSlot(size_t bytes, MemoryUse use) {
  const size_t slotBytes = *std::lower_bound(SlotBytes.begin(), SlotBytes.end(), bytes);
  auto found = std::find_if(open_.rbegin(), open_.rend(), [&](Chunk *slab) {
    return slab->slotBytes == slotBytes && slab->use == use;
  });
  Chunk *slab = found != open_.rend() ? *found : newSlab(slotBytes, use);
  if (!slab)
    return nullptr;
  const uint32_t slot = slab->freeSlots.back();
  slab->freeSlots.pop_back();
  slab->slotSize[slot] = static_cast<uint32_t>(bytes);
  if (++slab->usedSlots == slab->slotSize.size())
    std::erase(open_, slab);
  return slab->data + slot * slotBytes;
}

void *Allocator::allocate(size_t bytes, MemoryUse use) {
  if (!table_ || bytes > space_.size())
    return nullptr;
  std::lock_guard lock(mutex_);
  const bool small = bytes <= SlotBytes.back();
  void *p = nullptr;
  if (!small || smallMade_++ < GuardedSmall)
    p = guards_ ? allocateGuarded(bytes, use) : allocatePlain(bytes, use, MarginBytes);
  if (!p)
    p = small ? allocateSlot(bytes, use) : allocatePlain(bytes, use);
  if (!p)
    return nullptr;
  live_.fetch_add(1, std::memory_order_relaxed);
  if (use.kind != MemoryKind::Device)
    noteHostMemory();
  changes_.fetch_add(1, std::memory_order_relaxed);
  noteObject(bytes);
  if (checker())
    checker()->memoryBegins(p, bytes);
  return p;
}

bool Allocator::release(void *base, Allocation *freed) {
  std::lock_guard lock(mutex_);
  Allocation a;
  if (!find(base, a) || a.base != base)
    return false;
  if (freed)
    *freed = a;
  remember(a);
  live_.fetch_sub(1, std::memory_order_relaxed);
  changes_.fetch_add(1, std::memory_order_relaxed);
  Chunk *chunk = chunkAt(space_.granuleOf(base));
  if (!chunk->slotBytes) {
    leave(chunk);
    return true;
  }
  const uint32_t slot = static_cast<uint32_t>((a.base - chunk->data) / chunk->slotBytes);
  chunk->slotSize[slot] = 0;
  chunk->freeSlots.push_back(slot);
  if (chunk->usedSlots-- == chunk->slotSize.size())
    open_.push_back(chunk);
  // The last empty slab of a kind stays, so that one allocation in a loop does not make and unmake
  // slabs.
  if (chunk->usedSlots == 0 && std::count_if(open_.begin(), open_.end(), [&](Chunk *other) {
                                 return other->slotBytes == chunk->slotBytes &&
                                        other->use == chunk->use;
                               }) > 1) {
    std::erase(open_, chunk);
    leave(chunk);
  }
  return true;
}

void Allocator::dropContent(void *base) {
  std::lock_guard lock(mutex_);
  Allocation a;
  if (!find(base, a) || a.base != base)
    return;
  const Chunk *chunk = chunkAt(space_.granuleOf(base));
  if (!chunk->slotBytes)
    AddressSpace::drop(chunk->data, chunk->dataBytes);
}

void Allocator::resize(void *base, size_t bytes) {
  std::lock_guard lock(mutex_);
  Allocation a;
  if (!find(base, a) || a.base != base || a.bytes == bytes)
    return;
  Chunk *chunk = chunkAt(space_.granuleOf(base));
  if (chunk->slotBytes)
    chunk->slotSize[static_cast<size_t>(a.base - chunk->data) / chunk->slotBytes] =
        static_cast<uint32_t>(bytes);
  else
    chunk->bytes = bytes;
  changes_.fetch_add(1, std::memory_order_relaxed);
}

void Allocator::remember(const Allocation &a) {
  if (freed_.size() < FreedRemembered)
    freed_.push_back(a);
  else
    freed_[freedNext_++ % FreedRemembered] = a;
}

bool Allocator::find(const void *p, Allocation &out) const {
  if (!table_ || !space_.contains(p))
    return false;
  const Chunk *chunk = chunkAt(space_.granuleOf(p));
  return chunk && chunk->describe(p, out);
}

bool Allocator::nearest(const void *p, AllocationInfo &out) const {
  if (!table_ || !space_.contains(p))
    return false;
  std::lock_guard lock(mutex_);
  Allocation a;
  if (find(p, a)) {
    out = infoOf(a, false);
    return true;
  }
  for (size_t i = freed_.size(); i-- > 0;)
    if (freed_[i].contains(p)) {
      out = infoOf(freed_[i], true);
      return true;
    }
  size_t best = SIZE_MAX;
  auto consider = [&](const Allocation &candidate) {
    // What lies much further off than it is large tells nothing of where the pointer came from.
    if (candidate.bytes &&
        distance(p, candidate) < std::min(best, std::max(candidate.bytes, Beside))) {
      best = distance(p, candidate);
      out = infoOf(candidate, false);
    }
  };
  const size_t centre = space_.granuleOf(p), count = space_.size() / space_.granule();
  const size_t first = centre > NearestGranules ? centre - NearestGranules : 0;
  const size_t last = std::min(count - 1, centre + NearestGranules);
  const Chunk *previous = nullptr;
  for (size_t g = first; g <= last; ++g) {
    const Chunk *chunk = chunkAt(g);
    if (!chunk || chunk == previous)
      continue;
    previous = chunk;
    if (!chunk->slotBytes)
      consider({chunk->base, chunk->bytes, chunk->use});
    for (size_t slot = 0; chunk->slotBytes && slot < chunk->slotSize.size(); ++slot)
      consider({chunk->data + slot * chunk->slotBytes, chunk->slotSize[slot], chunk->use});
  }
  return best != SIZE_MAX;
}

std::vector<Allocation> Allocator::list() const {
  std::lock_guard lock(mutex_);
  std::vector<Allocation> all;
  for (const auto &chunk : chunks_) {
    if (!chunk->slotBytes && chunk->bytes)
      all.push_back({chunk->base, chunk->bytes, chunk->use});
    for (size_t slot = 0; chunk->slotBytes && slot < chunk->slotSize.size(); ++slot)
      if (chunk->slotSize[slot])
        all.push_back({chunk->data + slot * chunk->slotBytes, chunk->slotSize[slot], chunk->use});
  }
  return all;
}

} // namespace heddle::device::cpu
