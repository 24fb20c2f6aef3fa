// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which device a thread works on. The driver keeps each thread's current context; the runtime keeps
// which device the thread has chosen, and makes the primary context of that device current when a
// call first needs one (remedy in driver.h).
#pragma once

#include "runtime/driver.h"

#include <vector>

namespace heddle::runtime {

/// What a thread has said of its device. Without a destructor, as lastError.
struct Choice {
  const std::vector<int> *valid = nullptr; ///< of cudaSetValidDevices; null: all
  int device = 0;      ///< the chosen one; else the one that it has had, or the first valid one
  bool isMade = false; ///< cudaSetDevice
};
inline constinit thread_local Choice choice;

/// Runs `body`, which calls functions of the driver that need no context: cuInit is all that may be
/// missing.
template <class Body> CUresult withDriver(Body &&body) {
  CUresult error = body();
  if (error == CUDA_ERROR_NOT_INITIALIZED) [[unlikely]]
    if ((error = ask<&Cu::cuInit>(0u)) == CUDA_SUCCESS)
      error = body();
  return error;
}

/// Such a function of the runtime: the thread gets no context by it.
template <class Body> cudaError_t translateQuery(Body &&body) {
  return keep(withDriver(std::forward<Body>(body)));
}

/// The device's primary context is there.
bool isActive(int device);
/// It, active. Errors: CUDA_ERROR_INVALID_DEVICE;
/// CUDA_ERROR_DEVICE_UNAVAILABLE where the device's compute mode forbids it.
CUresult primaryOf(int device, CUcontext &);

/// Makes the primary context of a device the thread's current one. Errors: primaryOf's; then the
/// thread has no current context.
CUresult enterDevice(int device);

/// The same for the device that the thread has chosen, or the first that it may use.
CUresult enterAnyDevice();

/// The device of the thread's current context; where there is none, `choice.device`.
CUresult currentDevice(int &device);

} // namespace heddle::runtime
