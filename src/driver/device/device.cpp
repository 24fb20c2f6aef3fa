// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choosing a device, setting it up, waiting for it and resetting it.
#include "driver/boards/board.h"
#include "driver/memory/memory.h"
#include "driver/memory/pool_release.h"
#include "driver/modules/module.h"
#include "driver/streams/capture.h"

#include <algorithm>

using namespace heddle::driver;

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

CUresult setLimit(Context &device, cudaLimit limit, size_t value) {
  DeviceSettings &s = device.settings;
  const cudaDeviceProp &p = device.board->properties;
  switch (limit) {
  case cudaLimitStackSize:
    if (value > MaxStackBytes)
      return CUDA_ERROR_INVALID_VALUE;
    s.stackBytes = (value + 15) / 16 * 16;
    return CUDA_SUCCESS;
  case cudaLimitPrintfFifoSize:
    device.backend->setPrintfBytes(value);
    return CUDA_SUCCESS;
  case cudaLimitMallocHeapSize:
    return device.backend->setHeapBytes(value) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  case cudaLimitDevRuntimeSyncDepth:
    if (!hasSyncDepth(*device.board))
      return CUDA_ERROR_UNSUPPORTED_LIMIT;
    s.syncDepth = std::min<size_t>(value, DeepestSync);
    return CUDA_SUCCESS;
  case cudaLimitDevRuntimePendingLaunchCount:
    s.pendingLaunches = value;
    return CUDA_SUCCESS;
  case cudaLimitMaxL2FetchGranularity:
    s.l2FetchBytes = std::min<size_t>(value, 128);
    return CUDA_SUCCESS;
  case cudaLimitPersistingL2CacheSize:
    if (!p.persistingL2CacheMaxSize)
      return CUDA_ERROR_UNSUPPORTED_LIMIT;
    s.persistingL2Bytes = std::min<size_t>(value, p.persistingL2CacheMaxSize);
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult getLimit(Context &device, cudaLimit limit, size_t &value) {
  const DeviceSettings &s = device.settings;
  switch (limit) {
  case cudaLimitStackSize:
    value = s.stackBytes;
    return CUDA_SUCCESS;
  case cudaLimitPrintfFifoSize:
    value = device.backend->printfBytes();
    return CUDA_SUCCESS;
  case cudaLimitMallocHeapSize:
    value = device.backend->heapBytes();
    return CUDA_SUCCESS;
  case cudaLimitDevRuntimeSyncDepth:
    if (!hasSyncDepth(*device.board))
      return CUDA_ERROR_UNSUPPORTED_LIMIT;
    value = s.syncDepth;
    return CUDA_SUCCESS;
  case cudaLimitDevRuntimePendingLaunchCount:
    value = s.pendingLaunches;
    return CUDA_SUCCESS;
  case cudaLimitMaxL2FetchGranularity:
    value = s.l2FetchBytes;
    return CUDA_SUCCESS;
  case cudaLimitPersistingL2CacheSize:
    if (!device.board->properties.persistingL2CacheMaxSize)
      return CUDA_ERROR_UNSUPPORTED_LIMIT;
    value = s.persistingL2Bytes;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

/// Kepler has shared memory banks of 4 or 8 bytes; all others have 4 and take no orders.
bool hasWideBanks(const Context &device) { return device.board->properties.major == 3; }

CUresult setBanks(cudaSharedMemConfig config) {
  Context &device = currentContext();
  if (config < cudaSharedMemBankSizeDefault || config > cudaSharedMemBankSizeEightByte)
    return CUDA_ERROR_INVALID_VALUE;
  if (hasWideBanks(device))
    device.settings.banks = config ? config : cudaSharedMemBankSizeFourByte;
  return CUDA_SUCCESS;
}

/// Before a thread that has not chosen a device is told which it has: if its first one may be refused to it, it gets
/// the one that it will use.
CUresult decideDevice() {
  const Context &device = currentContext();
  if (thread().hasChosen || device.isActive.load(std::memory_order_relaxed) ||
      Ledger::get().computeMode(device.gpu->uuid) == cudaComputeModeDefault)
    return CUDA_SUCCESS;
  return makeCurrentContext();
}

} // namespace

CUresult heddle::driver::cudaDeviceReset() {
  return enter(
      [] {
        resetContext(currentContext());
        return CUDA_SUCCESS;
      },
      EnterLost);
}

CUresult heddle::driver::cudaDeviceSynchronize() {
  return enter([] {
    if (CUresult error = mayWaitFor(currentContext()))
      return error;
    synchronize(currentContext());
    releaseUnused();
    return errorBehindWait(currentContext());
  });
}

CUresult heddle::driver::cudaSetDevice(int ordinal) {
  return enter(
      [&] {
        if (!isDevice(ordinal))
          return CUDA_ERROR_INVALID_DEVICE;
        thread().device = ordinal;
        thread().hasChosen = true;
        setCurrent(*state().devices[ordinal]);
        return makeContext(currentContext());
      },
      EnterLost);
}

CUresult heddle::driver::cudaGetDevice(int *ordinal) {
  return enter(
      [&] {
        if (!ordinal)
          return CUDA_ERROR_INVALID_VALUE;
        if (CUresult error = decideDevice())
          return error;
        *ordinal = currentContext().ordinal;
        return CUDA_SUCCESS;
      },
      EnterLost);
}

/// The list decides which device a thread gets that has not chosen one: the first that it may use.
CUresult heddle::driver::cudaSetValidDevices(int *ordinals, int count) {
  return enter(
      [&] {
        if (count < 0 || static_cast<size_t>(count) > state().devices.size() ||
            (count && !ordinals) || !std::all_of(ordinals, ordinals + count, isDevice))
          return CUDA_ERROR_INVALID_VALUE;
        thread().validDevices.assign(ordinals, ordinals + count);
        thread().hasChosen = false;
        thread().device = count ? ordinals[0] : 0;
        thread().current = nullptr;
        return CUDA_SUCCESS;
      },
      EnterLost);
}

CUresult heddle::driver::cudaSetDeviceFlags(unsigned flags) {
  return enter([&] {
    if (!areValidFlags(flags))
      return CUDA_ERROR_INVALID_VALUE;
    currentContext().settings.flags = flags;
    return CUDA_SUCCESS;
  });
}

/// Host memory is always mapped.
CUresult heddle::driver::cudaGetDeviceFlags(unsigned *flags) {
  return enter([&] {
    if (!flags)
      return CUDA_ERROR_INVALID_VALUE;
    *flags = currentContext().settings.flags | cudaDeviceMapHost;
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaInitDevice(int ordinal, unsigned deviceFlags, unsigned flags) {
  return enter([&] {
    if (!isDevice(ordinal))
      return CUDA_ERROR_INVALID_DEVICE;
    if (!(flags & cudaInitDeviceFlagsAreValid))
      return CUDA_SUCCESS;
    if (!areValidFlags(deviceFlags))
      return CUDA_ERROR_INVALID_VALUE;
    state().devices[ordinal]->settings.flags = deviceFlags;
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return enterUnsafe([&] { return setLimit(currentContext(), limit, value); });
}

CUresult heddle::driver::cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  return enter(
      [&] { return value ? getLimit(currentContext(), limit, *value) : CUDA_ERROR_INVALID_VALUE; });
}

/// A wish about the split of L1 cache and shared memory: a CPU has no such split.
CUresult heddle::driver::cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return enter([&] {
    if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual)
      return CUDA_ERROR_INVALID_VALUE;
    currentContext().settings.cacheConfig = config;
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaDeviceGetCacheConfig(cudaFuncCache *config) {
  return enter([&] {
    if (!config)
      return CUDA_ERROR_INVALID_VALUE;
    *config = currentContext().settings.cacheConfig;
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  return enter([&] { return setBanks(config); });
}

CUresult heddle::driver::cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
  return enter([&] {
    if (!config)
      return CUDA_ERROR_INVALID_VALUE;
    *config = currentContext().settings.banks;
    return CUDA_SUCCESS;
  });
}

// The names of before CUDA 4.
CUresult heddle::driver::cudaThreadExit() { return cudaDeviceReset(); }
CUresult heddle::driver::cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
CUresult heddle::driver::cudaThreadSetLimit(cudaLimit limit, size_t value) {
  return cudaDeviceSetLimit(limit, value);
}
CUresult heddle::driver::cudaThreadGetLimit(size_t *value, cudaLimit limit) {
  return cudaDeviceGetLimit(value, limit);
}
CUresult heddle::driver::cudaThreadGetCacheConfig(cudaFuncCache *config) {
  return cudaDeviceGetCacheConfig(config);
}
CUresult heddle::driver::cudaThreadSetCacheConfig(cudaFuncCache config) {
  return cudaDeviceSetCacheConfig(config);
}

// Profilers attach by other means; switching one on and off that is not there is no error in CUDA
// either.
/// Configurations for the profiler of CUDA 4, which CUDA 12 refuses.
CUresult heddle::driver::cudaProfilerInitialize(const char *, const char *, int) {
  return enter([] { return CUDA_ERROR_NOT_SUPPORTED; });
}

CUresult heddle::driver::cudaProfilerStart() {
  return enter([] { return CUDA_SUCCESS; });
}
CUresult heddle::driver::cudaProfilerStop() {
  return enter([] { return CUDA_SUCCESS; });
}

// Doubles need no conversion: every board since compute capability 1.3 has them, and so has a CPU.
CUresult heddle::driver::cudaSetDoubleForDevice(double *d) {
  return enter([&] { return d ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; });
}
CUresult heddle::driver::cudaSetDoubleForHost(double *d) {
  return enter([&] { return d ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; });
}

/// There is no persisting L2 cache to reset.
CUresult heddle::driver::cudaCtxResetPersistingL2Cache() {
  return enter([] { return CUDA_SUCCESS; });
}
