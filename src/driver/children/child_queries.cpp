// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What device code may ask of its device, of others and of its module's kernels. The answers are
// those of the host's functions, asked for the device that the caller runs on.
#include "driver/boards/board.h"
#include "driver/children/child_call.h"
#include "driver/device/attributes.h"
#include "driver/device/context.h"
#include "driver/functions.h"
#include "driver/launch/launch.h"
#include "driver/launch/occupancy.h"

#include "base/abi/kernel_abi.h"

namespace heddle::driver {

namespace {

/// Calls a function of the host's for the caller's device: this thread is a worker, which has none
/// of its own.
template <typename F> CUresult onCallersDevice(ChildCall &call, F &&function) {
  thread().current = &call.device;
  return function();
}

} // namespace

namespace on_device {

CUresult cudaGraphSetConditional(ChildCall &call, cudaGraphConditionalHandle handle,
                                 unsigned value) {
  Block *block = call.caller.block;
  block->launch->services->setGraphValue(block, handle, value);
  return CUDA_SUCCESS;
}

CUresult cudaGetDevice(ChildCall &call, int *device) {
  return onCallersDevice(call, [&] { return cuCtxGetDevice(device); });
}

CUresult cudaGetDeviceCount(ChildCall &, int *count) { return cuDeviceGetCount(count); }

CUresult cudaDeviceGetAttribute(ChildCall &, int *value, cudaDeviceAttr attribute, int device) {
  return withPrimary(device, [&](const Context &context) {
    return value ? attributeOf(context, attribute, *value) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cudaDeviceGetLimit(ChildCall &call, size_t *value, cudaLimit limit) {
  return onCallersDevice(call, [&] { return cuCtxGetLimit(value, static_cast<CUlimit>(limit)); });
}

CUresult cudaDeviceGetCacheConfig(ChildCall &call, cudaFuncCache *config) {
  return onCallersDevice(
      call, [&] { return cuCtxGetCacheConfig(reinterpret_cast<CUfunc_cache *>(config)); });
}

CUresult cudaDeviceGetSharedMemConfig(ChildCall &call, cudaSharedMemConfig *config) {
  return onCallersDevice(
      call, [&] { return cuCtxGetSharedMemConfig(reinterpret_cast<CUsharedconfig *>(config)); });
}

CUresult cudaRuntimeGetVersion(ChildCall &call, int *version) {
  *version = HEDDLE_CUDA_NUMBER; // the runtime of device code is CUDA 12's, as the host's
  return CUDA_SUCCESS;
}

CUresult cudaFuncGetAttributes(ChildCall &call, cudaFuncAttributes *attributes,
                               const void *kernel) {
  Function *function = call.functionOf(kernel);
  if (!function)
    return CUresult(cudaErrorInvalidDeviceFunction);
  if (!attributes)
    return CUDA_ERROR_INVALID_VALUE;
  cudaFuncAttributes found;
  fillAttributes(*function, call.device, found);
  *attributes = found;
  return CUDA_SUCCESS;
}

CUresult cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(ChildCall &call, int *blocks,
                                                                const void *kernel, int blockSize,
                                                                size_t shared, unsigned flags) {
  Function *function = call.functionOf(kernel);
  if (!function)
    return CUresult(cudaErrorInvalidDeviceFunction);
  return tellActiveBlocks(*function, call.device, blockSize, shared, flags, blocks);
}

} // namespace on_device
} // namespace heddle::driver
