// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choosing a device, setting it up, waiting for it and resetting it (runtime API, "Device
// Management").
#include "runtime/context.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <set>

using namespace heddle::runtime;

namespace {

/// The driver knows more flags of contexts.
bool areValidFlags(unsigned flags) {
  const unsigned known =
      cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops;
  return !(flags & ~known) && std::popcount(flags & cudaDeviceScheduleMask) <= 1;
}

/// Lists of devices, which threads point to; kept for ever, each once.
const std::vector<int> *keepList(std::vector<int> devices) {
  static std::mutex &mutex = *new std::mutex;
  static auto &lists = *new std::set<std::vector<int>>;
  std::lock_guard guard(mutex);
  return &*lists.insert(std::move(devices)).first;
}

bool isDevice(int device) {
  CUdevice same = 0;
  return ask<&Cu::cuDeviceGet>(&same, device) == CUDA_SUCCESS;
}

/// Before a thread that has no context is told its device: if that may be refused to it, it gets the
/// one that it will use.
CUresult decideDevice(int device) {
  int mode = cudaComputeModeDefault;
  if (isActive(device))
    return CUDA_SUCCESS;
  if (CUresult error =
          ask<&Cu::cuDeviceGetAttribute>(&mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, device))
    return error;
  return mode == cudaComputeModeDefault ? CUDA_SUCCESS : enterAnyDevice();
}

} // namespace

/// The choice holds, too, where the device is refused now.
HEDDLE_API cudaError_t cudaSetDevice(int device) {
  return translateQuery([&]() -> CUresult {
    CUcontext context = nullptr;
    CUresult error = primaryOf(device, context);
    if (error != CUDA_SUCCESS && error != CUDA_ERROR_DEVICE_UNAVAILABLE)
      return error;
    choice.device = device;
    choice.isMade = true;
    CUresult set = ask<&Cu::cuCtxSetCurrent>(error == CUDA_SUCCESS ? context : nullptr);
    return error == CUDA_SUCCESS ? set : error;
  });
}

HEDDLE_API cudaError_t cudaGetDevice(int *device) {
  return translateQuery([&]() -> CUresult {
    CUresult error = ask<&Cu::cuCtxGetDevice>(device);
    if (error != CUDA_ERROR_INVALID_CONTEXT)
      return error;
    if (!choice.isMade)
      if (CUresult refused = decideDevice(choice.device))
        return refused;
    return currentDevice(*device);
  });
}

/// The list decides which device a thread gets that has not chosen one: the first that it may use.
HEDDLE_API cudaError_t cudaSetValidDevices(int *devices, int count) {
  return translateQuery([&]() -> CUresult {
    int all = 0;
    if (CUresult error = ask<&Cu::cuDeviceGetCount>(&all))
      return error;
    if (count < 0 || count > all || (count && !devices) ||
        !std::all_of(devices, devices + count, isDevice))
      return CUDA_ERROR_INVALID_VALUE;
    choice.valid = count ? keepList({devices, devices + count}) : nullptr;
    choice.isMade = false;
    choice.device = count ? devices[0] : 0;
    return ask<&Cu::cuCtxSetCurrent>(nullptr);
  });
}

HEDDLE_API cudaError_t cudaInitDevice(int device, unsigned deviceFlags, unsigned flags) {
  return translate([&]() -> CUresult {
    CUcontext context = nullptr;
    if (CUresult error = primaryOf(device, context))
      return error;
    if (!(flags & cudaInitDeviceFlagsAreValid))
      return CUDA_SUCCESS;
    return areValidFlags(deviceFlags) ? ask<&Cu::cuDevicePrimaryCtxSetFlags_v2>(
                                            device, deviceFlags & ~unsigned(CU_CTX_MAP_HOST))
                                      : CUDA_ERROR_INVALID_VALUE;
  });
}

HEDDLE_API cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return translate([&] {
    return areValidFlags(flags) ? ask<&Cu::cuCtxSetFlags>(flags) : CUDA_ERROR_INVALID_VALUE;
  });
}

HEDDLE_API cudaError_t cudaGetDeviceFlags(unsigned *flags) {
  return translate([&] { return ask<&Cu::cuCtxGetFlags>(flags); });
}

/// The next call that needs a context makes it anew, also where the program has made it by the
/// driver API.
HEDDLE_API cudaError_t cudaDeviceReset() {
  return translateQuery([]() -> CUresult {
    int device = 0;
    if (CUresult error = currentDevice(device))
      return error;
    CUcontext context = nullptr;
    if (isActive(device))
      if (CUresult error = primaryOf(device, context))
        return error;
    return ask<&Cu::cuDevicePrimaryCtxReset_v2>(device);
  });
}

HEDDLE_API cudaError_t cudaDeviceSynchronize() {
  return translate([] { return ask<&Cu::cuCtxSynchronize>(); });
}

// The names of before CUDA 4.
HEDDLE_API cudaError_t cudaThreadExit() {
  return named([&] { return cudaDeviceReset(); });
}
HEDDLE_API cudaError_t cudaThreadSynchronize() {
  return named([&] { return cudaDeviceSynchronize(); });
}

HEDDLE_API cudaError_t cudaDeviceRegisterAsyncNotification(int device, cudaAsyncCallback callback,
                                                           void *data,
                                                           cudaAsyncCallbackHandle_t *handle) {
  return translateQuery([&] {
    return ask<&Cu::cuDeviceRegisterAsyncNotification>(
        device, reinterpret_cast<CUasyncCallback>(callback), data,
        reinterpret_cast<CUasyncCallbackHandle *>(handle));
  });
}

HEDDLE_API cudaError_t cudaDeviceUnregisterAsyncNotification(int device,
                                                             cudaAsyncCallbackHandle_t handle) {
  return translateQuery([&] {
    return ask<&Cu::cuDeviceUnregisterAsyncNotification>(
        device, reinterpret_cast<CUasyncCallbackHandle>(handle));
  });
}

HEDDLE_API cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTarget target,
                                                          cudaFlushGPUDirectRDMAWritesScope scope) {
  return translate([&] {
    return ask<&Cu::cuFlushGPUDirectRDMAWrites>(
        static_cast<CUflushGPUDirectRDMAWritesTarget>(target),
        static_cast<CUflushGPUDirectRDMAWritesScope>(scope));
  });
}
