// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reserved addresses, into which the program maps memory itself (driver API, "Virtual Memory
// Management"). A reservation is a chunk whose granules are in the table where something is mapped.
// Its allocation spans all of it: programs copy over the seams of mappings that lie side by side.
#include "device/cpu/memory/chunk.h"

#include <algorithm>

#include <sys/mman.h>

namespace heddle::device::cpu {

uint8_t *Allocator::reserve(size_t bytes, size_t alignment) {
  alignment = std::max(alignment, ReservationUnit);
  if (!table_ || !bytes || bytes > space_.size() || alignment > space_.size())
    return nullptr;
  const size_t granules = roundUpTo(bytes + alignment, space_.granule()) / space_.granule();
  std::lock_guard lock(mutex_);
  const size_t granule = guardedRuns_.take(granules);
  if (granule == RunList::None)
    return nullptr;
  Chunk *chunk = newChunk();
  chunk->granule = granule;
  chunk->granules = granules;
  chunk->data = reinterpret_cast<uint8_t *>(
      roundUpTo(reinterpret_cast<uintptr_t>(space_.addressOf(granule)), alignment));
  chunk->dataBytes = bytes;
  chunk->guarded = true;
  chunk->isReserved = true;
  chunk->base = chunk->data;
  chunk->bytes = 0;
  ++guarded_;
  reserved_[chunk->data] = chunk;
  return chunk->data;
}

void Allocator::unreserve(uint8_t *start) {
  std::lock_guard lock(mutex_);
  Chunk *chunk = reserved_[start];
  reserved_.erase(start);
  guardedRuns_.give(chunk->granule, chunk->granules);
  --guarded_;
  chunk->isReserved = false;
  spare_.push_back(chunk);
}

bool Allocator::mapReserved(uint8_t *start, uint8_t *at, size_t bytes, int file, uint64_t offset,
                            int protection, MemoryUse use) {
  std::lock_guard lock(mutex_);
  const void *mapped =
      mmap(at, bytes, protection, MAP_SHARED | MAP_FIXED, file, static_cast<off_t>(offset));
  return enterMapping(start, at, bytes, mapped, use);
}

bool Allocator::mapZeros(uint8_t *start, uint8_t *at, size_t bytes, MemoryUse use) {
  std::lock_guard lock(mutex_);
  const void *mapped = mmap(at, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  return enterMapping(start, at, bytes, mapped, use);
}

/// With the mutex held, after mmap.
bool Allocator::enterMapping(uint8_t *start, uint8_t *at, size_t bytes, const void *mapped,
                             MemoryUse use) {
  Chunk &chunk = *reserved_[start];
  if (mapped == MAP_FAILED) {
    AddressSpace::close(at, bytes);
    return false;
  }
  madvise(at, bytes, MADV_HUGEPAGE); // a wish
  if (!chunk.bytes)
    chunk.use = use;
  for (size_t granule = space_.granuleOf(at), end = space_.granuleOf(at + bytes); granule < end;
       ++granule)
    table_[granule].store(&chunk, std::memory_order_release);
  measureReserved(chunk);
  noteObject(chunk.bytes);
  return true;
}

void Allocator::unmapReserved(uint8_t *start, uint8_t *at, size_t bytes) {
  std::lock_guard lock(mutex_);
  for (size_t granule = space_.granuleOf(at), end = space_.granuleOf(at + bytes); granule < end;
       ++granule)
    table_[granule].store(nullptr, std::memory_order_release);
  AddressSpace::close(at, bytes);
  measureReserved(*reserved_[start]);
}

/// From the first mapped byte to the last.
void Allocator::measureReserved(Chunk &chunk) {
  size_t first = space_.granuleOf(chunk.data), end = space_.granuleOf(chunk.data + chunk.dataBytes);
  while (first < end && !chunkAt(first))
    ++first;
  while (first < end && !chunkAt(end - 1))
    --end;
  uint8_t *base = space_.addressOf(first);
  const size_t bytes = (end - first) * space_.granule();
  if (base != chunk.base) { // a reader without the lock sees nothing rather than too much
    chunk.bytes = 0;
    chunk.base = base;
  }
  chunk.bytes = bytes;
  changes_.fetch_add(1, std::memory_order_relaxed);
}

} // namespace heddle::device::cpu
