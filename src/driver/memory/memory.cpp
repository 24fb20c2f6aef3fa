// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accounts for memory. Addresses come from device::cpu::Allocator, which knows nothing of CUDA;
// here each allocation is charged to its device, so that a k20 is full after 5 GB.
#include "driver/memory/memory.h"

#include "check/init/init.h"

#include "driver/boards/board.h"
#include "driver/memory/explain.h"
#include "driver/memory/pointer_notes.h"
#include "driver/memory/pool.h"
#include "driver/modules/module.h"

namespace heddle::driver {

using device::cpu::Allocation;
using device::cpu::Allocator;
using device::cpu::MemoryKind;
using device::cpu::MemoryUse;

namespace {

/// What an allocation takes from its device: CUDA's smallest unit.
size_t charged(size_t bytes) { return (bytes + 511) / 512 * 512; }

/// Whether a device is charged with it.
bool counts(MemoryKind kind, Owner owner) {
  return kind != MemoryKind::PinnedHost && owner != Owner::Ipc && owner != Owner::External &&
         owner != Owner::ImportedPool && owner != Owner::Graph && owner != Owner::Virtual;
}

cudaMemoryType typeOf(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::Device:
    return cudaMemoryTypeDevice;
  case MemoryKind::Managed:
    return cudaMemoryTypeManaged;
  case MemoryKind::PinnedHost:
    return cudaMemoryTypeHost;
  }
  return cudaMemoryTypeUnregistered;
}

PointerInfo lookUpRegistered(const void *p) {
  MemoryTable &table = memoryTable();
  std::shared_lock lock(table.mutex);
  auto next = table.registered.upper_bound(reinterpret_cast<uintptr_t>(p));
  if (next == table.registered.begin())
    return {};
  auto &[start, range] = *std::prev(next);
  if (reinterpret_cast<uintptr_t>(p) - start >= range.bytes)
    return {};
  return {cudaMemoryTypeHost, range.device, range.flags, reinterpret_cast<uint8_t *>(start),
          range.bytes,        true,         false};
}

bool findAllocation(const void *p, device::AllocationInfo &info) {
  if (!Allocator::get().nearest(p, info))
    return false;
  Allocation a;
  if (Allocator::get().find(info.base, a) && Tag::unpack(a.use.tag).owner == Owner::Module)
    info.variables = variablesNear(info.base, p);
  return true;
}

} // namespace

PointerInfo lookUp(const void *p) {
  Allocation a;
  if (Allocator::get().find(p, a)) {
    Tag tag = Tag::unpack(a.use.tag);
    const unsigned flags = tag.owner == Owner::User ? tag.value : 0;
    return {typeOf(a.use.kind), a.use.device, flags, a.base, a.bytes, false, false};
  }
  if (Allocator::get().owns(p)) {
    PointerInfo nothing;
    nothing.stale = true;
    return nothing;
  }
  void *variable;
  size_t bytes;
  if (findManagedVariable(p, variable, bytes))
    return {cudaMemoryTypeManaged,
            0,
            cudaMemAttachGlobal,
            static_cast<uint8_t *>(variable),
            bytes,
            false,
            false};
  if (memoryTable().registeredCount.load(std::memory_order_acquire))
    return lookUpRegistered(p);
  return {};
}

