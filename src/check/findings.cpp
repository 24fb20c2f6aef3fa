// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thread comes first depends on the workers, so a finding is not told before its launch is
// over: then the thread with the lowest number stands for all. In later launches the same finding
// only counts.
#include "check/findings.h"

#include "base/messages/messages.h"
#include "check/settings.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include <fcntl.h>
#include <unistd.h>

namespace heddle::check {

bool Thread::operator<(const Thread &other) const {
  auto order = [](const Thread &t) {
    return std::tuple(t.block[2], t.block[1], t.block[0], t.thread[2], t.thread[1], t.thread[0]);
  };
  return order(*this) < order(other);
}

std::string Finding::key() const {
  std::string key = std::string(kind) + '\n' + kernel;
  for (const Frame &frame : frames)
    key +=
        '\n' + frame.file + ':' + std::to_string(frame.line) + ':' + std::to_string(frame.column);
  return key;
}

namespace {

/// What was found in this process. Never destroyed: programs go on behind main.
struct Store {
  std::mutex mutex;
  struct Entry {
    Finding finding;
    bool isTold = false;
  };
  std::map<std::string, Entry> all;
  std::vector<std::string> order; ///< keys, as they were told
  uint64_t told = 0;
};

Store &store() {
  static Store &store = *new Store;
  return store;
}

void write(const std::string &text) {
  const std::string &path = settings().logFile;
  static const int file =
      path.empty() ? -1 : open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0)
    return tell(text);
  for (size_t at = 0; at < text.size();) {
    ssize_t done = ::write(file, text.data() + at, text.size() - at);
    if (done <= 0)
      return;
    at += static_cast<size_t>(done);
  }
}

/// With the store's lock.
void tellNew(Store &store) {
  std::vector<Store::Entry *> fresh;
  for (auto &[key, entry] : store.all)
    if (!entry.isTold)
      fresh.push_back(&entry);
  std::sort(fresh.begin(), fresh.end(), [](auto *a, auto *b) {
    return std::pair(a->finding.thread, a->finding.key()) <
           std::pair(b->finding.thread, b->finding.key());
  });
  std::string text;
  for (Store::Entry *entry : fresh) {
    entry->isTold = true;
    store.order.push_back(entry->finding.key());
    if (store.told++ < settings().printLimit)
      text += textOf(entry->finding);
    else if (store.told == settings().printLimit + 1)
      text += "========= (more errors are only counted: --print-limit)\n";
  }
  if (!text.empty())
    write(text);
}

} // namespace

void note(Finding finding) {
  Store &all = store();
  std::lock_guard lock(all.mutex);
  auto [at, isNew] = all.all.try_emplace(finding.key());
  Store::Entry &entry = at->second;
  if (isNew) {
    entry.finding = std::move(finding);
    if (!entry.finding.hasThread)
      tellNew(all);
    return;
  }
  uint64_t threads = entry.finding.threads + finding.threads;
  if (!entry.isTold && finding.hasThread && finding.thread < entry.finding.thread)
    entry.finding = std::move(finding);
  entry.finding.threads = threads;
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
  uint64_t count = all.order.size();
  write("========= ERROR SUMMARY: " + std::to_string(count) +
        (count == 1 ? " error\n" : " errors\n"));
}

} // namespace heddle::check
