// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What other parties of a GPU tell or do: budgets of its memory, and writes of other cards.
#include "driver/boards/board.h"
#include "driver/functions.h"
#include "driver/handle_pool.h"
#include "driver/rooms.h"
#include "driver/state.h"

namespace heddle::driver {

struct Notification {
  int device;
  CUasyncCallback callback;
  void *data;
};

namespace {

HandlePool<Notification, 1u << 12> &pool() { return rooms().notifications.get(); }

} // namespace

/// The only notice that there is tells a process that it is over its budget. Nobody sets one here,
/// as on Linux with a GPU that no virtual machine shares; so the callback is never called.
CUresult cuDeviceRegisterAsyncNotification(CUdevice device, CUasyncCallback callback, void *data,
                                           CUasyncCallbackHandle *handle) {
  if (!isDevice(device))
    return CUDA_ERROR_INVALID_DEVICE;
  if (!callback || !handle)
    return CUDA_ERROR_INVALID_VALUE;
  Notification *made = pool().create();
  if (!made)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *made = {device, callback, data};
  *handle = reinterpret_cast<CUasyncCallbackHandle>(made);
  return CUDA_SUCCESS;
}

CUresult cuDeviceUnregisterAsyncNotification(CUdevice device, CUasyncCallbackHandle handle) {
  Notification *found = pool().find(handle);
  if (!isDevice(device))
    return CUDA_ERROR_INVALID_DEVICE;
  if (!found || found->device != device)
    return CUDA_ERROR_INVALID_VALUE;
  pool().destroy(found);
  return CUDA_SUCCESS;
}

CUresult cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target,
                                    CUflushGPUDirectRDMAWritesScope scope) {
  if (target != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX ||
      (scope != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER &&
       scope != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES))
    return CUDA_ERROR_INVALID_VALUE;
  const cudaDeviceProp &p = currentContext().board->properties;
  return p.gpuDirectRDMAFlushWritesOptions & CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST
             ? CUDA_SUCCESS
             : CUDA_ERROR_NOT_SUPPORTED;
}

} // namespace heddle::driver
