// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What device code may ask of its device, of others and of its module's kernels. The answers are
// those of the host's functions, asked for the device that the caller runs on.
#include "runtime/boards/board.h"
#include "runtime/children/child_call.h"
#include "runtime/launch/launch.h"
#include "runtime/launch/occupancy.h"

#include "base/kernel_abi.h"

namespace heddle::runtime {

namespace {

/// Calls a function of the host's for the caller's device: this thread is a worker, which has none
/// of its own.
template <typename F> cudaError_t onCallersDevice(ChildCall &call, F &&function) {
  thread().device = call.device.ordinal;
  return function();
}

} // namespace

namespace on_device {

cudaError_t cudaGraphSetConditional(ChildCall &call, cudaGraphConditionalHandle handle,
                                    unsigned value) {
  Block *block = call.caller.block;
  block->launch->services->setGraphValue(block, handle, value);
  return cudaSuccess;
}

cudaError_t cudaGetDevice(ChildCall &call, int *device) {
  return onCallersDevice(call, [&] { return ::cudaGetDevice(device); });
}

cudaError_t cudaGetDeviceCount(ChildCall &call, int *count) {
  return onCallersDevice(call, [&] { return ::cudaGetDeviceCount(count); });
}

cudaError_t cudaDeviceGetAttribute(ChildCall &call, int *value, cudaDeviceAttr attribute,
                                   int device) {
  return onCallersDevice(call, [&] { return ::cudaDeviceGetAttribute(value, attribute, device); });
}

cudaError_t cudaDeviceGetLimit(ChildCall &call, size_t *value, cudaLimit limit) {
  return onCallersDevice(call, [&] { return ::cudaDeviceGetLimit(value, limit); });
}

cudaError_t cudaDeviceGetCacheConfig(ChildCall &call, cudaFuncCache *config) {
  return onCallersDevice(call, [&] { return ::cudaDeviceGetCacheConfig(config); });
}

cudaError_t cudaDeviceGetSharedMemConfig(ChildCall &call, cudaSharedMemConfig *config) {
  return onCallersDevice(call, [&] { return ::cudaDeviceGetSharedMemConfig(config); });
}

cudaError_t cudaRuntimeGetVersion(ChildCall &call, int *version) {
  return onCallersDevice(call, [&] { return ::cudaRuntimeGetVersion(version); });
}

cudaError_t cudaFuncGetAttributes(ChildCall &call, cudaFuncAttributes *attributes,
                                  const void *kernel) {
  Function *function = call.functionOf(kernel);
  if (!function)
    return cudaErrorInvalidDeviceFunction;
  if (!attributes)
    return cudaErrorInvalidValue;
  cudaFuncAttributes found;
  fillAttributes(*function, call.device, found);
  *attributes = found;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(ChildCall &call, int *blocks,
                                                                   const void *kernel,
                                                                   int blockSize, size_t shared,
                                                                   unsigned flags) {
  Function *function = call.functionOf(kernel);
  if (!function)
    return cudaErrorInvalidDeviceFunction;
  return tellActiveBlocks(*function, call.device, blockSize, shared, flags, blocks);
}

} // namespace on_device
} // namespace heddle::runtime
