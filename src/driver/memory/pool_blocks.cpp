// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a pool keeps, and which allocation gets it (CUDA guide, "Stream Ordered Memory Allocator").
//
// A free moves the block into the pool at once, with a marker of the end of its stream's work. An
// allocation gets a kept block that fits, in this order:
//
//   1. freed in the same stream, whose order is enough;
//   2. whose marker is done (cudaMemPoolReuseAllowOpportunistic);
//   3. for whose marker its stream then waits (cudaMemPoolReuseAllowInternalDependencies);
//
// else new memory. A block fits if at most an eighth of it stays unused. It counts with the size
// that was asked for, so copies beyond the end are still detected. Before the pool gets new memory,
// it releases idle blocks until it has no more than it ever had allocated at a time: a GPU would
// map their pages anew. What is kept above the threshold is released when the program synchronises.
//
// cudaMemPoolReuseFollowEventDependencies adds nothing: a stream that an event orders after the
// free waits in 3. for what is over; without 3. the block is idle (2.) or stays where it is.
#include "check/check.h"
#include "check/init/init.h"
#include "device/checks.h"
#include "driver/memory/explain.h"
#include "driver/memory/pointer_notes.h"
#include "driver/memory/pool.h"

#include <algorithm>

#include <fcntl.h>

namespace heddle::driver {

using device::cpu::Allocation;
using device::cpu::Allocator;
using device::cpu::MemoryKind;

std::atomic<size_t> keptBlocks{0};

namespace {

constexpr size_t FileUnit = 64 << 10; ///< of the ranges of a pool's file

size_t unitsOf(size_t bytes) { return (bytes + FileUnit - 1) / FileUnit; }

void raise(std::atomic<uint64_t> &high, uint64_t value) {
  uint64_t before = high.load();
  while (before < value && !high.compare_exchange_weak(before, value)) {
  }
}

bool isIdle(const FreeBlock &block) { return !block.freed || block.device->isDone(block.freed); }

// With the pool's mutex held.

/// New memory of the device, in the pool's file if it has one.
bool makeBlock(Pool &pool, size_t bytes, PoolBlock &block) {
  Context &device = *state().devices[static_cast<size_t>(pool.device)];
  const Tag tag = {Owner::Pool, pool.number};
  void *base = nullptr;
  if (!pool.file) {
    base = takeMemory(device, bytes, pool.kind(), tag);
  } else {
    std::lock_guard guard(pool.file->mutex);
    const size_t unit = pool.file->ranges.take(unitsOf(bytes));
    if (unit == device::cpu::RunList::None)
      return false;
    block.offset = unit * FileUnit;
    base = mapMemory(device, pool.file->file.get(), block.offset, bytes, pool.kind(), tag);
    if (!base)
      pool.file->ranges.give(unit, unitsOf(bytes));
  }
  if (!base)
    return false;
  block.base = static_cast<uint8_t *>(base);
  block.capacity = bytes;
  raise(pool.reservedHigh, pool.reserved += bytes);
  return true;
}

void giveBlock(Pool &pool, const PoolBlock &block) {
  Allocator::get().resize(block.base, block.capacity); // as it was charged
  giveMemory(block.base, pool.kind(), Owner::Pool);
  pool.reserved -= block.capacity;
  if (!pool.file)
    return;
  std::lock_guard guard(pool.file->mutex);
  fallocate(pool.file->file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
            static_cast<off_t>(block.offset),
            static_cast<off_t>(unitsOf(block.capacity) * FileUnit));
  pool.file->ranges.give(block.offset / FileUnit, unitsOf(block.capacity));
}

using Place = std::multimap<size_t, FreeBlock>::iterator;

/// The block is no longer kept.
PoolBlock takeOut(Pool &pool, Place place) {
  FreeBlock kept = place->second;
  pool.free.erase(place);
  --keptBlocks;
  if (kept.freed)
    kept.device->drop(kept.freed);
  return kept.block;
}

void releaseIdleLocked(Pool &pool, uint64_t keep) {
  for (auto at = pool.free.begin(); at != pool.free.end() && pool.reserved > keep;) {
    auto next = std::next(at);
    if (isIdle(at->second))
      giveBlock(pool, takeOut(pool, at));
    at = next;
  }
}

/// Waits for what still uses kept blocks, and gives all back.
void releaseAllLocked(Pool &pool) {
  for (auto &[capacity, kept] : pool.free)
    if (kept.freed)
      kept.device->synchronize(kept.freed);
  releaseIdleLocked(pool, 0);
}

/// A kept block for work of the stream, by the rules above.
bool reuseBlock(Pool &pool, size_t bytes, Stream &stream, PoolBlock &block) {
  enum { SameStream, Idle, Behind, None };
  int best = None;
  Place chosen;
  for (auto at = pool.free.lower_bound(bytes);
       at != pool.free.end() && at->first - bytes <= at->first / 8 && best != SameStream; ++at) {
    int rank = None;
    if (at->second.stream == stream.id)
      rank = SameStream;
    else if (pool.reuse[1] && isIdle(at->second))
      rank = Idle;
    else if (pool.reuse[2])
      rank = Behind;
    if (rank < best) {
      best = rank;
      chosen = at;
    }
  }
  if (best == None)
    return false;
  if (best == Behind && chosen->second.freed)
    stream.device->backend->waitFor(stream.queue, chosen->second.freed);
  block = takeOut(pool, chosen);
  Allocator::get().resize(block.base, bytes);
  return true;
}

/// The same of new memory.
bool newBlock(Pool &pool, size_t bytes, PoolBlock &block) {
  const uint64_t most = std::max<uint64_t>(pool.usedHigh, pool.used + bytes);
  if (pool.reserved + bytes > most)
    releaseIdleLocked(pool, most - bytes);
  const auto isTooMuch = [&] { return pool.maxBytes && pool.reserved + bytes > pool.maxBytes; };
  if (!isTooMuch() && makeBlock(pool, bytes, block))
    return true;
  if (pool.free.empty())
    return false;
  releaseAllLocked(pool);
  return !isTooMuch() && makeBlock(pool, bytes, block);
}

/// The content begins and ends in the order of the stream: what ran before used the same memory.
void beginUnwritten(void *base, size_t bytes, Stream &stream) {
  if (!check::looksForUnwritten())
    return;
  check::initPending(1);
  (void)enqueue(stream, [=] {
    check::initBegins(base, bytes);
    check::initPending(-1);
  });
}
void endUnwritten(void *base, Stream *stream) {
  if (check::looksForUnwritten() && stream)
    (void)enqueue(*stream, [=] { check::initEnds(base); });
  else
    check::initEnds(base);
}

/// Work of streams that nothing orders behind the allocation, or before the free, races with those.
void noteInStream(Stream &stream, void *base, size_t bytes, device::Touch touch) {
  if (check::looksAtPools())
    (void)enqueue(stream, [=] { device::noteTouched({base, bytes, 1, bytes, 1, bytes, touch}); });
}

void keep(Pool &pool, const PoolBlock &block, Stream *stream) {
  FreeBlock kept = {block, 0, nullptr, nullptr};
  if (stream) {
    noteInStream(*stream, block.base, block.capacity, device::Touch::Ends);
    kept.stream = stream->id;
    kept.device = stream->device->backend.get();
    kept.freed = kept.device->record(stream->queue);
  }
  pool.free.emplace(block.capacity, kept);
  forgetNotes(block.base);
  if (pool.kind() == MemoryKind::Managed)
    forgetAdvice(block.base, block.capacity);
  noteKeptByPool(block.base);
  endUnwritten(block.base, stream);
  ++keptBlocks;
}

/// The pool of an allocation, if that lives and is one's; null otherwise, or if it was destroyed.
std::shared_ptr<Pool> poolOfMemory(void *base, Allocation &a, bool &isPools) {
  isPools = Allocator::get().find(base, a) && a.base == base &&
            Tag::unpack(a.use.tag).owner == Owner::Pool;
  if (!isPools)
    return nullptr;
  MemoryTable &table = memoryTable();
  std::shared_lock lock(table.mutex);
  return table.pools[Tag::unpack(a.use.tag).value];
}

std::vector<std::shared_ptr<Pool>> allPools() {
  std::shared_lock lock(memoryTable().mutex);
  return memoryTable().pools;
}

} // namespace

CUresult allocateFrom(Pool &pool, void **out, size_t bytes, Stream &stream) {
  std::lock_guard guard(pool.mutex);
  PoolBlock block;
  if (pool.isDestroyed)
    return CUDA_ERROR_INVALID_VALUE;
  if (pool.maxBytes && (bytes > pool.maxBytes || pool.used > pool.maxBytes - bytes))
    return CUDA_ERROR_OUT_OF_MEMORY;
  if (!reuseBlock(pool, bytes, stream, block) && !newBlock(pool, bytes, block))
    return CUDA_ERROR_OUT_OF_MEMORY;
  pool.live[block.base] = block;
  raise(pool.usedHigh, pool.used += bytes);
  *out = block.base;
  noteTaken(block.base, bytes, pool.kind());
  check::poolMemoryBegins(block.base, bytes);
  noteInStream(stream, block.base, bytes, device::Touch::Begins);
  if (!pool.file && pool.kind() == MemoryKind::Device) // others may write it
    beginUnwritten(block.base, bytes, stream);
  return CUDA_SUCCESS;
}

bool freePoolMemory(void *base, Stream *stream) {
  bool isPools;
  Allocation a;
  std::shared_ptr<Pool> pool = poolOfMemory(base, a, isPools);
  std::unique_lock<std::recursive_mutex> guard;
  if (pool)
    guard = std::unique_lock(pool->mutex);
  if (!pool || pool->isDestroyed) { // it outlives its pool
    auto give = [base, kind = a.use.kind] { giveMemory(base, kind, Owner::Pool); };
    if (isPools && stream) {
      noteInStream(*stream, base, a.bytes, device::Touch::Ends);
      (void)enqueue(*stream, give);
    } else if (isPools)
      give();
    return isPools;
  }
  auto found = pool->live.find(base);
  if (found == pool->live.end()) // freed already
    return false;
  pool->used -= a.bytes;
  keep(*pool, found->second, stream);
  pool->live.erase(found);
  if (!stream)
    releaseIdleLocked(*pool, pool->releaseThreshold);
  return true;
}

void releaseIdle(Pool &pool, uint64_t keep) {
  std::lock_guard guard(pool.mutex);
  releaseIdleLocked(pool, keep);
}

bool releaseIdle(Context &device) {
  const size_t before = keptBlocks;
  for (auto &pool : allPools())
    if (pool && pool->device == device.ordinal && pool->kind() != MemoryKind::PinnedHost)
      if (std::unique_lock guard(pool->mutex, std::try_to_lock); guard) // another pool's, too
        releaseIdleLocked(*pool, 0);
  return keptBlocks < before;
}

void releaseAboveThresholds() {
  for (auto &pool : allPools())
    if (pool && pool->reserved > pool->releaseThreshold)
      releaseIdle(*pool, pool->releaseThreshold);
}

void forgetWork(const Context &context) {
  for (auto &pool : allPools()) {
    if (!pool)
      continue;
    std::lock_guard guard(pool->mutex);
    for (auto &[capacity, kept] : pool->free)
      if (kept.freed && kept.device == context.backend.get()) {
        kept.device->drop(kept.freed);
        kept.freed = nullptr;
      }
  }
}

void abandon(Pool &pool) {
  std::lock_guard guard(pool.mutex);
  pool.isDestroyed = true;
  for (auto &[base, block] : pool.live)
    chargeAsItIs(base, block.capacity);
  pool.live.clear();
}

void empty(Pool &pool) {
  std::lock_guard guard(pool.mutex);
  releaseAllLocked(pool);
  for (auto &[base, block] : pool.live)
    giveBlock(pool, block);
  pool.live.clear();
  pool.used = 0;
}

/// What is allocated stays so; what is kept goes when the work that used it is over.
Pool::~Pool() {
  releaseIdleLocked(*this, 0);
  while (!free.empty()) {
    const FreeBlock kept = free.begin()->second;
    device::Queue *queue = kept.device->createQueue(device::QueueKind::NonBlocking, 0);
    kept.device->waitFor(queue, kept.freed);
    const PoolBlock block = takeOut(*this, free.begin());
    kept.device->enqueueHostFunction(queue, [block, kind = kind()] {
      Allocator::get().resize(block.base, block.capacity);
      giveMemory(block.base, kind, Owner::Pool);
    });
    kept.device->destroyQueue(queue);
  }
}

bool findShared(void *base, std::shared_ptr<Pool> &pool, PoolBlock &block, size_t &bytes) {
  bool isPools;
  Allocation a;
  pool = poolOfMemory(base, a, isPools);
  if (!pool || !pool->file)
    return false;
  std::lock_guard guard(pool->mutex);
  auto found = pool->live.find(base);
  if (found == pool->live.end())
    return false;
  block = found->second;
  bytes = a.bytes;
  return true;
}

} // namespace heddle::driver
