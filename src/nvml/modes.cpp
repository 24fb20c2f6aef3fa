// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modes and clocks. The compute mode is kept in the ledger, where the runtime of each process obeys it.
#include "nvml/library.h"

using namespace heddle::nvml;
using heddle::driver::Ledger;

namespace {

nvmlReturn_t setComputeMode(const Gpu &gpu, nvmlComputeMode_t mode) {
  switch (mode) {
  case NVML_COMPUTEMODE_DEFAULT:
  case NVML_COMPUTEMODE_PROHIBITED:
  case NVML_COMPUTEMODE_EXCLUSIVE_PROCESS:
    return Ledger::get().setComputeMode(gpu.uuid, mode) ? NVML_SUCCESS
                                                        : NVML_ERROR_INSUFFICIENT_RESOURCES;
  case NVML_COMPUTEMODE_EXCLUSIVE_THREAD: // "support removed"
    return NVML_ERROR_NOT_SUPPORTED;
  case NVML_COMPUTEMODE_COUNT:
    break;
  }
  return NVML_ERROR_INVALID_ARGUMENT;
}

/// In MHz; 0 if there is nothing to tell. Before Kepler, CUDA tells the clock of the cores, which is twice that of the
/// rest.
unsigned clockOf(const Gpu &gpu, nvmlClockType_t type) {
  const cudaDeviceProp &p = gpu.board->properties;
  switch (type) {
  case NVML_CLOCK_GRAPHICS:
    return static_cast<unsigned>(p.clockRate) / (p.major < 3 ? 2000 : 1000);
  case NVML_CLOCK_SM:
    return static_cast<unsigned>(p.clockRate) / 1000;
  case NVML_CLOCK_MEM:
    return static_cast<unsigned>(p.memoryClockRate) / 1000;
  default:
    return 0;
  }
}

nvmlReturn_t giveClock(nvmlDevice_t handle, nvmlClockType_t type, unsigned *clock) {
  const bool isClock = type >= NVML_CLOCK_GRAPHICS && type < NVML_CLOCK_COUNT;
  return giveKnown(handle, isClock ? clock : nullptr,
                   [&](const Gpu &gpu) { return clockOf(gpu, type); });
}

/// Something that is never on.
nvmlReturn_t giveDisabled(nvmlDevice_t handle, nvmlEnableState_t *state) {
  return give(handle, state, [](const Gpu &) { return NVML_FEATURE_DISABLED; });
}

/// Boards with ECC have it on.
nvmlReturn_t giveEcc(nvmlDevice_t handle, nvmlEnableState_t *first, nvmlEnableState_t *second) {
  return onDevice(handle, first && second, [&](const Gpu &gpu) {
    if (!gpu.board->properties.ECCEnabled)
      return NVML_ERROR_NOT_SUPPORTED;
    *first = *second = NVML_FEATURE_ENABLED;
    return NVML_SUCCESS;
  });
}

} // namespace

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t handle,
                                                      nvmlComputeMode_t *mode) {
  return give(handle, mode, [](const Gpu &gpu) { return Ledger::get().computeMode(gpu.uuid); });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceSetComputeMode(nvmlDevice_t handle, nvmlComputeMode_t mode) {
  return onDevice(handle, true, [&](const Gpu &gpu) { return setComputeMode(gpu, mode); });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t handle,
                                                          nvmlEnableState_t *mode) {
  return giveDisabled(handle, mode);
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetDisplayMode(nvmlDevice_t handle,
                                                      nvmlEnableState_t *mode) {
  return giveDisabled(handle, mode);
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetDisplayActive(nvmlDevice_t handle,
                                                        nvmlEnableState_t *isActive) {
  return giveDisabled(handle, isActive);
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t handle, nvmlEnableState_t *current,
                                                  nvmlEnableState_t *pending) {
  return giveEcc(handle, current, pending);
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetDefaultEccMode(nvmlDevice_t handle,
                                                         nvmlEnableState_t *mode) {
  return giveEcc(handle, mode, mode);
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t handle, nvmlClockType_t type,
                                                    unsigned *clock) {
  return giveClock(handle, type, clock);
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t handle, nvmlClockType_t type,
                                                       unsigned *clock) {
  return giveClock(handle, type, clock);
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t handle, unsigned *isMig) {
  return give(handle, isMig, [](const Gpu &) { return 0; });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t handle, unsigned *count) {
  return give(handle, count, [](const Gpu &) { return 0; });
}

/// Each value has a code of its own. None is known beyond what other functions tell.
HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t handle, int count,
                                                      nvmlFieldValue_t *values) {
  return onDevice(handle, values && count > 0, [&](const Gpu &) {
    for (nvmlFieldValue_t *value = values; value != values + count; ++value)
      value->nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
    return NVML_SUCCESS;
  });
}
