// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What other parties of a GPU tell or do: budgets of its memory, and writes of other cards.
#include "runtime/handle_pool.h"
#include "runtime/state.h"

#include "runtime/boards/board.h"

namespace heddle::runtime {

namespace {

struct Notification {
  int device;
  cudaAsyncCallback callback;
  void *data;
};

HandlePool<Notification, 1u << 12> &pool() {
  static auto *notifications = new HandlePool<Notification, 1u << 12>;
  return *notifications;
}

cudaError_t registerCallback(int device, cudaAsyncCallback callback, void *data,
                             cudaAsyncCallbackHandle_t *handle) {
  if (!isDevice(device))
    return cudaErrorInvalidDevice;
  if (!callback || !handle)
    return cudaErrorInvalidValue;
  Notification *made = pool().create();
  if (!made)
    return cudaErrorMemoryAllocation;
  *made = {device, callback, data};
  *handle = reinterpret_cast<cudaAsyncCallbackHandle_t>(made);
  return cudaSuccess;
}

cudaError_t unregisterCallback(int device, cudaAsyncCallbackHandle_t handle) {
  Notification *found = pool().find(handle);
  if (!isDevice(device))
    return cudaErrorInvalidDevice;
  if (!found || found->device != device)
    return cudaErrorInvalidValue;
  pool().destroy(found);
  return cudaSuccess;
}

} // namespace
} // namespace heddle::runtime

using namespace heddle::runtime;

/// The only notice that there is tells a process that it is over its budget. Nobody sets one here,
/// as on Linux with a GPU that no virtual machine shares; so the callback is never called.
HEDDLE_API cudaError_t cudaDeviceRegisterAsyncNotification(int device, cudaAsyncCallback callback,
                                                           void *data,
                                                           cudaAsyncCallbackHandle_t *handle) {
  return enter([&] { return registerCallback(device, callback, data, handle); });
}

HEDDLE_API cudaError_t cudaDeviceUnregisterAsyncNotification(int device,
                                                             cudaAsyncCallbackHandle_t handle) {
  return enter([&] { return unregisterCallback(device, handle); });
}

HEDDLE_API cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTarget target,
                                                          cudaFlushGPUDirectRDMAWritesScope scope) {
  return enter([&]() -> cudaError_t {
    if (target != cudaFlushGPUDirectRDMAWritesTargetCurrentDevice ||
        (scope != cudaFlushGPUDirectRDMAWritesToOwner &&
         scope != cudaFlushGPUDirectRDMAWritesToAllDevices))
      return cudaErrorInvalidValue;
    const cudaDeviceProp &p = currentDevice().board->properties;
    return p.gpuDirectRDMAFlushWritesOptions & cudaFlushGPUDirectRDMAWritesOptionHost
               ? cudaSuccess
               : cudaErrorNotSupported;
  });
}
