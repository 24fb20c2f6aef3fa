// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits and settings of the current device (runtime API, "Device Management"), the profiler. The
// numbers of all of them are the driver's.
#include "runtime/driver.h"

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return translate([&] { return ask<&Cu::cuCtxSetLimit>(static_cast<CUlimit>(limit), value); });
}

HEDDLE_API cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  return translate([&] { return ask<&Cu::cuCtxGetLimit>(value, static_cast<CUlimit>(limit)); });
}

HEDDLE_API cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return translate(
      [&] { return ask<&Cu::cuCtxSetCacheConfig>(static_cast<CUfunc_cache>(config)); });
}

HEDDLE_API cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) {
  return translate(
      [&] { return ask<&Cu::cuCtxGetCacheConfig>(reinterpret_cast<CUfunc_cache *>(config)); });
}

HEDDLE_API cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  return translate(
      [&] { return ask<&Cu::cuCtxSetSharedMemConfig>(static_cast<CUsharedconfig>(config)); });
}

HEDDLE_API cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
  return translate([&] {
    return ask<&Cu::cuCtxGetSharedMemConfig>(reinterpret_cast<CUsharedconfig *>(config));
  });
}

HEDDLE_API cudaError_t cudaCtxResetPersistingL2Cache() {
  return translate([] { return ask<&Cu::cuCtxResetPersistingL2Cache>(); });
}

// The names of before CUDA 4.
HEDDLE_API cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) {
  return named([&] { return cudaDeviceSetLimit(limit, value); });
}
HEDDLE_API cudaError_t cudaThreadGetLimit(size_t *value, cudaLimit limit) {
  return named([&] { return cudaDeviceGetLimit(value, limit); });
}
HEDDLE_API cudaError_t cudaThreadGetCacheConfig(cudaFuncCache *config) {
  return named([&] { return cudaDeviceGetCacheConfig(config); });
}
HEDDLE_API cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) {
  return named([&] { return cudaDeviceSetCacheConfig(config); });
}

HEDDLE_API cudaError_t cudaProfilerInitialize(const char *configuration, const char *output,
                                              int mode) {
  return translate([&] {
    return ask<&Cu::cuProfilerInitialize>(configuration, output, static_cast<CUoutput_mode>(mode));
  });
}
HEDDLE_API cudaError_t cudaProfilerStart() {
  return translate([] { return ask<&Cu::cuProfilerStart>(); });
}
HEDDLE_API cudaError_t cudaProfilerStop() {
  return translate([] { return ask<&Cu::cuProfilerStop>(); });
}

// Doubles need no conversion: every device since compute capability 1.3 has them.
HEDDLE_API cudaError_t cudaSetDoubleForDevice(double *d) {
  return keep(d ? cudaSuccess : cudaErrorInvalidValue);
}
HEDDLE_API cudaError_t cudaSetDoubleForHost(double *d) {
  return keep(d ? cudaSuccess : cudaErrorInvalidValue);
}
