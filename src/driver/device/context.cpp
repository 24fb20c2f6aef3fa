// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts. A process has one on a device from the first call that needs it until cudaDeviceReset. There is nothing to
// it but its entry in the ledger, where other processes see it: a device in an exclusive mode is theirs or ours.
#include "driver/boards/ledger.h"
#include "driver/memory/memory.h"
#include "driver/state.h"

#include <mutex>

namespace heddle::driver {

CUresult makeContext(Device &device) {
  static std::mutex &mutex = *new std::mutex;
  std::lock_guard guard(mutex);
  if (device.context.load(std::memory_order_relaxed))
    return CUDA_SUCCESS;
  Ledger::Entry *entry = Ledger::get().enter(device.gpu->uuid);
  if (!entry)
    return CUDA_ERROR_DEVICE_UNAVAILABLE;
  entry->used = usedMemory(device); // a reset leaves variables where they are
  device.context.store(entry, std::memory_order_release);
  return CUDA_SUCCESS;
}

/// CUDA guide, cudaSetValidDevices: the devices are tried in order.
CUresult makeCurrentContext() {
  ThreadState &t = thread();
  if (t.hasChosen)
    return makeContext(currentDevice());
  const auto count = t.validDevices.empty() ? state().devices.size() : t.validDevices.size();
  for (size_t i = 0; i < count; ++i) {
    const int ordinal = t.validDevices.empty() ? static_cast<int>(i) : t.validDevices[i];
    if (makeContext(*state().devices[ordinal]) != CUDA_SUCCESS)
      continue;
    t.device = ordinal;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_DEVICE_UNAVAILABLE;
}

void dropContext(Device &device) {
  if (Ledger::Entry *entry = device.context.exchange(nullptr))
    Ledger::get().leave(*entry);
}

} // namespace heddle::driver
