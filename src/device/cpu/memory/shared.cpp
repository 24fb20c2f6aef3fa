// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory in files, which several processes map: what a program shares, and what it has been given.
//
// Ordinary allocations are pages of the process's own, with huge pages where they are large; memory
// in files is slower to touch first. So an allocation goes into a file when it is first shared,
// while kernels may be using it:
//
//   1. its pages become read-only: who writes from now on faults, and the handler of faults lets it
//      wait (waitWhileMoving) and then try again;
//   2. what is not zero is copied into the file;
//   3. the file's pages take the place of the old ones in one step (mremap).
//
// Rejected: to wait for the device instead, since other threads may launch meanwhile; and to keep
// all allocations in files, which every program would pay for.
#include "base/temporary_files.h"
#include "device/cpu/memory/chunk.h"

#include <algorithm>
#include <cstring>

#include <sched.h>
#include <sys/mman.h>

// Of ThreadSanitizer's runtime, where that is linked.
extern "C" __attribute__((weak)) void AnnotateIgnoreReadsBegin(const char *file, int line);
extern "C" __attribute__((weak)) void AnnotateIgnoreReadsEnd(const char *file, int line);

namespace heddle::device::cpu {

namespace {

/// What is being moved; empty: nothing. Read by the handler of faults, `movingTo` first.
std::atomic<const uint8_t *> movingFrom{nullptr}, movingTo{nullptr};

bool isZero(const uint8_t *page, size_t bytes) {
  return page[0] == 0 && std::memcmp(page, page + 1, bytes - 1) == 0;
}

/// Copies what no thread can write meanwhile. That is the pages' protection's doing, of which
/// ThreadSanitizer does not know.
void copyPages(uint8_t *to, const uint8_t *from, size_t bytes) {
  if (AnnotateIgnoreReadsBegin)
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  for (size_t at = 0, page = pageSize(); at < bytes; at += page)
    if (!isZero(from + at, page)) // the others need no memory
      std::memcpy(to + at, from + at, page);
  if (AnnotateIgnoreReadsEnd)
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}

} // namespace

bool Allocator::waitWhileMoving(const void *address) {
  auto *p = static_cast<const uint8_t *>(address);
  const uint8_t *to = movingTo.load();
  if (p >= movingFrom.load() && p < to) {
    while (movingTo.load() == to)
      sched_yield();
    return true;
  }
  // It may have arrived since the fault: what is shared can be written.
  Allocator &memory = get();
  if (!memory.isAnyShared() || !memory.space_.contains(p))
    return false;
  const Chunk *chunk = memory.chunkAt(memory.space_.granuleOf(p));
  return chunk && chunk->isShared && p >= chunk->data && p < chunk->data + chunk->dataBytes;
}

void *Allocator::map(int file, uint64_t offset, size_t bytes, MemoryUse use) {
  const size_t page = pageSize(), lead = offset % page;
  if (!table_ || !bytes || bytes > space_.size())
    return nullptr;
  const size_t dataBytes = roundUpTo(lead + bytes, page);
  const size_t granules = roundUpTo(dataBytes + 2 * page, space_.granule()) / space_.granule();
  std::lock_guard lock(mutex_);
  const size_t granule = guardedRuns_.take(granules);
  if (granule == RunList::None)
    return nullptr;
  uint8_t *data = space_.addressOf(granule + granules) - page - dataBytes;
  if (mmap(data, dataBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
           static_cast<off_t>(offset - lead)) == MAP_FAILED) {
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
  chunk->isShared = true;
  chunk->use = use;
  chunk->base = data + lead;
  chunk->bytes = bytes;
  ++guarded_;
  ++shared_;
  enter(chunk);
  live_.fetch_add(1, std::memory_order_relaxed);
  changes_.fetch_add(1, std::memory_order_relaxed);
  noteObject(bytes);
  return chunk->base;
}

bool Allocator::share(const void *base, SharedPlace &place) {
  std::lock_guard lock(mutex_);
  Allocation a;
  if (!find(base, a) || a.base != base)
    return false;
  Chunk &chunk = *chunkAt(space_.granuleOf(base));
  if (chunk.file < 0 && (chunk.isShared || !moveIntoFile(chunk)))
    return false;
  place = {chunk.file, chunk.dataBytes, static_cast<size_t>(a.base - chunk.data)};
  return true;
}

bool Allocator::moveIntoFile(Chunk &chunk) {
  keepFaultSignals();
  FileSizeGuard guard;
  const int file = memfd_create("heddle-shared", MFD_CLOEXEC);
  if (file < 0)
    return false;
  void *pages = MAP_FAILED;
  if (ftruncate(file, static_cast<off_t>(chunk.dataBytes)) == 0)
    pages = mmap(nullptr, chunk.dataBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  bool moved = false;
  show(chunk.data);
  if (pages != MAP_FAILED) {
    movingFrom = chunk.data;
    movingTo = chunk.data + chunk.dataBytes;
    if (mprotect(chunk.data, chunk.dataBytes, PROT_READ) == 0) {
      copyPages(static_cast<uint8_t *>(pages), chunk.data, chunk.dataBytes);
      moved = mremap(pages, chunk.dataBytes, chunk.dataBytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                     chunk.data) != MAP_FAILED;
    }
    if (!moved) {
      mprotect(chunk.data, chunk.dataBytes, PROT_READ | PROT_WRITE);
      munmap(pages, chunk.dataBytes);
    }
    movingFrom = nullptr;
    movingTo = nullptr;
  }
  if (!moved) {
    close(file);
    return false;
  }
  chunk.file = file;
  chunk.isShared = true;
  ++shared_;
  return true;
}

void Allocator::leaveFile(Chunk &chunk) {
  if (chunk.file >= 0)
    close(chunk.file);
  chunk.file = -1;
  chunk.isShared = false;
  --shared_;
}

} // namespace heddle::device::cpu
