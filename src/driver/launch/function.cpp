// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a kernel on a device, and what is set on it.
#include "driver/launch/clusters.h"
#include "driver/launch/launch.h"
#include "driver/launch/occupancy.h"

#include "driver/boards/board.h"

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
  a.constSizeBytes = constantBytes(function.image);
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
