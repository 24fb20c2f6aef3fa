// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thread comes first depends on the workers, so a finding is not told before its launch is
// over: then the thread with the lowest number stands for all. In later launches the same finding
// only counts.
//
// The text comes a little later, in the next call of the API, on a thread of the program: only there
// the call stacks of host code can be looked up. `heddle check` learns of findings from a file
// (records.h), which each process appends to when the launch is over, so that nothing is lost when it
// crashes: what the process could not tell any more, `heddle check` tells. Without `heddle check` the
// process itself sums up and writes files at its end.
#include "check/findings.h"

#include "check/host_stack.h"
#include "check/output.h"
#include "check/records.h"
#include "check/settings.h"
#include "check/suppressions.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include <unistd.h>

namespace heddle::check {

namespace {

/// What was found in this process. Never destroyed: programs go on behind main.
struct Store {
  std::mutex mutex;
  struct Entry {
    Finding finding;
    uint64_t number = 0; ///< from 1 on, in the order in which they are told; 0: not settled
    uint64_t notedThreads = 0, notedTimes = 0;
    bool isSuppressed = false;
  };
  std::map<std::string, Entry> all;
  std::vector<std::string> order; ///< keys, as they are told
  size_t told = 0;                ///< of these
  bool isConcluded = false;
};

/// Some are settled and not told.
std::atomic<bool> hasToTell = false;

Store &store() {
  static Store &store = *new Store;
  return store;
}

/// Those that are new, in an order of their own.
std::vector<Store::Entry *> freshOf(Store &store) {
  std::vector<Store::Entry *> fresh;
  for (auto &[key, entry] : store.all)
    if (!entry.number && !entry.isSuppressed)
      fresh.push_back(&entry);
  std::sort(fresh.begin(), fresh.end(), [](auto *a, auto *b) {
    return std::pair(a->finding.thread, a->finding.key()) <
           std::pair(b->finding.thread, b->finding.key());
  });
  return fresh;
}

void noteRecordOf(Store::Entry &entry) {
  entry.notedThreads = entry.finding.threads, entry.notedTimes = entry.finding.times;
  noteRecord(recordOf(static_cast<uint32_t>(getpid()), entry.number, entry.finding));
}

/// With the store's lock.
void settle(Store &store) {
  for (Store::Entry *entry : freshOf(store)) {
    store.order.push_back(entry->finding.key());
    entry->number = store.order.size();
    noteRecordOf(*entry);
    hasToTell.store(true, std::memory_order_release);
  }
}

/// Looks up the call stacks that a finding shows.
void complete(Finding &finding) {
  if (finding.launch) {
    std::string api = apiNameOf(finding.launch);
    if (api.empty() && isInKernel(finding.launch))
      api = "a kernel";
    finding.notes.push_back({"launched" + (api.empty() ? "" : " by " + api), {}, finding.launch});
  }
  finding.launch = 0;
  for (Note &note : finding.notes)
    if (note.stack)
      note.frames = framesOfStack(std::exchange(note.stack, 0));
}

/// With the store's lock.
void tellSettled(Store &store) {
  hasToTell.store(false, std::memory_order_relaxed);
  std::string text, records;
  for (; store.told < store.order.size(); ++store.told) {
    Store::Entry &entry = store.all.at(store.order[store.told]);
    complete(entry.finding);
    noteRecordOf(entry);
    if (entry.number <= settings().printLimit)
      text += textOf(entry.finding, isColored());
    else if (entry.number == settings().printLimit + 1)
      text += "========= (more errors are only counted: --print-limit)\n";
    records += toldRecordOf(static_cast<uint32_t>(getpid()), entry.number);
  }
  if (!text.empty() && !settings().asXml)
    tellText(text);
  if (!records.empty())
    noteRecord(records);
}

void noteCounts(const Store &store) {
  for (const std::string &key : store.order) {
    const Store::Entry &entry = store.all.at(key);
    const Finding &finding = entry.finding;
    if (finding.threads != entry.notedThreads || finding.times != entry.notedTimes)
      noteRecord(countRecordOf(static_cast<uint32_t>(getpid()), entry.number, finding.threads,
                               finding.times));
  }
}

} // namespace

static std::atomic<uint64_t> noted = 0;

uint64_t notedFindings() { return noted.load(std::memory_order_relaxed); }

void note(Finding finding) {
  noted.fetch_add(1, std::memory_order_relaxed);
  if (finding.isInfo && !settings().showsInfos)
    return;
  if (!settings().deviceStacks && !finding.kernel.empty() && finding.frames.size() > 1)
    finding.frames.resize(1);
  Store &all = store();
  std::lock_guard lock(all.mutex);
  auto [at, isNew] = all.all.try_emplace(finding.key());
  Store::Entry &entry = at->second;
  if (isNew) {
    entry.isSuppressed = isSuppressed(finding, suppressions());
    entry.finding = std::move(finding);
    if (!entry.finding.hasThread && !entry.isSuppressed) {
      settle(all);
      tellSettled(all);
    }
    return;
  }
  uint64_t threads = entry.finding.threads + finding.threads;
  uint64_t times = entry.finding.times + finding.times;
  if (!entry.number && finding.hasThread && finding.thread < entry.finding.thread)
    entry.finding = std::move(finding);
  entry.finding.threads = threads;
  entry.finding.times = times;
}

void settleFindings() {
  Store &all = store();
  std::lock_guard lock(all.mutex);
  settle(all);
}

bool hasFindingsToTell() { return hasToTell.load(std::memory_order_acquire); }

void tellFindings() {
  Store &all = store();
  std::lock_guard lock(all.mutex);
  tellSettled(all);
}

void summarize() {
  Store &all = store();
  std::lock_guard lock(all.mutex);
  settle(all);
  tellSettled(all);
  noteCounts(all);
  if (isPartOfACheck() || std::exchange(all.isConcluded, true))
    return;
  std::vector<Finding> findings;
  for (const std::string &key : all.order)
    findings.push_back(all.all.at(key).finding);
  conclude(settings(), findings, getpid());
}

} // namespace heddle::check
