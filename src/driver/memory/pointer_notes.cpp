// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/memory/pointer_notes.h"

#include "driver/memory/memory.h"
#include "driver/memory/virtual.h"
#include "driver/rooms.h"

#include <atomic>
#include <mutex>
#include <unordered_map>

namespace heddle::driver {

namespace {

struct Note {
  uint64_t id = 0;
  bool isSynchronous = false;
};

} // namespace

struct PointerNotes {
  std::mutex mutex; ///< guards what follows
  std::unordered_map<const void *, Note> notes;
  uint64_t lastId = 0;
};

namespace {

PointerNotes &table() { return rooms().pointerNotes.get(); }

std::atomic<size_t> noteCount = 0; ///< those in the table

/// With the table's mutex held.
Note &noteOf(const void *base) {
  Note &note = table().notes[base];
  if (!note.id)
    note.id = ++table().lastId;
  noteCount = table().notes.size();
  return note;
}

} // namespace

const void *notedAt(const void *p) {
  device::cpu::Allocation a;
  if (device::cpu::Allocator::get().find(p, a) && Tag::unpack(a.use.tag).owner == Owner::Virtual)
    return mappedAt(p).memory.get();
  return lookUp(p).base;
}

uint64_t bufferId(const void *base) {
  std::lock_guard lock(table().mutex);
  return noteOf(base).id;
}

bool anySynchronous() { return noteCount.load(std::memory_order_relaxed) != 0; }

bool isSynchronous(const void *base) {
  std::lock_guard lock(table().mutex);
  auto found = table().notes.find(base);
  return found != table().notes.end() && found->second.isSynchronous;
}

void setSynchronous(const void *base, bool on) {
  std::lock_guard lock(table().mutex);
  noteOf(base).isSynchronous = on;
}

void forgetNotes(const void *base) {
  if (!noteCount.load(std::memory_order_relaxed)) [[likely]]
    return;
  std::lock_guard lock(table().mutex);
  table().notes.erase(base);
  noteCount = table().notes.size();
}

} // namespace heddle::driver
