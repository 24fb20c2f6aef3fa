// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who has allocated and freed what in kernels. A freed block is not given back at once: so long an
// access to it is told from one to a block that has taken its place.
#include "check/heap.h"

#include "base/abi/kernel_abi.h"
#include "check/findings.h"
#include "check/race/shadow.h"
#include "check/reports.h"
#include "check/settings.h"
#include "check/sites.h"
#include "device/checks.h"

#include <deque>
#include <map>
#include <mutex>

namespace heddle::check {

namespace {

/// Of what is freed and not given back.
constexpr uint64_t MostKeptBytes = 1 << 20;
constexpr size_t MostKeptBlocks = 4096, MostKnownBlocks = 1 << 16;

struct Kept {
  const void *device;
  uint8_t *base;
  uint64_t bytes, number;
};
struct Entry {
  HeapBlock block;
  uint64_t number; ///< of the allocation
};
struct Table {
  std::mutex mutex;
  std::map<uintptr_t, Entry> blocks; ///< by their start
  std::deque<Kept> kept;             ///< the oldest first
  uint64_t keptBytes = 0, allocations = 0;
};
/// Never destroyed: workers live as long as the process.
Table &table() {
  static Table &table = *new Table;
  return table;
}

uintptr_t keyOf(const void *base) { return reinterpret_cast<uintptr_t>(base); }

Note noteOf(const char *what, const Block *block, uint32_t warp, uint32_t lane,
            const AccessSite &site) {
  Finding place;
  placeFinding(place, block, warp, lane, site);
  return {what + (" by thread " + tupleText(place.thread.thread)) + " in block " +
              tupleText(place.thread.block) + " of kernel " + place.kernel,
          place.frames, 0};
}

/// Something else may have been there, in a heap that was cleared.
void forgetAt(Table &all, const uint8_t *base, uint64_t bytes) {
  auto from = all.blocks.lower_bound(keyOf(base));
  if (from != all.blocks.begin())
    if (auto before = std::prev(from); before->first + before->second.block.bytes > keyOf(base))
      from = before;
  all.blocks.erase(from, all.blocks.lower_bound(keyOf(base) + std::max<uint64_t>(bytes, 1)));
}

void noteBlock(const HeapBlock &block) {
  Table &all = table();
  std::lock_guard lock(all.mutex);
  forgetAt(all, block.base, block.bytes);
  if (all.blocks.size() < MostKnownBlocks)
    all.blocks[keyOf(block.base)] = {block, ++all.allocations};
}

/// The oldest blocks that are not to be kept, of this device; all of them if `needsRoom`.
std::vector<uint8_t *> takeOld(const void *device, bool needsRoom) {
  Table &all = table();
  std::lock_guard lock(all.mutex);
  std::vector<uint8_t *> old;
  std::deque<Kept> rest;
  for (const Kept &kept : all.kept) {
    bool isOver = all.keptBytes > MostKeptBytes || all.kept.size() - old.size() > MostKeptBlocks;
    if (kept.device != device || !(needsRoom || isOver)) {
      rest.push_back(kept);
      continue;
    }
    all.keptBytes -= kept.bytes;
    auto at = all.blocks.find(keyOf(kept.base));
    if (at != all.blocks.end() && at->second.number == kept.number)
      old.push_back(kept.base);
  }
  all.kept = std::move(rest);
  return old;
}

/// True if there was something.
bool giveBack(Block *block, bool needsRoom) {
  std::vector<uint8_t *> old = takeOld(device::deviceOfBlock(block), needsRoom);
  for (uint8_t *base : old)
    device::freeInHeap(block, base);
  return !old.empty();
}

enum class Release { Done, Twice, Invalid };

Release noteRelease(Block *block, uint8_t *base, Note note, HeapBlock &about) {
  Table &all = table();
  std::lock_guard lock(all.mutex);
  auto found = all.blocks.find(keyOf(base));
  if (found == all.blocks.end())
    return Release::Invalid;
  Entry &entry = found->second;
  about = entry.block;
  if (entry.block.isFreed)
    return Release::Twice;
  entry.block.isFreed = true;
  entry.block.freed = std::move(note);
  all.kept.push_back({device::deviceOfBlock(block), base, entry.block.bytes, entry.number});
  all.keptBytes += entry.block.bytes;
  return Release::Done;
}

void report(const Block *block, void *p, uint32_t warp, uint32_t lane, const AccessSite &site,
            Release release, const HeapBlock &about) {
  Finding finding;
  finding.tool = "memcheck";
  bool isTwice = release == Release::Twice;
  finding.kind = isTwice ? "double-free" : "invalid-free";
  finding.text = isTwice ? "Free of freed memory" : "Free of what malloc in kernels has not given";
  placeFinding(finding, block, warp, lane, site);
  finding.notes.push_back({"address " + hexadecimal(p), {}, 0});
  HeapBlock inside;
  if (isTwice)
    describeHeapBlock(about, finding.notes);
  else if (findHeapBlock(p, inside) && static_cast<uint8_t *>(p) < inside.base + inside.bytes)
    describeHeapBlock(inside, finding.notes);
  note(std::move(finding));
}

} // namespace

void *allocateInKernel(Block *block, uint64_t bytes, uint32_t warp, uint32_t lane,
                       const AccessSite *site) {
  const Services &services = *block->launch->services;
  void *base = services.allocate(block, bytes);
  if (!base && giveBack(block, true))
    base = services.allocate(block, bytes);
  if (base && settings().checks & CheckRaces) {
    GlobalShadow::get().keep(device::heapOfBlock(block));
    GlobalShadow::get().forget(keyOf(base), bytes);
  }
  if (base)
    noteBlock({static_cast<uint8_t *>(base),
               bytes,
               false,
               noteOf("allocated", block, warp, lane, *site),
               {}});
  return base;
}

void releaseInKernel(Block *block, void *p, uint32_t warp, uint32_t lane, const AccessSite *site) {
  if (!p)
    return;
  HeapBlock about;
  Release release = noteRelease(block, static_cast<uint8_t *>(p),
                                noteOf("freed", block, warp, lane, *site), about);
  if (release == Release::Done)
    giveBack(block, false);
  else if (release == Release::Invalid && device::freeInHeap(block, p))
    return; // given where nothing is noted
  else
    report(block, p, warp, lane, *site, release, about);
}

bool findHeapBlock(const void *address, HeapBlock &block) {
  Table &all = table();
  std::lock_guard lock(all.mutex);
  auto behind = all.blocks.upper_bound(keyOf(address));
  if (behind == all.blocks.begin())
    return false;
  block = std::prev(behind)->second.block;
  return true;
}

void describeHeapBlock(const HeapBlock &block, std::vector<Note> &notes) {
  notes.push_back(block.allocated);
  if (block.isFreed)
    notes.push_back(block.freed);
}

} // namespace heddle::check
