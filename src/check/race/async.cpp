// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies to shared memory that a thread begins and waits for later (cp.async). They are done at once
// here, but until the thread has waited for them its own accesses and those of others race with
// them. From then on they are a write of the thread's, which other threads need a barrier behind.
//
// Bulk copies (cp.async.bulk) to shared memory end when anybody looks at the mbarrier that they tell
// so. Those from shared memory are waited for in groups, as cp.async; writes race with them.
//
// Each word has the copy that is under way to it or from it. cp.async that tells an mbarrier when it is
// done counts as waited for. What cp.async reads is not looked at.
#include "check/race/async.h"

#include "base/abi/async_step.h"
#include "base/abi/kernel_abi.h"
#include "check/findings.h"
#include "check/race/race.h"
#include "check/sites.h"
#include "check/sync_places.h"
#include "device/checks.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace heddle::check {

namespace {

constexpr uint64_t AllCopies = ~uint64_t(0), WordBytes = 4;

struct UnderWay {
  uint32_t thread;
  const SyncSite *site;
  bool isRead = false;   ///< by the copy
  uintptr_t barrier = 0; ///< that is told of its end
};
/// Of a thread.
struct Copies {
  struct Word {
    uintptr_t address;
    uint64_t group;
    const SyncSite *site;
  };
  std::vector<Word> words;
  uint64_t group = 0;    ///< that is not committed yet
  uintptr_t barrier = 0; ///< that the thread's next bulk copy tells
};
/// A block, as long as it runs.
struct BlockCopies {
  uint64_t launch = 0;
  uint32_t index[3] = {};
  std::unordered_map<uintptr_t, UnderWay> words;
  std::unordered_map<uint32_t, Copies> threads, bulk;
  std::unordered_map<uintptr_t, std::vector<uintptr_t>> told; ///< words, by the mbarrier
};

/// Never destroyed.
struct Running {
  std::mutex mutex;
  std::unordered_map<const Block *, BlockCopies> blocks;
  std::unordered_map<const SyncSite *, AccessSite *> sites; ///< what copies of each are as accesses
  std::atomic<bool> any = false;
};
Running &running() {
  static Running &all = *new Running;
  return all;
}

/// With the lock. Null if it has none.
BlockCopies *copiesOf(const Block *block) {
  auto at = running().blocks.find(block);
  if (at == running().blocks.end())
    return nullptr;
  BlockCopies &all = at->second;
  bool isOwn = all.launch == block->launch->launchId &&
               std::equal(block->blockIdx, block->blockIdx + 3, all.index);
  return isOwn ? &all : nullptr;
}

BlockCopies &beginCopies(const Block *block) {
  if (BlockCopies *known = copiesOf(block))
    return *known;
  BlockCopies &all = running().blocks[block];
  all = {};
  all.launch = block->launch->launchId;
  std::copy(block->blockIdx, block->blockIdx + 3, all.index);
  running().any = true;
  return all;
}

/// What the thread writes as it has waited. With the lock.
void record(Block *block, uint32_t warp, uint32_t lane, const std::vector<Copies::Word> &words) {
  static const AccessSite none = {};
  for (const Copies::Word &word : words) {
    AccessSite *&site = running().sites[word.site];
    if (!site) {
      site = new AccessSite(none);
      site->frames = word.site->frames;
      site->frameCount = word.site->frameCount;
      site->bytes = WordBytes;
      site->kind = AccessKind::Write;
      site->space = AccessSpace::Shared;
    }
    raceOfRun(block, warp, 1u << lane, site, reinterpret_cast<uint8_t *>(word.address), 0,
              WordBytes, nullptr);
  }
}

/// The access of one lane that meets a copy.
bool meets(const BlockCopies &copies, const uint8_t *at, uint64_t length, bool isRead,
           UnderWay &found) {
  auto first = reinterpret_cast<uintptr_t>(at) / WordBytes * WordBytes;
  for (uintptr_t word = first; word < reinterpret_cast<uintptr_t>(at) + length; word += WordBytes)
    if (auto known = copies.words.find(word);
        known != copies.words.end() && !(isRead && known->second.isRead)) {
      found = known->second;
      return true;
    }
  return false;
}

template <typename At>
void look(Block *block, uint32_t warp, uint32_t lanes, const AccessSite &site, uint64_t length,
          At at) {
  if (!running().any.load(std::memory_order_relaxed) || site.order & OrderMaybeUnused)
    return;
  uint32_t wrong = 0;
  UnderWay first = {}, found;
  {
    std::lock_guard lock(running().mutex);
    const BlockCopies *copies = copiesOf(block);
    if (!copies || copies->words.empty())
      return;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
      auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
      if (!meets(*copies, at(lane), length, site.kind == AccessKind::Read, found))
        continue;
      if (!wrong)
        first = found;
      wrong |= 1u << lane;
    }
  }
  if (!wrong)
    return;
  Finding finding;
  finding.tool = "racecheck";
  finding.kind = "race-asynchronous-copy";
  finding.text = std::string("Race between asynchronous copy and ") +
                 (site.kind == AccessKind::Read ? "read" : "write") + " of shared memory" +
                 (site.variable ? " '" + std::string(site.variable) + "'" : "");
  placeFinding(finding, block, warp, static_cast<uint32_t>(__builtin_ctz(wrong)), site);
  finding.threads = static_cast<uint32_t>(__builtin_popcount(wrong));
  finding.notes.push_back({"the copy by thread " + threadText(block, first.thread) +
                               (first.barrier ? ", whose mbarrier nobody has looked at"
                                              : ", which has not waited for it"),
                           framesOf(*first.site)});
  note(std::move(finding));
}

