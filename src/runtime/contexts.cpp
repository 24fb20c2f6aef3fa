// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/contexts.h"

#include <atomic>

namespace heddle::runtime {

namespace {

constexpr int MostDevices = 64;
std::atomic<CUcontext> retained[MostDevices]; ///< by device; null: not yet

} // namespace

CUresult primaryContext(int device, CUcontext &context) {
  unsigned flags;
  int isActive;
  if (CUresult error = cu().cuDevicePrimaryCtxGetState(device, &flags, &isActive))
    return error;
  if (device >= MostDevices)
    return CUDA_ERROR_INVALID_DEVICE;
  context = retained[device].load(std::memory_order_acquire);
  if (context && isActive)
    return CUDA_SUCCESS;
  const CUresult error = cu().cuDevicePrimaryCtxRetain(&context, device);
  if (error == CUDA_SUCCESS)
    retained[device].store(context, std::memory_order_release);
  return error;
}

} // namespace heddle::runtime
