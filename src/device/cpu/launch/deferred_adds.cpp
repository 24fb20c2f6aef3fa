// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runner's part of additions that a worker keeps until it leaves the launch
// (simt/thread/privatize_atomics.cpp): whether they may be kept in this launch, of which arrays
// the worker keeps copies, and how the sums get to memory.
#include "device/cpu/launch/launch_run.h"
#include "device/cpu/memory/allocator.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace heddle::device::cpu {

namespace {

/// What the i-th of the kernel's DeferredObjects points into; false if it is no allocation of ours.
bool findObject(const Launch &launch, const DeferredObjects *objects, uint32_t i,
                Allocation &found) {
  const void *pointer = launch.globals;
  if (objects->words[i] != DeferredObjects::Globals)
    std::memcpy(&pointer, launch.params + objects->words[i], sizeof(pointer));
  return Allocator::get().find(pointer, found);
}

/// Nothing that the kernel touches lies in an allocation that it has deferred sums in.
bool liesApart(const Launch &launch, const DeferredObjects *objects) {
  Allocation sums, other;
  for (uint32_t i = 0; objects && i < objects->sums; ++i) {
    bool isKnown = findObject(launch, objects, i, sums);
    for (uint32_t j = objects->sums; j < objects->sums + objects->others; ++j)
      if (!isKnown || !findObject(launch, objects, j, other) || sums.base == other.base)
        return false;
  }
  return true;
}

uint64_t bytesOf(DeferredKind kind) {
  return kind == DeferredKind::Int32 || kind == DeferredKind::Float ? 4 : 8;
}

/// Whether there are enough threads for a worker to go through the copy of an array at the end. A
/// small one is worth it in any case; a large one would not stay in the worker's cache.
bool isWorthCopy(uint64_t bytes, uint64_t elements, const Launch &launch) {
  constexpr uint64_t Small = 16 << 10, Large = 1 << 20;
  uint64_t threads = 1;
  for (uint32_t size : {launch.gridDim[0], launch.gridDim[1], launch.gridDim[2], launch.blockDim[0],
                        launch.blockDim[1], launch.blockDim[2]})
    threads *= size;
  return bytes <= Small || (bytes <= Large && threads / Engine::get().workerCount() >= elements);
}

/// The copy of what the launch's i-th sums point into, or none.
void bindWhole(DeferredWhole &whole, const Launch &launch, const DeferredObjects *objects,
               uint32_t i) {
  Allocation sums;
  whole.elements = 0;
  if (!objects || i >= objects->sums || objects->kind(i) == DeferredKind::None ||
      !findObject(launch, objects, i, sums))
    return;
  uint64_t elements = sums.bytes / bytesOf(objects->kind(i));
  if (!isWorthCopy(sums.bytes, elements, launch))
    return;
  if (whole.bytes < sums.bytes) {
    std::free(whole.copy);
    whole.copy = std::calloc(sums.bytes, 1);
    whole.bytes = whole.copy ? sums.bytes : 0;
  }
  whole.base = reinterpret_cast<uint64_t>(sums.base);
  whole.elements = whole.copy ? elements : 0;
}

} // namespace

void bindDeferred(Worker &worker, const Launch &launch) {
  const KernelCode &code = *worker.form->code;
  if (code.deferred == DeferredKind::None)
    return;
  if (!worker.deferred)
    worker.deferred = new DeferredAdds();
  DeferredAdds &adds = *worker.deferred;
  bool apart = liesApart(launch, code.deferredObjects);
  adds.evictions = apart ? 0 : DeferredEvictions;
  for (uint32_t i = 0; i < MostDeferredWholes; ++i)
    bindWhole(adds.wholes[i], launch, apart ? code.deferredObjects : nullptr, i);
}

namespace {

template <typename T> void addTo(uint64_t address, T value) {
  std::atomic_ref<T>(*reinterpret_cast<T *>(address)).fetch_add(value, std::memory_order_relaxed);
}

template <typename T> void addUpCells(DeferredAdds &adds) {
  const T *values = reinterpret_cast<const T *>(adds.values);
  for (uint32_t i = 0; i < std::size(adds.addresses); ++i)
    if (uint64_t address = std::exchange(adds.addresses[i], 0))
      addTo(address, values[i]);
}

template <typename T> void addUpWhole(DeferredWhole &whole) {
  T *sums = static_cast<T *>(whole.copy);
  for (uint64_t i = 0; i < whole.elements; ++i)
    if (T value = std::exchange(sums[i], T()); value != T())
      addTo(whole.base + i * sizeof(T), value);
}

/// Calls `add` with a number of the kind.
template <typename F> void visitKind(DeferredKind kind, F add) {
  switch (kind) {
  case DeferredKind::None:
    return;
  case DeferredKind::Int32:
    return add(uint32_t());
  case DeferredKind::Int64:
    return add(uint64_t());
  case DeferredKind::Float:
    return add(float());
  case DeferredKind::Double:
    return add(double());
  }
}

void addUp(DeferredAdds &adds, const KernelCode &code) {
  visitKind(code.deferred, [&](auto number) { addUpCells<decltype(number)>(adds); });
  for (uint32_t i = 0; i < MostDeferredWholes; ++i)
    if (DeferredWhole &whole = adds.wholes[i]; whole.elements)
      visitKind(code.deferredObjects->kind(i),
                [&](auto number) { addUpWhole<decltype(number)>(whole); });
}

} // namespace

void settle(Worker &worker, Op &op) {
  DeferredAdds *adds = worker.deferred;
  if (!adds || !adds->used)
    return;
  bool done = !op.launch.cancelled.load() &&
              runGuarded(worker, &op, [&] { addUp(*adds, *worker.form->code); });
  if (!done) {
    std::memset(adds->addresses, 0, sizeof(adds->addresses));
    for (DeferredWhole &whole : adds->wholes)
      if (whole.bytes)
        std::memset(whole.copy, 0, whole.bytes);
    if (!op.launch.cancelled.load())
      failLaunch(worker, op);
  }
  adds->used = 0;
}

} // namespace heddle::device::cpu
