// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts. The primary context of a device is active from the first call that needs it until
// cudaDeviceReset; those that programs create from cuCtxCreate to cuCtxDestroy. A process that has
// an active context on a GPU has an entry in the ledger, where other processes see it: a device in
// an exclusive mode is theirs or ours.
#include "driver/device/context.h"

#include "driver/boards/ledger.h"
#include "driver/handle_pool.h"
#include "driver/memory/memory.h"
#include "driver/modules/module.h"
#include "driver/rooms.h"
#include "driver/streams/stream.h"
#include "driver/textures/references.h"

#include <array>

namespace heddle::driver {

/// The contexts that programs have created.
struct ContextTable {
  std::mutex mutex; ///< guards ledger entries and the making and end of contexts
  HandlePool<Context, 1u << 16> pool;
  std::array<std::atomic<Context *>, MostContexts> byIndex = {};
  uint64_t nextId = MostContexts + 1;
};

namespace {

ContextTable &table() { return rooms().contexts.get(); }

bool isPrimaryIndex(int index) { return index < static_cast<int>(state().devices.size()); }

/// The caller has the table's mutex.
CUresult activate(Context &context) {
  if (context.isActive.load(std::memory_order_relaxed))
    return CUDA_SUCCESS;
  Context &primary = primaryOf(context);
  if (!primary.entry.load(std::memory_order_relaxed)) {
    Ledger::Entry *entry = Ledger::get().enter(primary.gpu->uuid);
    if (!entry)
      return CUDA_ERROR_DEVICE_UNAVAILABLE;
    entry->used = usedMemory(primary); // a reset leaves variables where they are
    primary.entry.store(entry, std::memory_order_release);
  }
  context.isActive.store(true, std::memory_order_release);
  return CUDA_SUCCESS;
}

bool isActiveOn(const Context *context, int ordinal) {
  return context && context->ordinal == ordinal && context->isActive;
}

/// The first index of no context; none: MostContexts.
int freeIndex() {
  int index = static_cast<int>(state().devices.size());
  while (index < MostContexts && table().byIndex[index].load(std::memory_order_relaxed))
    ++index;
  return index;
}

} // namespace

Context *findContextAt(int index) {
  return isPrimaryIndex(index) ? state().devices[index].get()
                               : table().byIndex[index].load(std::memory_order_acquire);
}

Context &contextAt(int index) {
  Context *context = findContextAt(index);
  return context ? *context : *state().devices.front();
}

Context *findContext(CUcontext handle) {
  for (auto &primary : state().devices)
    if (handleOf(*primary) == handle)
      return primary.get();
  return table().pool.find(handle);
}

bool isLive(const Context &context) {
  return context.isPrimary || findContextAt(context.index) == &context;
}

CUresult makeContext(Context &context) {
  std::lock_guard guard(table().mutex);
  return activate(context);
}

void setCurrent(Context &context) { thread().current = &context; }

/// The context of an index stays until its `waits` are given back; null if there is none.
static Context *holdContext(int index) {
  std::lock_guard guard(table().mutex);
  Context *context = findContextAt(index);
  if (context)
    ++context->waits;
  return context;
}

/// Waits for the work of the context of an index, if there is one.
static void synchronizeAt(int index) {
  Context *context = findContextAt(index) ? holdContext(index) : nullptr;
  if (!context)
    return;
  context->backend->synchronize();
  --context->waits;
  context->waits.notify_all();
}

CUresult synchronizeContexts() {
  for (int index = 0; index < MostContexts; ++index)
    synchronizeAt(index);
  return stickyError(currentContext());
}

CUresult synchronizeDevice(Context &context) {
  primaryOf(context).backend->synchronize();
  for (int index = static_cast<int>(state().devices.size()); index < MostContexts; ++index)
    if (const Context *other = findContextAt(index); other && other->ordinal == context.ordinal)
      synchronizeAt(index);
  return stickyError(context);
}

void dropContext(Context &context) {
  std::lock_guard guard(table().mutex);
  context.isActive.store(false);
  for (int index = 0; index < MostContexts; ++index)
    if (isActiveOn(findContextAt(index), context.ordinal))
      return;
  if (Ledger::Entry *entry = primaryOf(context).entry.exchange(nullptr))
    Ledger::get().leave(*entry);
}

void resetContext(Context &context) {
  context.backend->synchronize();
  resetStreams(context);
  resetReferences(context);
  resetModules(context);
  context.backend->reset();
  resetMemory(context);
  context.settings = {};
  context.unlaunched = CUDA_SUCCESS;
  dropContext(context);
}

CUresult createContext(int ordinal, unsigned flags, Context *&made) {
  std::lock_guard guard(table().mutex);
  const Context &primary = *state().devices[ordinal];
  const int index = freeIndex();
  Context *context = index < MostContexts ? table().pool.create() : nullptr;
  if (!context)
    return CUDA_ERROR_OUT_OF_MEMORY;
  context->ordinal = ordinal;
  context->index = index;
  context->isPrimary = false;
  context->id = table().nextId++;
  context->backend = device::createCpuDevice();
  context->gpu = primary.gpu;
  context->board = primary.board;
  context->settings.flags = flags;
  initializeStreams(*context);
  CUresult error = context->legacy ? activate(*context) : CUDA_ERROR_OPERATING_SYSTEM;
  if (error != CUDA_SUCCESS) {
    resetStreams(*context, true);
    table().pool.destroy(context);
    return error;
  }
  table().byIndex[index].store(context, std::memory_order_release);
  made = context;
  return CUDA_SUCCESS;
}

void destroyContext(Context &context) {
  resetContext(context);
  resetStreams(context, true);
  {
    std::lock_guard guard(table().mutex);
    table().byIndex[context.index].store(nullptr, std::memory_order_release);
  }
  while (int waits = context.waits)
    context.waits.wait(waits);
  std::lock_guard guard(table().mutex);
  table().pool.destroy(&context);
}

} // namespace heddle::driver