namespace {

/// Takes bytes of what other processes leave. Two processes that take the last bytes at the same time may both fail.
bool takeFrom(size_t total, size_t bytes, std::atomic<size_t> &used) {
  size_t before = used.load(std::memory_order_relaxed);
  do {
    if (bytes > total || before > total - bytes)
      return false;
  } while (!used.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
  return true;
}

/// What others use is seen by its entry, which all calls that take memory have made.
size_t leftByOthers(const Context &device, bool certain) {
  const size_t total = totalMemory(device);
  const Ledger::Entry *entry = primaryOf(device).entry.load(std::memory_order_acquire);
  if (!entry)
    return total;
  Ledger &ledger = Ledger::get();
  return total -
         std::min(total, certain ? ledger.usedByOthersNow(*entry) : ledger.usedByOthers(*entry));
}

void showUse(Context &device, size_t bytes) {
  if (Ledger::Entry *entry = primaryOf(device).entry.load(std::memory_order_acquire))
    entry->used.fetch_add(bytes, std::memory_order_relaxed);
}

} // namespace

bool chargeMemory(Context &device, size_t bytes) {
  std::atomic<size_t> &used = memoryTable().used[device.ordinal];
  bytes = charged(bytes);
  if (!takeFrom(leftByOthers(device, false), bytes, used) &&
      !takeFrom(leftByOthers(device, true), bytes, used))
    return false;
  showUse(device, bytes);
  if (used.load(std::memory_order_relaxed) <= leftByOthers(device, false))
    return true;
  dischargeMemory(device, bytes); // another process was quicker
  return false;
}

void dischargeMemory(Context &device, size_t bytes) {
  memoryTable().used[device.ordinal].fetch_sub(charged(bytes), std::memory_order_relaxed);
  showUse(device, 0 - charged(bytes));
}

void chargeAsItIs(const void *base, size_t capacity) {
  Allocation a;
  if (Allocator::get().find(base, a) && counts(a.use.kind, Tag::unpack(a.use.tag).owner))
    dischargeMemory(contextAt(a.use.device), charged(capacity) - charged(a.bytes));
}

namespace {

/// `take(use)` within the device's size.
template <typename F>
void *takeCharged(Context &device, size_t bytes, MemoryKind kind, Tag tag, F &&take) {
  const bool isCounted = counts(kind, tag.owner);
  if (bytes > SIZE_MAX - 511 || (isCounted && !chargeMemory(device, bytes)))
    return nullptr;
  void *p = take(MemoryUse{kind, static_cast<uint8_t>(device.index), tag.pack()});
  if (!p && isCounted)
    dischargeMemory(device, bytes);
  return p;
}

void discharge(const Allocation &a) {
  if (counts(a.use.kind, Tag::unpack(a.use.tag).owner))
    dischargeMemory(contextAt(a.use.device), a.bytes);
}

} // namespace

void *takeMemory(Context &device, size_t bytes, MemoryKind kind, Tag tag) {
  auto take = [&] {
    return takeCharged(device, bytes, kind, tag,
                       [&](MemoryUse use) { return Allocator::get().allocate(bytes, use); });
  };
  void *p = take();
  if (!p && releaseIdle(device)) // what pools keep is there for all
    p = take();
  if (tag.owner == Owner::User || tag.owner == Owner::Array)
    noteTaken(p, bytes, kind);
  if (tag.owner == Owner::User && kind == MemoryKind::Device)
    check::initBegins(p, bytes);
  return p;
}

void *mapMemory(Context &device, int file, uint64_t offset, size_t bytes, MemoryKind kind,
                Tag tag) {
  return takeCharged(device, bytes, kind, tag,
                     [&](MemoryUse use) { return Allocator::get().map(file, offset, bytes, use); });
}

bool giveMemory(void *base, MemoryKind kind, Owner owner) {
  Allocation a;
  if (!Allocator::get().find(base, a) || a.base != base || a.use.kind != kind ||
      Tag::unpack(a.use.tag).owner != owner)
    return false;
  check::initEnds(base);
  if (!Allocator::get().release(base))
    return false;
  discharge(a);
  forgetNotes(base);
  noteGiven(base);
  if (kind == MemoryKind::Managed)
    forgetAdvice(a.base, a.bytes);
  return true;
}

void *takeModuleMemory(Context &device, size_t bytes, bool managed) {
  return takeMemory(device, bytes, managed ? MemoryKind::Managed : MemoryKind::Device,
                    {Owner::Module, cudaMemAttachGlobal});
}

void giveModuleMemory(void *base) {
  if (!giveMemory(base, MemoryKind::Device, Owner::Module))
    giveMemory(base, MemoryKind::Managed, Owner::Module);
}

size_t usedMemory(const Context &device) {
  return memoryTable().used[device.ordinal].load(std::memory_order_relaxed);
}

size_t freeMemory(const Context &device) {
  const size_t left = leftByOthers(device, true);
  return left - std::min(left, usedMemory(device));
}

size_t totalMemory(const Context &device) { return device.board->properties.totalGlobalMem; }

void resetMemory(Context &device) {
  resetArrays(device);
  forgetWork(device);
  if (device.isPrimary) { // they belong to the device
    resetPools(device);
    resetGraphMemory(device);
  }
  Allocator::get().releaseIf([&](const Allocation &a) {
    const Tag tag = Tag::unpack(a.use.tag);
    if (a.use.device != device.index || tag.owner == Owner::Module || tag.owner == Owner::Virtual ||
        (tag.owner == Owner::Pool && isOfNoDevice(tag.value)))
      return false;
    discharge(a);
    check::initEnds(a.base);
    forgetNotes(a.base);
    noteGiven(a.base);
    return true;
  });
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  std::erase_if(table.registered, [&](auto &entry) {
    if (entry.second.device != device.index)
      return false;
    forgetNotes(reinterpret_cast<void *>(entry.first));
    return true;
  });
  table.registeredCount = table.registered.size();
  std::erase_if(table.opened, [&](auto &entry) { return entry.second.device == device.index; });
  table.managed.clear();
}

void initializeMemory(State &s) {
  s.memory = new MemoryTable(s.devices.size());
  for (auto &device : s.devices)
    poolsOf(*s.memory,
            {CU_MEM_ALLOCATION_TYPE_PINNED, {CU_MEM_LOCATION_TYPE_DEVICE, device->ordinal}});
  device::setAllocationFinder(findAllocation);
}

} // namespace heddle::driver
