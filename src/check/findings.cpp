// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thread comes first depends on the workers, so a finding is not told before its launch is
// over: then the thread with the lowest number stands for all. In later launches the same finding
// only counts.
//
// `heddle check` learns of findings from a file (records.h), which each process appends to when it
// tells one, so that nothing is lost when it crashes. Without `heddle check` the process itself sums
// up and writes files at its end.
#include "check/findings.h"

#include "check/output.h"
#include "check/records.h"
#include "check/settings.h"
#include "check/suppressions.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include <unistd.h>

namespace heddle::check {

namespace {

/// What was found in this process. Never destroyed: programs go on behind main.
struct Store {
  std::mutex mutex;
  struct Entry {
    Finding finding;
    uint64_t number = 0; ///< from 1 on, in the order in which they are told; 0: not yet
    uint64_t toldThreads = 0, toldTimes = 0;
    bool isSuppressed = false;
  };
  std::map<std::string, Entry> all;
  std::vector<std::string> order; ///< keys, as they were told
};

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

/// With the store's lock.
void tellNew(Store &store) {
  std::string text, records;
  for (Store::Entry *entry : freshOf(store)) {
    const Finding &finding = entry->finding;
    store.order.push_back(finding.key());
    entry->number = store.order.size();
    entry->toldThreads = finding.threads, entry->toldTimes = finding.times;
    noteRecord(recordOf(static_cast<uint32_t>(getpid()), entry->number, finding));
    if (entry->number <= settings().printLimit)
      text += textOf(finding, isColored());
    else if (entry->number == settings().printLimit + 1)
      text += "========= (more errors are only counted: --print-limit)\n";
  }
  if (!text.empty() && !settings().asXml)
    tellText(text);
}

void noteCounts(const Store &store) {
  for (const std::string &key : store.order) {
    const Store::Entry &entry = store.all.at(key);
    const Finding &finding = entry.finding;
    if (finding.threads != entry.toldThreads || finding.times != entry.toldTimes)
      noteRecord(countRecordOf(static_cast<uint32_t>(getpid()), entry.number, finding.threads,
                               finding.times));
  }
}

} // namespace

void note(Finding finding) {
  if (!settings().deviceStacks && !finding.kernel.empty() && finding.frames.size() > 1)
    finding.frames.resize(1);
  Store &all = store();
  std::lock_guard lock(all.mutex);
  auto [at, isNew] = all.all.try_emplace(finding.key());
  Store::Entry &entry = at->second;
  if (isNew) {
    entry.isSuppressed = isSuppressed(finding, suppressions());
    entry.finding = std::move(finding);
    if (!entry.finding.hasThread)
      tellNew(all);
    return;
  }
  uint64_t threads = entry.finding.threads + finding.threads;
  uint64_t times = entry.finding.times + finding.times;
  if (!entry.number && finding.hasThread && finding.thread < entry.finding.thread)
    entry.finding = std::move(finding);
  entry.finding.threads = threads;
  entry.finding.times = times;
}

void tellFindings() {
  Store &all = store();
  std::lock_guard lock(all.mutex);
  tellNew(all);
}

void summarize() {
  Store &all = store();
  std::lock_guard lock(all.mutex);
  tellNew(all);
  noteCounts(all);
  if (isPartOfACheck())
    return;
  std::vector<Finding> findings;
  for (const std::string &key : all.order)
    findings.push_back(all.all.at(key).finding);
  conclude(settings(), findings, getpid());
}

} // namespace heddle::check
