// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be asked of a kernel, and set on it (API reference, "Execution Control").
#include "runtime/launch/clusters.h"
#include "runtime/launch/launch.h"
#include "runtime/launch/occupancy.h"

#include "runtime/boards/board.h"

#include <algorithm>
#include <cstring>

namespace heddle::runtime {

namespace {

size_t constantBytes(const ImageView &image) {
  size_t bytes = 0;
  for (const ImageVariable &variable : image.variables())
    if (variable.space == VariableSpace::Constant)
      bytes += variable.size;
  return bytes;
}

} // namespace

void fillAttributes(Function &function, Device &device, cudaFuncAttributes &a) {
  const ImageKernel &kernel = *function.kernel;
  std::memset(&a, 0, sizeof(a));
  a.sharedSizeBytes = kernel.staticShared;
  a.constSizeBytes = constantBytes(function.module->image);
  a.localSizeBytes = kernel.localBytes;
  a.maxThreadsPerBlock = maxThreadsPerBlock(function, device);
  a.numRegs = registersOf(kernel, *device.board->architecture);
  a.ptxVersion = static_cast<int>(function.module->ptxVersion);
  a.binaryVersion = static_cast<int>(function.module->binaryVersion);
  a.maxDynamicSharedSizeBytes = maxDynamicShared(function, device);
  a.preferredShmemCarveout = function.settingsOn(device.ordinal).carveout;
  fillClusterAttributes(function, device, a);
}

namespace {

template <typename F> void change(Function &function, Device &device, F &&body) {
  std::lock_guard guard(function.mutex);
  body(function.settings[device.ordinal]);
  function.hasSettings.store(true, std::memory_order_release);
}

cudaError_t setAttribute(Function &function, Device &device, cudaFuncAttribute attribute,
                         int value) {
  const cudaDeviceProp &p = device.board->properties;
  switch (attribute) {
  case cudaFuncAttributeMaxDynamicSharedMemorySize:
    if (value < 0 || size_t(value) + function.kernel->staticShared > p.sharedMemPerBlockOptin)
      return cudaErrorInvalidValue;
    change(function, device, [&](FunctionSettings &s) { s.maxDynamicShared = value; });
    return cudaSuccess;
  case cudaFuncAttributePreferredSharedMemoryCarveout:
    if (value < -1 || value > 100)
      return cudaErrorInvalidValue;
    change(function, device, [&](FunctionSettings &s) { s.carveout = value; });
    return cudaSuccess;
  default:
    return setClusterAttribute(function, device, attribute, value);
  }
}

} // namespace
} // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *func) {
  return withFunction(func, [&](Function &function, Device &device) -> cudaError_t {
    if (!attributes)
      return cudaErrorInvalidValue;
    fillAttributes(function, device, *attributes);
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaFuncSetAttribute(const void *func, cudaFuncAttribute attribute,
                                            int value) {
  return withFunction(func, [&](Function &function, Device &device) {
    return setAttribute(function, device, attribute, value);
  });
}

HEDDLE_API cudaError_t cudaFuncSetCacheConfig(const void *func, cudaFuncCache) {
  return withFunction(func, [](Function &, Device &) { return cudaSuccess; });
}

HEDDLE_API cudaError_t cudaFuncSetSharedMemConfig(const void *func, cudaSharedMemConfig) {
  return withFunction(func, [](Function &, Device &) { return cudaSuccess; });
}

HEDDLE_API cudaError_t cudaFuncGetName(const char **name, const void *func) {
  return withFunction(func, [&](Function &function, Device &) -> cudaError_t {
    if (!name)
      return cudaErrorInvalidValue;
    *name = function.name;
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaFuncGetParamInfo(const void *func, size_t index, size_t *offset,
                                            size_t *size) {
  return withFunction(func, [&](Function &function, Device &) -> cudaError_t {
    auto params = function.module->image.params(*function.kernel);
    if (index >= params.size() || !offset)
      return cudaErrorInvalidValue;
    *offset = params[index].offset;
    if (size)
      *size = params[index].size;
    return cudaSuccess;
  });
}

// The handle of a kernel is the address of its host stub, which every function that takes a kernel
// takes.

HEDDLE_API cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *entry) {
  return withFunction(entry, [&](Function &, Device &) -> cudaError_t {
    if (!kernel)
      return cudaErrorInvalidValue;
    *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void *>(entry));
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *entry) {
  return cudaGetKernel(kernel, entry);
}

HEDDLE_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t *out, const void *symbol) {
  return withFunction(symbol, [&](Function &, Device &) -> cudaError_t {
    if (!out)
      return cudaErrorInvalidValue;
    *out = reinterpret_cast<cudaFunction_t>(const_cast<void *>(symbol));
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
                                                       cudaFuncAttribute attribute, int value,
                                                       int ordinal) {
  return enter([&]() -> cudaError_t {
    Function *function;
    if (ordinal < 0 || ordinal >= static_cast<int>(state().devices.size()))
      return cudaErrorInvalidDevice;
    Device &device = *state().devices[static_cast<size_t>(ordinal)];
    if (cudaError_t error = findFunction(kernel, device, function))
      return error;
    return setAttribute(*function, device, attribute, value);
  });
}
