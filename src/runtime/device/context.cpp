// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts. A process has one on a device from the first call that needs it until cudaDeviceReset. There is nothing to
// it but its entry in the ledger, where other processes see it: a device in an exclusive mode is theirs or ours.
#include "runtime/boards/ledger.h"
#include "runtime/memory/memory.h"
#include "runtime/state.h"

#include <mutex>

namespace heddle::runtime {

cudaError_t makeContext(Device &device) {
  static std::mutex &mutex = *new std::mutex;
  std::lock_guard guard(mutex);
  if (device.context.load(std::memory_order_relaxed))
    return cudaSuccess;
  Ledger::Entry *entry = Ledger::get().enter(device.gpu->uuid);
  if (!entry)
    return cudaErrorDevicesUnavailable;
  entry->used = usedMemory(device); // a reset leaves variables where they are
  device.context.store(entry, std::memory_order_release);
  return cudaSuccess;
}

/// CUDA guide, cudaSetValidDevices: the devices are tried in order.
cudaError_t makeCurrentContext() {
  ThreadState &t = thread();
  if (t.hasChosen)
    return makeContext(currentDevice());
  const auto count = t.validDevices.empty() ? state().devices.size() : t.validDevices.size();
  for (size_t i = 0; i < count; ++i) {
    const int ordinal = t.validDevices.empty() ? static_cast<int>(i) : t.validDevices[i];
    if (makeContext(*state().devices[ordinal]) != cudaSuccess)
      continue;
    t.device = ordinal;
    return cudaSuccess;
  }
  return cudaErrorDevicesUnavailable;
}

void dropContext(Device &device) {
  if (Ledger::Entry *entry = device.context.exchange(nullptr))
    Ledger::get().leave(*entry);
}

} // namespace heddle::runtime
