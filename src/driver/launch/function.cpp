// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be asked of a kernel, and set on it (API reference, "Execution Control").
#include "driver/launch/clusters.h"
#include "driver/launch/launch.h"
#include "driver/launch/occupancy.h"

#include "driver/boards/board.h"

#include <algorithm>
#include <cstring>

namespace heddle::driver {

namespace {

size_t constantBytes(const ImageView &image) {
  size_t bytes = 0;
  for (const ImageVariable &variable : image.variables())
    if (variable.space == VariableSpace::Constant)
      bytes += variable.size;
  return bytes;
}

} // namespace

void fillAttributes(Function &function, Context &device, cudaFuncAttributes &a) {
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
  a.preferredShmemCarveout = function.settingsOn(device).carveout;
  fillClusterAttributes(function, device, a);
}

CUresult setAttribute(Function &function, Context &device, cudaFuncAttribute attribute, int value) {
  const cudaDeviceProp &p = device.board->properties;
  switch (attribute) {
  case cudaFuncAttributeMaxDynamicSharedMemorySize:
    if (value < 0 || size_t(value) + function.kernel->staticShared > p.sharedMemPerBlockOptin)
      return CUDA_ERROR_INVALID_VALUE;
    function.changeSettings(device, [&](FunctionSettings &s) { s.maxDynamicShared = value; });
    return CUDA_SUCCESS;
  case cudaFuncAttributePreferredSharedMemoryCarveout:
    if (value < -1 || value > 100)
      return CUDA_ERROR_INVALID_VALUE;
    function.changeSettings(device, [&](FunctionSettings &s) { s.carveout = value; });
    return CUDA_SUCCESS;
  default:
    return setClusterAttribute(function, device, attribute, value);
  }
}

} // namespace heddle::driver

using namespace heddle::driver;

CUresult heddle::driver::cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *func) {
  return withFunction(func, [&](Function &function, Context &device) -> CUresult {
    if (!attributes)
      return CUDA_ERROR_INVALID_VALUE;
    fillAttributes(function, device, *attributes);
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaFuncSetAttribute(const void *func, cudaFuncAttribute attribute,
                                              int value) {
  return withFunction(func, [&](Function &function, Context &device) {
    return setAttribute(function, device, attribute, value);
  });
}

CUresult heddle::driver::cudaFuncSetCacheConfig(const void *func, cudaFuncCache) {
  return withFunction(func, [](Function &, Context &) { return CUDA_SUCCESS; });
}

CUresult heddle::driver::cudaFuncSetSharedMemConfig(const void *func, cudaSharedMemConfig) {
  return withFunction(func, [](Function &, Context &) { return CUDA_SUCCESS; });
}

CUresult heddle::driver::cudaFuncGetName(const char **name, const void *func) {
  return withFunction(func, [&](Function &function, Context &) -> CUresult {
    if (!name)
      return CUDA_ERROR_INVALID_VALUE;
    *name = function.name;
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaFuncGetParamInfo(const void *func, size_t index, size_t *offset,
                                              size_t *size) {
  return withFunction(func, [&](Function &function, Context &) -> CUresult {
    auto params = function.module->image.params(*function.kernel);
    if (index >= params.size() || !offset)
      return CUDA_ERROR_INVALID_VALUE;
    *offset = params[index].offset;
    if (size)
      *size = params[index].size;
    return CUDA_SUCCESS;
  });
}

// The handle of a kernel is the address of its host stub, which every function that takes a kernel
// takes.

CUresult heddle::driver::cudaGetKernel(cudaKernel_t *kernel, const void *entry) {
  return withFunction(entry, [&](Function &, Context &) -> CUresult {
    if (!kernel)
      return CUDA_ERROR_INVALID_VALUE;
    *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void *>(entry));
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaGetFuncBySymbol(cudaFunction_t *out, const void *symbol) {
  return withFunction(symbol, [&](Function &, Context &) -> CUresult {
    if (!out)
      return CUDA_ERROR_INVALID_VALUE;
    *out = reinterpret_cast<cudaFunction_t>(const_cast<void *>(symbol));
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
                                                         cudaFuncAttribute attribute, int value,
                                                         int ordinal) {
  return enter([&]() -> CUresult {
    Function *function;
    if (ordinal < 0 || ordinal >= static_cast<int>(state().devices.size()))
      return CUDA_ERROR_INVALID_DEVICE;
    Context &device = *state().devices[static_cast<size_t>(ordinal)];
    if (CUresult error = findFunction(kernel, device, function))
      return error;
    return setAttribute(*function, device, attribute, value);
  });
}
