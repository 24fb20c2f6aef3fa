// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions of NVML share. A handle is the address of a GPU of the machine that HEDDLE_DEVICE describes;
// CUDA_VISIBLE_DEVICES hides nothing from NVML.
#pragma once

#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include "nvml.h"

#include "driver/boards/ledger.h"
#include "driver/boards/machine.h"

#include <string_view>

/// In front of the definition of every exported function.
#define HEDDLE_NVML_API extern "C" __attribute__((visibility("default")))

namespace heddle::nvml {

using driver::Gpu;

/// Whether nvmlInit was called more often than nvmlShutdown.
bool isInitialized();

/// The GPUs by the PCI bus, which is NVML's order; none before the first nvmlInit.
const driver::Machine &machine();

/// The GPU of a handle; null if it is none.
const Gpu *gpuOf(const void *handle);
/// The handle of a GPU of machine().
nvmlDevice_t handleOf(const Gpu &);

/// Copies a text and its end; NVML_ERROR_INSUFFICIENT_SIZE if there is no room.
nvmlReturn_t giveText(char *to, unsigned length, std::string_view text);

/// Runs `body(gpu)` for a valid handle. `arePointers`: none of the caller's is null.
template <typename F> nvmlReturn_t onDevice(nvmlDevice_t handle, bool arePointers, F &&body) {
  if (!isInitialized())
    return NVML_ERROR_UNINITIALIZED;
  const Gpu *gpu = gpuOf(handle);
  return gpu && arePointers ? body(*gpu) : NVML_ERROR_INVALID_ARGUMENT;
}

/// Runs `body()` for functions of the system.
template <typename F> nvmlReturn_t onSystem(bool arePointers, F &&body) {
  if (!isInitialized())
    return NVML_ERROR_UNINITIALIZED;
  return arePointers ? body() : NVML_ERROR_INVALID_ARGUMENT;
}

/// A function that gives one value.
template <typename T, typename F> nvmlReturn_t give(nvmlDevice_t handle, T *to, F &&value) {
  return onDevice(handle, to, [&](const Gpu &gpu) {
    *to = static_cast<T>(value(gpu));
    return NVML_SUCCESS;
  });
}

/// The same of something that not every GPU has: 0 is nothing.
template <typename T, typename F> nvmlReturn_t giveKnown(nvmlDevice_t handle, T *to, F &&value) {
  return onDevice(handle, to, [&](const Gpu &gpu) {
    const T known = static_cast<T>(value(gpu));
    if (!known)
      return NVML_ERROR_NOT_SUPPORTED;
    *to = known;
    return NVML_SUCCESS;
  });
}

} // namespace heddle::nvml
