// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/race/may_write.h"

#include <memory>
#include <mutex>
#include <unordered_map>

namespace heddle::check {

namespace {

struct Write {
  AccessSite site;
  const AccessSite *read;
};

/// Never destroyed: workers run on.
const Write *find(const AccessSite *read) {
  struct All {
    std::mutex mutex;
    std::unordered_map<const AccessSite *, Write> writes;
  };
  static All &all = *new All;
  std::lock_guard lock(all.mutex);
  auto [at, isNew] = all.writes.try_emplace(read, Write{*read, read});
  at->second.site.kind = AccessKind::Write;
  return &at->second;
}

} // namespace

const AccessSite *writeOf(const AccessSite *read) {
  constexpr unsigned Kept = 64;
  struct Pair {
    const AccessSite *read;
    const Write *write;
  };
  // Not in the library's own thread storage, of which there is little for libraries that come late.
  thread_local const std::unique_ptr<Pair[]> kept(new Pair[Kept]{});
  Pair &pair = kept[reinterpret_cast<uintptr_t>(read) / 32 % Kept];
  if (pair.read != read)
    pair = {read, find(read)};
  return &pair.write->site;
}

const AccessSite *inSource(const AccessSite *site) {
  bool isMade = site->kind == AccessKind::Write && site->order & OrderMayWrite;
  return isMade ? reinterpret_cast<const Write *>(site)->read : site;
}

} // namespace heddle::check
