// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime uses the primary context of each device, which it retains at the first call that
// needs one, and anew after a reset. A context that the program has made current by the driver API
// stays as it is.
#include "runtime/context.h"

#include <atomic>

namespace heddle::runtime {

namespace {

/// The primary contexts that the runtime has made current, by device; null: none yet. A device has
/// the same one always.
std::vector<std::atomic<CUcontext>> &primaries() {
  static auto &contexts = *[] {
    int count = 0;
    ask<&Cu::cuDeviceGetCount>(&count);
    return new std::vector<std::atomic<CUcontext>>(static_cast<size_t>(count));
  }();
  return contexts;
}

/// A context that was reset is made anew, where the runtime has made it current.
CUresult remake(CUcontext context) {
  for (size_t device = 0; device < primaries().size(); ++device)
    if (primaries()[device].load(std::memory_order_relaxed) == context &&
        !isActive(static_cast<int>(device)))
      return primaryOf(static_cast<int>(device), context);
  return CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

// Bodies of the runtime API that still lie in the driver ask it, too.
[[maybe_unused]] const bool isHooked = (driver::giveContext = remedy, true);

} // namespace

bool isActive(int device) {
  unsigned flags = 0;
  int active = 0;
  return ask<&Cu::cuDevicePrimaryCtxGetState>(device, &flags, &active) == CUDA_SUCCESS && active;
}

CUresult primaryOf(int device, CUcontext &context) {
  CUdevice same = 0;
  if (CUresult error = ask<&Cu::cuDeviceGet>(&same, device))
    return error;
  auto &known = primaries()[static_cast<size_t>(device)];
  context = known.load(std::memory_order_relaxed);
  if (context && isActive(device))
    return CUDA_SUCCESS;
  CUresult error = ask<&Cu::cuDevicePrimaryCtxRetain>(&context, device);
  if (error == CUDA_SUCCESS)
    known.store(context, std::memory_order_relaxed);
  return error;
}

CUresult enterDevice(int device) {
  CUcontext context = nullptr;
  CUresult error = primaryOf(device, context);
  if (error != CUDA_SUCCESS)
    context = nullptr;
  CUresult set = ask<&Cu::cuCtxSetCurrent>(context);
  return error == CUDA_SUCCESS ? set : error;
}

/// CUDA guide, cudaSetValidDevices: the devices are tried in order.
CUresult enterAnyDevice() {
  if (choice.isMade)
    return enterDevice(choice.device);
  const size_t count = choice.valid ? choice.valid->size() : primaries().size();
  for (size_t i = 0; i < count; ++i) {
    const int device = choice.valid ? (*choice.valid)[i] : static_cast<int>(i);
    if (enterDevice(device) != CUDA_SUCCESS)
      continue;
    choice.device = device;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_DEVICE_UNAVAILABLE;
}

CUresult currentDevice(int &device) {
  CUresult error = ask<&Cu::cuCtxGetDevice>(&device);
  if (error == CUDA_ERROR_INVALID_CONTEXT) {
    device = choice.device;
    return CUDA_SUCCESS;
  }
  return error;
}

static CUresult findContext(CUresult error) {
  if (error == CUDA_ERROR_NOT_INITIALIZED)
    if (CUresult failed = ask<&Cu::cuInit>(0u))
      return failed;
  CUcontext current = nullptr;
  if (CUresult failed = ask<&Cu::cuCtxGetCurrent>(&current))
    return failed;
  if (!current)
    return enterAnyDevice();
  return error == CUDA_ERROR_CONTEXT_IS_DESTROYED ? remake(current)
         : error == CUDA_ERROR_NOT_INITIALIZED    ? CUDA_SUCCESS
                                                  : error;
}

CUresult remedy(CUresult error) {
  error = findContext(error);
  if (error == CUDA_SUCCESS && awaitsLoad.load(std::memory_order_relaxed))
    loadAwaited();
  return error;
}

} // namespace heddle::runtime
