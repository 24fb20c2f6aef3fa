// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches. A failed one leaves its error for cudaGetLastError, as chevrons do in C++.
#include "fortran/entry.h"

namespace heddle::fortran {

namespace {

/// Blocks that fill the device, for a grid of <<<*, block>>>.
unsigned blocksForDevice(const void *kernel, dim3 block, int32_t sharedBytes) {
  int device = 0, multiprocessors = 1, blocks = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel,
                                                static_cast<int>(block.x * block.y * block.z),
                                                static_cast<size_t>(sharedBytes));
  return static_cast<unsigned>(multiprocessors * (blocks > 0 ? blocks : 1));
}

dim3 shape(intptr_t x, intptr_t y, intptr_t z) {
  return {static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
}

/// A negative size stands for "*".
dim3 gridOf(const void *kernel, intptr_t x, intptr_t y, intptr_t z, dim3 block,
            int32_t sharedBytes) {
  if (x >= 0 && y >= 0 && z >= 0)
    return shape(x, y, z);
  unsigned all = blocksForDevice(kernel, block, sharedBytes);
  return shape(x < 0 ? all : x, y < 0 ? 1 : y, z < 0 ? 1 : z);
}

} // namespace

} // namespace heddle::fortran

using namespace heddle::fortran;

/// The characters of a value among a launch's arguments, on the device
/// (src/frontend/fortran/text_arguments.cpp). The launch is the next call, and then the copy is
/// given back.
HEDDLE_FORTRAN void *heddleFortranCopyText(const void *text, size_t length, int64_t *stream) {
  void *copy = nullptr;
  cudaStream_t queue = streamOf(stream);
  check(cudaMallocAsync(&copy, length + (length == 0), queue), "text of a launch", {nullptr, 0});
  check(cudaMemcpyAsync(copy, text, length, cudaMemcpyDefault, queue), "text of a launch",
        {nullptr, 0});
  return copy;
}

HEDDLE_FORTRAN void heddleFortranFreeText(void *copy, int64_t *stream) {
  check(cudaFreeAsync(copy, streamOf(stream)), "text of a launch", {nullptr, 0});
}

HEDDLE_FORTRAN void _FortranACUFLaunchKernel(const void *kernel, intptr_t gridX, intptr_t gridY,
                                             intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                                             intptr_t blockZ, int64_t *stream, int32_t sharedBytes,
                                             void **arguments, void **) {
  tellHostVariables();
  dim3 block = shape(blockX, blockY, blockZ);
  cudaLaunchKernel(kernel, gridOf(kernel, gridX, gridY, gridZ, block, sharedBytes), block,
                   arguments, static_cast<size_t>(sharedBytes), streamOf(stream));
}

HEDDLE_FORTRAN void _FortranACUFLaunchCooperativeKernel(const void *kernel, intptr_t gridX,
                                                        intptr_t gridY, intptr_t gridZ,
                                                        intptr_t blockX, intptr_t blockY,
                                                        intptr_t blockZ, int64_t *stream,
                                                        int32_t sharedBytes, void **arguments,
                                                        void **) {
  tellHostVariables();
  dim3 block = shape(blockX, blockY, blockZ);
  cudaLaunchCooperativeKernel(kernel, gridOf(kernel, gridX, gridY, gridZ, block, sharedBytes),
                              block, arguments, static_cast<size_t>(sharedBytes), streamOf(stream));
}

HEDDLE_FORTRAN void
_FortranACUFLaunchClusterKernel(const void *kernel, intptr_t clusterX, intptr_t clusterY,
                                intptr_t clusterZ, intptr_t gridX, intptr_t gridY, intptr_t gridZ,
                                intptr_t blockX, intptr_t blockY, intptr_t blockZ, int64_t *stream,
                                int32_t sharedBytes, void **arguments, void **) {
  tellHostVariables();
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  dim3 cluster = shape(clusterX, clusterY, clusterZ);
  attribute.val.clusterDim.x = cluster.x;
  attribute.val.clusterDim.y = cluster.y;
  attribute.val.clusterDim.z = cluster.z;
  cudaLaunchConfig_t config = {};
  config.blockDim = shape(blockX, blockY, blockZ);
  config.gridDim = gridOf(kernel, gridX, gridY, gridZ, config.blockDim, sharedBytes);
  config.dynamicSmemBytes = static_cast<size_t>(sharedBytes);
  config.stream = streamOf(stream);
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaLaunchKernelExC(&config, kernel, arguments);
}
