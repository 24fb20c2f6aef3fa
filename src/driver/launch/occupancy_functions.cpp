// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Occupancy (driver API, "Occupancy").
#include "driver/boards/board.h"
#include "driver/functions.h"
#include "driver/launch/launch.h"
#include "driver/launch/occupancy.h"
#include "driver/modules/handles.h"

#include <algorithm>

namespace heddle::driver {

namespace {

/// The block size that fills a multiprocessor best, the largest of equals.
CUresult findBlockSize(Function &function, Context &context, CUoccupancyB2DSize sharedFor,
                       size_t shared, int limit, int &gridSize, int &blockSize) {
  const cudaDeviceProp &p = context.board->properties;
  const int most = maxThreadsPerBlock(function, context);
  const int largest = limit > 0 ? std::min(limit, most) : most;
  int best = 0;
  // The first candidate may be a broken warp, where the limit is; the others are whole warps.
  for (int size = largest; size > 0 && best < p.maxThreadsPerMultiProcessor;
       size = (size - 1) / p.warpSize * p.warpSize) {
    const int blocks = activeBlocks(function, context, size, sharedFor ? sharedFor(size) : shared);
    if (blocks * size > best) {
      best = blocks * size;
      blockSize = size;
      gridSize = blocks * p.multiProcessorCount;
    }
  }
  return CUDA_SUCCESS;
}

} // namespace

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function,
                                                              int blockSize, size_t dynamicShared,
                                                              unsigned flags) {
  if (!blocks)
    return CUDA_ERROR_INVALID_VALUE;
  return withFunction(function, [&](Function &found, Context &context) {
    return tellActiveBlocks(found, context, blockSize, dynamicShared, flags, blocks);
  });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                     int blockSize, size_t dynamicShared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, blockSize,
                                                              dynamicShared, CU_OCCUPANCY_DEFAULT);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize,
                                                   CUfunction function,
                                                   CUoccupancyB2DSize dynamicSharedFor,
                                                   size_t dynamicShared, int limit,
                                                   unsigned flags) {
  if (!minGridSize || !blockSize || limit < 0 || flags & ~CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
    return CUDA_ERROR_INVALID_VALUE;
  return withFunction(function, [&](Function &found, Context &context) {
    *minGridSize = *blockSize = 0;
    return findBlockSize(found, context, dynamicSharedFor, dynamicShared, limit, *minGridSize,
                         *blockSize);
  });
}

CUresult cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction function,
                                          CUoccupancyB2DSize dynamicSharedFor, size_t dynamicShared,
                                          int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, function,
                                                   dynamicSharedFor, dynamicShared, limit,
                                                   CU_OCCUPANCY_DEFAULT);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks,
                                                 int blockSize) {
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  return withFunction(function, [&](Function &found, Context &context) {
    return availableShared(found, context, blocks, blockSize, bytes);
  });
}

} // namespace heddle::driver
