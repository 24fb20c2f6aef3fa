// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choosing a device, setting it up, waiting for it and resetting it.
#include "runtime/boards/board.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/pool_release.h"
#include "runtime/modules/module.h"
#include "runtime/streams/capture.h"

#include <algorithm>

using namespace heddle::runtime;

namespace {

/// Programming guide, "Technical Specifications": local memory per thread.
constexpr size_t MaxStackBytes = 512 << 10;
constexpr size_t DeepestSync = 24; // CUDA guide 11, "CUDA Dynamic Parallelism", limits

bool areValidFlags(unsigned flags) {
  const unsigned schedule = flags & cudaDeviceScheduleMask;
  const unsigned known =
      cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops;
  return !(flags & ~known) && (schedule & (schedule - 1)) == 0;
}

cudaError_t setLimit(Device &device, cudaLimit limit, size_t value) {
  DeviceSettings &s = device.settings;
  const cudaDeviceProp &p = device.board->properties;
  switch (limit) {
  case cudaLimitStackSize:
    if (value > MaxStackBytes)
      return cudaErrorInvalidValue;
    s.stackBytes = (value + 15) / 16 * 16;
    return cudaSuccess;
  case cudaLimitPrintfFifoSize:
    device.backend->setPrintfBytes(value);
    return cudaSuccess;
  case cudaLimitMallocHeapSize:
    return device.backend->setHeapBytes(value) ? cudaSuccess : cudaErrorInvalidValue;
  case cudaLimitDevRuntimeSyncDepth:
    if (!hasSyncDepth(*device.board))
      return cudaErrorUnsupportedLimit;
    s.syncDepth = std::min<size_t>(value, DeepestSync);
    return cudaSuccess;
  case cudaLimitDevRuntimePendingLaunchCount:
    s.pendingLaunches = value;
    return cudaSuccess;
  case cudaLimitMaxL2FetchGranularity:
    s.l2FetchBytes = std::min<size_t>(value, 128);
    return cudaSuccess;
  case cudaLimitPersistingL2CacheSize:
    if (!p.persistingL2CacheMaxSize)
      return cudaErrorUnsupportedLimit;
    s.persistingL2Bytes = std::min<size_t>(value, p.persistingL2CacheMaxSize);
    return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

cudaError_t getLimit(Device &device, cudaLimit limit, size_t &value) {
  const DeviceSettings &s = device.settings;
  switch (limit) {
  case cudaLimitStackSize:
    value = s.stackBytes;
    return cudaSuccess;
  case cudaLimitPrintfFifoSize:
    value = device.backend->printfBytes();
    return cudaSuccess;
  case cudaLimitMallocHeapSize:
    value = device.backend->heapBytes();
    return cudaSuccess;
  case cudaLimitDevRuntimeSyncDepth:
    if (!hasSyncDepth(*device.board))
      return cudaErrorUnsupportedLimit;
    value = s.syncDepth;
    return cudaSuccess;
  case cudaLimitDevRuntimePendingLaunchCount:
    value = s.pendingLaunches;
    return cudaSuccess;
  case cudaLimitMaxL2FetchGranularity:
    value = s.l2FetchBytes;
    return cudaSuccess;
  case cudaLimitPersistingL2CacheSize:
    if (!device.board->properties.persistingL2CacheMaxSize)
      return cudaErrorUnsupportedLimit;
    value = s.persistingL2Bytes;
    return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

/// Kepler has shared memory banks of 4 or 8 bytes; all others have 4 and take no orders.
bool hasWideBanks(const Device &device) { return device.board->properties.major == 3; }

cudaError_t setBanks(cudaSharedMemConfig config) {
  Device &device = currentDevice();
  if (config < cudaSharedMemBankSizeDefault || config > cudaSharedMemBankSizeEightByte)
    return cudaErrorInvalidValue;
  if (hasWideBanks(device))
    device.settings.banks = config ? config : cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}

/// Before a thread that has not chosen a device is told which it has: if its first one may be refused to it, it gets
/// the one that it will use.
cudaError_t decideDevice() {
  const Device &device = currentDevice();
  if (thread().hasChosen || device.context.load(std::memory_order_relaxed) ||
      Ledger::get().computeMode(device.gpu->uuid) == cudaComputeModeDefault)
    return cudaSuccess;
  return makeCurrentContext();
}

/// Everything goes: streams, events, memory, module variables, settings, and the fault that lost
/// the context.
cudaError_t reset(Device &device) {
  device.backend->synchronize();
  resetStreams(device);
  resetModules(device);
  device.backend->reset();
  resetMemory(device);
  device.settings = {};
  device.unlaunched = cudaSuccess;
  dropContext(device);
  return cudaSuccess;
}

} // namespace

HEDDLE_API cudaError_t cudaDeviceReset() {
  return enter([] { return reset(currentDevice()); }, EnterLost);
}

HEDDLE_API cudaError_t cudaDeviceSynchronize() {
  return enter([] {
    if (cudaError_t error = mayWaitFor(currentDevice()))
      return error;
    synchronize(currentDevice());
    releaseUnused();
    return errorBehindWait(currentDevice());
  });
}

HEDDLE_API cudaError_t cudaSetDevice(int ordinal) {
  return enter(
      [&] {
        if (!isDevice(ordinal))
          return cudaErrorInvalidDevice;
        thread().device = ordinal;
        thread().hasChosen = true;
        return makeContext(currentDevice());
      },
      EnterLost);
}

HEDDLE_API cudaError_t cudaGetDevice(int *ordinal) {
  return enter(
      [&] {
        if (!ordinal)
          return cudaErrorInvalidValue;
        if (cudaError_t error = decideDevice())
          return error;
        *ordinal = thread().device;
        return cudaSuccess;
      },
      EnterLost);
}

/// The list decides which device a thread gets that has not chosen one: the first that it may use.
HEDDLE_API cudaError_t cudaSetValidDevices(int *ordinals, int count) {
  return enter(
      [&] {
        if (count < 0 || static_cast<size_t>(count) > state().devices.size() ||
            (count && !ordinals) || !std::all_of(ordinals, ordinals + count, isDevice))
          return cudaErrorInvalidValue;
        thread().validDevices.assign(ordinals, ordinals + count);
        thread().hasChosen = false;
        thread().device = count ? ordinals[0] : 0;
        return cudaSuccess;
      },
      EnterLost);
}

HEDDLE_API cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return enter([&] {
    if (!areValidFlags(flags))
      return cudaErrorInvalidValue;
    currentDevice().settings.flags = flags;
    return cudaSuccess;
  });
}

/// Host memory is always mapped.
HEDDLE_API cudaError_t cudaGetDeviceFlags(unsigned *flags) {
  return enter([&] {
    if (!flags)
      return cudaErrorInvalidValue;
    *flags = currentDevice().settings.flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaInitDevice(int ordinal, unsigned deviceFlags, unsigned flags) {
  return enter([&] {
    if (!isDevice(ordinal))
      return cudaErrorInvalidDevice;
    if (!(flags & cudaInitDeviceFlagsAreValid))
      return cudaSuccess;
    if (!areValidFlags(deviceFlags))
      return cudaErrorInvalidValue;
    state().devices[ordinal]->settings.flags = deviceFlags;
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return enterUnsafe([&] { return setLimit(currentDevice(), limit, value); });
}

HEDDLE_API cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  return enter(
      [&] { return value ? getLimit(currentDevice(), limit, *value) : cudaErrorInvalidValue; });
}

/// A wish about the split of L1 cache and shared memory: a CPU has no such split.
HEDDLE_API cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return enter([&] {
    if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual)
      return cudaErrorInvalidValue;
    currentDevice().settings.cacheConfig = config;
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) {
  return enter([&] {
    if (!config)
      return cudaErrorInvalidValue;
    *config = currentDevice().settings.cacheConfig;
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  return enter([&] { return setBanks(config); });
}

HEDDLE_API cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
  return enter([&] {
    if (!config)
      return cudaErrorInvalidValue;
    *config = currentDevice().settings.banks;
    return cudaSuccess;
  });
}

// The names of before CUDA 4.
HEDDLE_API cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
HEDDLE_API cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
HEDDLE_API cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) {
  return cudaDeviceSetLimit(limit, value);
}
HEDDLE_API cudaError_t cudaThreadGetLimit(size_t *value, cudaLimit limit) {
  return cudaDeviceGetLimit(value, limit);
}
HEDDLE_API cudaError_t cudaThreadGetCacheConfig(cudaFuncCache *config) {
  return cudaDeviceGetCacheConfig(config);
}
HEDDLE_API cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) {
  return cudaDeviceSetCacheConfig(config);
}

// Profilers attach by other means; switching one on and off that is not there is no error in CUDA
// either.
/// Configurations for the profiler of CUDA 4, which CUDA 12 refuses.
HEDDLE_API cudaError_t cudaProfilerInitialize(const char *, const char *, int) {
  return enter([] { return cudaErrorNotSupported; });
}

HEDDLE_API cudaError_t cudaProfilerStart() {
  return enter([] { return cudaSuccess; });
}
HEDDLE_API cudaError_t cudaProfilerStop() {
  return enter([] { return cudaSuccess; });
}

// Doubles need no conversion: every board since compute capability 1.3 has them, and so has a CPU.
HEDDLE_API cudaError_t cudaSetDoubleForDevice(double *d) {
  return enter([&] { return d ? cudaSuccess : cudaErrorInvalidValue; });
}
HEDDLE_API cudaError_t cudaSetDoubleForHost(double *d) {
  return enter([&] { return d ? cudaSuccess : cudaErrorInvalidValue; });
}

/// There is no persisting L2 cache to reset.
HEDDLE_API cudaError_t cudaCtxResetPersistingL2Cache() {
  return enter([] { return cudaSuccess; });
}
