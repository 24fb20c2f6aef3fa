// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory that host code must not touch, as it is on a machine with a GPU.
//
// Kernels, copies and libraries run on threads of this process, and see what host code sees. So
// device memory is made inaccessible when a call of the API ends, and whoever then touches it
// faults. The handler of faults makes the allocation accessible again and says who it was: our own
// threads and calls go on, and a function of the program is told of (check/host_access.cpp). What a
// kernel has touched stays accessible until it has ended and another call of the API ends.
//
// Rejected: protection keys, which would tell threads apart, for few machines have them; a second
// mapping for kernels, since a pointer has one value for all.
#include "device/cpu/memory/chunk.h"

#include <sys/mman.h>

namespace heddle::device::cpu {

void Allocator::listShown(Chunk &chunk) {
  if (chunk.use.kind != MemoryKind::Device || chunk.isListed.exchange(true))
    return;
  chunk.nextShown = shown_.load(std::memory_order_relaxed);
  while (!shown_.compare_exchange_weak(chunk.nextShown, &chunk))
    ;
}

void Allocator::hide(size_t &pages) {
  if (!shown_.load(std::memory_order_relaxed))
    return;
  std::lock_guard lock(mutex_);
  for (Chunk *chunk = shown_.exchange(nullptr), *next; chunk; chunk = next) {
    next = chunk->nextShown;
    chunk->isListed = false;
    bool isHideable =
        chunk->bytes && chunk->guarded && !chunk->isShared && chunk->use.kind == MemoryKind::Device;
    if (!isHideable)
      continue;
    size_t own = chunk->dataBytes / pageSize();
    if (own > pages) {
      listShown(*chunk);
      continue;
    }
    pages -= own;
    chunk->isHidden = true;
    mprotect(chunk->data, chunk->dataBytes, PROT_NONE);
  }
}

Allocator::Shown Allocator::show(const void *address) {
  auto *p = static_cast<const uint8_t *>(address);
  Chunk *chunk = table_ && space_.contains(p) ? chunkAt(space_.granuleOf(p)) : nullptr;
  if (!chunk || !chunk->guarded || chunk->use.kind != MemoryKind::Device || p < chunk->data ||
      p >= chunk->data + chunk->dataBytes)
    return Shown::No;
  if (!chunk->isHidden.exchange(false)) // another thread does so
    return chunk->bytes && !chunk->isShared ? Shown::Again : Shown::No;
  if (mprotect(chunk->data, chunk->dataBytes, PROT_READ | PROT_WRITE) != 0)
    return Shown::No;
  listShown(*chunk);
  return Shown::Now;
}

std::vector<Bounds> Allocator::hostPages() const {
  std::lock_guard lock(mutex_);
  std::vector<Bounds> all;
  for (const auto &chunk : chunks_)
    if ((chunk->slotBytes ? chunk->usedSlots : chunk->bytes) && !chunk->isShared &&
        !chunk->isReserved && chunk->use.kind != MemoryKind::Device)
      all.push_back({chunk->data, chunk->dataBytes});
  return all;
}

bool Allocator::tolerate(const void *address) {
  auto *p = static_cast<const uint8_t *>(address);
  if (!table_ || !space_.contains(p))
    return false;
  uint8_t *page = const_cast<uint8_t *>(p) - reinterpret_cast<uintptr_t>(p) % pageSize();
  uint8_t *end = space_.addressOf(space_.granuleOf(p) + 1);
  return mprotect(page, static_cast<size_t>(end - page), PROT_READ | PROT_WRITE) == 0;
}

bool Allocator::beside(const void *address, Allocation &out) const {
  auto *p = static_cast<const uint8_t *>(address);
  const Chunk *chunk = table_ && space_.contains(p) ? chunkAt(space_.granuleOf(p)) : nullptr;
  if (!chunk || !chunk->guarded || chunk->isReserved || !chunk->bytes ||
      (p >= chunk->data && p < chunk->data + chunk->dataBytes))
    return false;
  chunk->describe(chunk->base, out);
  return true;
}

bool Allocator::passBeside(const void *address, Allocation &found) {
  if (!passesOverruns_ || !beside(address, found))
    return false;
  chunkAt(space_.granuleOf(address))->isOverrun = true;
  auto *page = static_cast<uint8_t *>(const_cast<void *>(address)) -
               reinterpret_cast<uintptr_t>(address) % pageSize();
  return mprotect(page, pageSize(), PROT_READ | PROT_WRITE) == 0;
}

} // namespace heddle::device::cpu