/// With the lock.
void begin(BlockCopies &all, Copies &own, const UnderWay &copy, Bounds where) {
  auto first = reinterpret_cast<uintptr_t>(where.low);
  for (uintptr_t at = first; at < first + where.bytes; at += WordBytes) {
    all.words[at] = copy;
    if (copy.barrier)
      all.told[copy.barrier].push_back(at);
    else
      own.words.push_back({at, own.group, copy.site});
  }
}

} // namespace

void beginBulkCopy(Block *block, uint32_t thread, const SyncSite *site, uintptr_t barrier,
                   const std::vector<Bounds> &places) {
  std::lock_guard lock(running().mutex);
  BlockCopies &all = beginCopies(block);
  for (const Bounds &place : places)
    if (static_cast<uint64_t>(place.low - block->shared) < block->launch->sharedBytes)
      begin(all, all.bulk[thread], {thread, site, barrier == 0, barrier}, place);
}

void atAsyncCopy(Block *block, uint32_t warp, uint32_t lanes, SyncStep step, uint8_t *const *to,
                 const uint64_t *numbers, const SyncSite *site) {
  std::vector<std::pair<uint32_t, std::vector<Copies::Word>>> done; // by lane
  std::lock_guard lock(running().mutex);
  BlockCopies &all = beginCopies(block);
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
    uint32_t thread = warp * device::lanesOf(block->launch) + lane;
    auto kind = static_cast<AsyncStep>(numbers[MostCheckedLanes + lane]);
    bool isBulk = kind >= AsyncStep::BulkReads;
    Copies &own = (isBulk ? all.bulk : all.threads)[thread];
    auto first = reinterpret_cast<uintptr_t>(to[lane]);
    uint64_t offset = first - reinterpret_cast<uintptr_t>(block->shared);
    if (step == SyncStep::AsyncCopiesCommit)
      ++own.group;
    if (kind == AsyncStep::BulkBarrier)
      own.barrier = first;
    else if (step == SyncStep::AsyncCopyBegins && offset < block->launch->sharedBytes)
      begin(all, own,
            {thread, site, kind == AsyncStep::BulkReads,
             kind == AsyncStep::BulkWrites ? own.barrier : 0},
            {to[lane], numbers[lane]});
    if (step != SyncStep::AsyncCopiesWait)
      continue;
    uint64_t kept = std::min(numbers[lane], own.group);
    uint64_t end = numbers[lane] == AllCopies ? own.group + 1 : own.group - kept;
    std::vector<Copies::Word> over, left;
    for (const Copies::Word &word : own.words)
      (word.group < end ? over : left).push_back(word);
    own.words = std::move(left);
    for (const Copies::Word &word : over)
      if (auto at = all.words.find(word.address);
          at != all.words.end() && at->second.thread == thread)
        all.words.erase(at);
    if (numbers[lane] != AllCopies && !isBulk)
      done.emplace_back(lane, std::move(over));
  }
  for (auto &[lane, words] : done)
    record(block, warp, lane, words);
}

void endCopiesToldTo(Block *block, uint32_t lanes, uint8_t *const *barriers) {
  if (!running().any.load(std::memory_order_relaxed))
    return;
  std::lock_guard lock(running().mutex);
  BlockCopies *all = copiesOf(block);
  for (uint32_t rest = all ? lanes : 0; rest; rest &= rest - 1) {
    auto told = all->told.extract(reinterpret_cast<uintptr_t>(barriers[__builtin_ctz(rest)]));
    if (!told)
      continue;
    for (uintptr_t word : told.mapped())
      if (auto at = all->words.find(word);
          at != all->words.end() && at->second.barrier == told.key())
        all->words.erase(at);
  }
}

void lookForCopiesUnderWay(Block *block, uint32_t warp, uint32_t lanes, const AccessSite &site,
                           uint8_t *first, int64_t stride, uint64_t length) {
  look(block, warp, lanes, site, length,
       [&](uint32_t lane) { return first + static_cast<int64_t>(lane) * stride; });
}

void lookForCopiesUnderWay(Block *block, uint32_t warp, uint32_t lanes, const AccessSite &site,
                           uint8_t *const *pointers, uint64_t length) {
  look(block, warp, lanes, site, length, [&](uint32_t lane) { return pointers[lane]; });
}

} // namespace heddle::check
