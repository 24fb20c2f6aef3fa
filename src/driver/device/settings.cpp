// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits and other settings of the current context (driver API, "Context Management", "Profiler
// Control").
#include "driver/boards/board.h"
#include "driver/device/context.h"
#include "driver/functions.h"

#include <algorithm>

namespace heddle::driver {

namespace {

/// Programming guide, "Technical Specifications": local memory per thread.
constexpr size_t MaxStackBytes = 512 << 10;
constexpr size_t MostFetchBytes = 128;
constexpr size_t DeepestSync = 24; // CUDA guide 11, "CUDA Dynamic Parallelism", limits

CUresult setLimit(Context &device, CUlimit limit, size_t value) {
  DeviceSettings &s = device.settings;
  const cudaDeviceProp &p = device.board->properties;
  switch (limit) {
  case CU_LIMIT_STACK_SIZE:
    if (value > MaxStackBytes)
      return CUDA_ERROR_INVALID_VALUE;
    s.stackBytes = (value + 15) / 16 * 16;
    return CUDA_SUCCESS;
  case CU_LIMIT_PRINTF_FIFO_SIZE:
    device.backend->setPrintfBytes(value);
    return CUDA_SUCCESS;
  case CU_LIMIT_MALLOC_HEAP_SIZE:
    return device.backend->setHeapBytes(value) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
    if (!hasSyncDepth(*device.board))
      return CUDA_ERROR_UNSUPPORTED_LIMIT;
    s.syncDepth = std::min<size_t>(value, DeepestSync);
    return CUDA_SUCCESS;
  case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
    s.pendingLaunches = value;
    return CUDA_SUCCESS;
  case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
    if (value > MostFetchBytes)
      return CUDA_ERROR_INVALID_VALUE;
    s.l2FetchBytes = value;
    return CUDA_SUCCESS;
  case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
    if (!p.persistingL2CacheMaxSize)
      return CUDA_ERROR_UNSUPPORTED_LIMIT;
    if (value > static_cast<size_t>(p.persistingL2CacheMaxSize))
      return CUDA_ERROR_INVALID_VALUE;
    s.persistingL2Bytes = value;
    return CUDA_SUCCESS;
  case CU_LIMIT_SHMEM_SIZE:
  case CU_LIMIT_CIG_ENABLED:
    return CUDA_ERROR_NOT_PERMITTED;
  case CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED:
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult getLimit(Context &device, CUlimit limit, size_t &value) {
  const DeviceSettings &s = device.settings;
  switch (limit) {
  case CU_LIMIT_STACK_SIZE:
    value = s.stackBytes;
    return CUDA_SUCCESS;
  case CU_LIMIT_PRINTF_FIFO_SIZE:
    value = device.backend->printfBytes();
    return CUDA_SUCCESS;
  case CU_LIMIT_MALLOC_HEAP_SIZE:
    value = device.backend->heapBytes();
    return CUDA_SUCCESS;
  case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
    if (!hasSyncDepth(*device.board))
      return CUDA_ERROR_UNSUPPORTED_LIMIT;
    value = s.syncDepth;
    return CUDA_SUCCESS;
  case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
    value = s.pendingLaunches;
    return CUDA_SUCCESS;
  case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
    value = s.l2FetchBytes;
    return CUDA_SUCCESS;
  case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
    if (!device.board->properties.persistingL2CacheMaxSize)
      return CUDA_ERROR_UNSUPPORTED_LIMIT;
    value = s.persistingL2Bytes;
    return CUDA_SUCCESS;
  case CU_LIMIT_SHMEM_SIZE:
    value = device.board->properties.sharedMemPerBlockOptin;
    return CUDA_SUCCESS;
  case CU_LIMIT_CIG_ENABLED: // no context is for graphics
    value = 0;
    return CUDA_SUCCESS;
  case CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED:
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

/// Kepler has shared memory banks of 4 or 8 bytes; all others have 4 and take no orders.
bool hasWideBanks(const Context &device) { return device.board->properties.major == 3; }

} // namespace

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return setLimit(currentContext(), limit, value);
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  return value ? getLimit(currentContext(), limit, *value) : CUDA_ERROR_INVALID_VALUE;
}

/// A wish about the split of L1 cache and shared memory: a CPU has no such split.
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL)
    return CUDA_ERROR_INVALID_VALUE;
  currentContext().settings.cacheConfig = config;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
  if (!config)
    return CUDA_ERROR_INVALID_VALUE;
  *config = currentContext().settings.cacheConfig;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  Context &device = currentContext();
  if (config < CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE ||
      config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
    return CUDA_ERROR_INVALID_VALUE;
  if (hasWideBanks(device))
    device.settings.banks = config ? config : CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config) {
  if (!config)
    return CUDA_ERROR_INVALID_VALUE;
  *config = currentContext().settings.banks;
  return CUDA_SUCCESS;
}

/// Host memory is always mapped.
CUresult cuCtxGetFlags(unsigned *flags) {
  if (!flags)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = currentContext().settings.flags | CU_CTX_MAP_HOST;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned flags) {
  if (!areValidFlags(flags))
    return CUDA_ERROR_INVALID_VALUE;
  currentContext().settings.flags = flags;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetExecAffinity(CUexecAffinityParam *affinity, CUexecAffinityType type) {
  if (!affinity)
    return CUDA_ERROR_INVALID_VALUE;
  if (type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
    return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  affinity->type = type;
  affinity->param.smCount.val =
      static_cast<unsigned>(currentContext().board->properties.multiProcessorCount);
  return CUDA_SUCCESS;
}

/// There is no persisting L2 cache to reset.
CUresult cuCtxResetPersistingL2Cache() { return CUDA_SUCCESS; }

/// Configurations for the profiler of CUDA 4, which CUDA 12 refuses.
CUresult cuProfilerInitialize(const char *, const char *, CUoutput_mode) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

// Profilers attach by other means; switching one on and off that is not there is no error in CUDA
// either.
} // namespace heddle::driver
