// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/allocations.h"

#include "check/findings.h"
#include "check/host_stack.h"
#include "check/settings.h"
#include "device/checks.h"
#include "device/launch_fault.h"

#include <atomic>
#include <deque>
#include <map>
#include <mutex>

namespace heddle::check {

namespace {

struct Freed {
  uintptr_t base;
  AllocationNote note;
};

struct Table {
  std::mutex mutex;
  std::map<uintptr_t, AllocationNote> live;
  std::deque<Freed> freed;            ///< the last ones, newest first
  std::map<uintptr_t, uint64_t> kept; ///< freed, and in which call
};
constexpr size_t MostFreed = 4096;
/// Of Table::kept, to be asked without the lock.
std::atomic<size_t> keptCount = 0;

/// Never destroyed: programs free memory behind main.
Table &table() {
  static Table &table = *new Table;
  return table;
}

uintptr_t keyOf(const void *base) { return reinterpret_cast<uintptr_t>(base); }

/// With the table's lock.
void forgetKept(Table &all, const void *base) {
  if (all.kept.erase(keyOf(base)))
    --keptCount;
}

} // namespace

void noteAllocation(const void *base, uint64_t bytes, const char *what) {
  uint32_t stack = hostStackHere();
  Table &all = table();
  std::lock_guard lock(all.mutex);
  forgetKept(all, base);
  all.live[keyOf(base)] = {bytes, what, stack, 0};
}

void noteRelease(const void *base) {
  uint32_t stack = hostStackHere();
  Table &all = table();
  std::lock_guard lock(all.mutex);
  forgetKept(all, base);
  auto found = all.live.find(keyOf(base));
  if (found == all.live.end())
    return;
  found->second.isFreed = true;
  found->second.freed = stack;
  all.freed.push_front({found->first, found->second});
  all.live.erase(found);
  if (all.freed.size() > MostFreed)
    all.freed.pop_back();
}

void noteKept(const void *base) {
  noteRelease(base);
  Table &all = table();
  std::lock_guard lock(all.mutex);
  if (all.kept.try_emplace(keyOf(base), device::numberCall()).second)
    ++keptCount;
}

void noteVariable(const void *base) {
  Table &all = table();
  std::lock_guard lock(all.mutex);
  if (auto found = all.live.find(keyOf(base)); found != all.live.end())
    found->second.isVariable = true;
}

bool isGone(const void *base, uint64_t call) {
  if (!keptCount.load(std::memory_order_relaxed))
    return false;
  Table &all = table();
  std::lock_guard lock(all.mutex);
  auto found = all.kept.find(keyOf(base));
  return found != all.kept.end() && found->second < call;
}

bool findAllocationNote(const void *base, AllocationNote &note) {
  Table &all = table();
  std::lock_guard lock(all.mutex);
  if (auto found = all.live.find(keyOf(base)); found != all.live.end()) {
    note = found->second;
    return true;
  }
  for (const Freed &freed : all.freed)
    if (freed.base == keyOf(base)) {
      note = freed.note;
      return true;
    }
  return false;
}

bool findFreedAllocation(const void *address, const void *&base, AllocationNote &note) {
  Table &all = table();
  std::lock_guard lock(all.mutex);
  for (const Freed &freed : all.freed)
    if (keyOf(address) - freed.base < freed.note.bytes) {
      base = reinterpret_cast<const void *>(freed.base);
      note = freed.note;
      return true;
    }
  return false;
}

void describeAllocation(const AllocationNote &note, std::vector<Note> &notes) {
  auto add = [&](const char *what, uint32_t stack) {
    std::string api = apiNameOf(stack);
    notes.push_back({what + (api.empty() ? "" : " by " + api), {}, stack});
  };
  if (note.allocated)
    add("allocated", note.allocated);
  if (note.freed)
    add("freed", note.freed);
}

void reportLeaks() {
  if (!settings().findsLeaks || device::lostLaunch().fault != device::Fault::None)
    return; // nothing can be freed any more when a kernel has lost the context
  Table &all = table();
  std::map<uintptr_t, AllocationNote> live;
  {
    std::lock_guard lock(all.mutex);
    live = all.live;
  }
  for (const auto &[base, note] : live) {
    if (note.isVariable)
      continue;
    Finding finding;
    finding.tool = "memcheck", finding.kind = "leak";
    finding.text = "Leaked " + counted(note.bytes, "byte") + " of " + note.what + " memory";
    finding.frames = framesOfStack(note.allocated);
    if (std::string api = apiNameOf(note.allocated); !api.empty())
      finding.notes.push_back({"allocated by " + api + ", and not freed at the end", {}});
    check::note(std::move(finding));
  }
}

void prepareLeaks() {
  if (!settings().findsLeaks)
    return;
  Table &all = table();
  std::lock_guard lock(all.mutex);
  for (const auto &[base, note] : all.live)
    if (!note.isVariable)
      framesOfStack(note.allocated);
}

} // namespace heddle::check
