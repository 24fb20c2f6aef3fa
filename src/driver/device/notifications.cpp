// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What other parties of a GPU tell or do: budgets of its memory, and writes of other cards.
#include "driver/handle_pool.h"
#include "driver/state.h"

#include "driver/boards/board.h"

namespace heddle::driver {

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

CUresult registerCallback(int device, cudaAsyncCallback callback, void *data,
                          cudaAsyncCallbackHandle_t *handle) {
  if (!isDevice(device))
    return CUDA_ERROR_INVALID_DEVICE;
  if (!callback || !handle)
    return CUDA_ERROR_INVALID_VALUE;
  Notification *made = pool().create();
  if (!made)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *made = {device, callback, data};
  *handle = reinterpret_cast<cudaAsyncCallbackHandle_t>(made);
  return CUDA_SUCCESS;
}

CUresult unregisterCallback(int device, cudaAsyncCallbackHandle_t handle) {
  Notification *found = pool().find(handle);
  if (!isDevice(device))
    return CUDA_ERROR_INVALID_DEVICE;
  if (!found || found->device != device)
    return CUDA_ERROR_INVALID_VALUE;
  pool().destroy(found);
  return CUDA_SUCCESS;
}

} // namespace
} // namespace heddle::driver

using namespace heddle::driver;

/// The only notice that there is tells a process that it is over its budget. Nobody sets one here,
/// as on Linux with a GPU that no virtual machine shares; so the callback is never called.
CUresult heddle::driver::cudaDeviceRegisterAsyncNotification(int device, cudaAsyncCallback callback,
                                                             void *data,
                                                             cudaAsyncCallbackHandle_t *handle) {
  return enter([&] { return registerCallback(device, callback, data, handle); });
}

CUresult heddle::driver::cudaDeviceUnregisterAsyncNotification(int device,
                                                               cudaAsyncCallbackHandle_t handle) {
  return enter([&] { return unregisterCallback(device, handle); });
}

CUresult
heddle::driver::cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTarget target,
                                                   cudaFlushGPUDirectRDMAWritesScope scope) {
  return enter([&]() -> CUresult {
    if (target != cudaFlushGPUDirectRDMAWritesTargetCurrentDevice ||
        (scope != cudaFlushGPUDirectRDMAWritesToOwner &&
         scope != cudaFlushGPUDirectRDMAWritesToAllDevices))
      return CUDA_ERROR_INVALID_VALUE;
    const cudaDeviceProp &p = currentContext().board->properties;
    return p.gpuDirectRDMAFlushWritesOptions & cudaFlushGPUDirectRDMAWritesOptionHost
               ? CUDA_SUCCESS
               : CUDA_ERROR_NOT_SUPPORTED;
  });
}
