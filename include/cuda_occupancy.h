// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The occupancy calculator that needs no device and no runtime (CUDA guide, "Occupancy
// Calculator"): how many blocks of a kernel a multiprocessor holds, given what a block takes and
// what there is. The rules are those of NVIDIA's public calculator, as in the runtime's
// cudaOccupancyMaxActiveBlocksPerMultiprocessor: each resource is given out in units, and the
// scarcest one decides.
#ifndef __cuda_occupancy_h__
#define __cuda_occupancy_h__

#include <limits.h>
#include <stddef.h>

typedef enum cudaOccError_enum {
  CUDA_OCC_SUCCESS = 0,
  CUDA_OCC_ERROR_INVALID_INPUT = 1,
  CUDA_OCC_ERROR_UNKNOWN_DEVICE = 2
} cudaOccError;

/// What a multiprocessor has; the names are cudaDeviceProp's.
typedef struct cudaOccDeviceProp {
  int computeMajor, computeMinor;
  int maxThreadsPerBlock, maxThreadsPerMultiprocessor;
  int regsPerBlock, regsPerMultiprocessor;
  int warpSize;
  size_t sharedMemPerBlock, sharedMemPerMultiprocessor;
  int numSms;
  size_t sharedMemPerBlockOptin, reservedSharedMemPerBlock;
#ifdef __cplusplus
  cudaOccDeviceProp() = default;
  /// From a cudaDeviceProp, or what has its fields.
  template <typename Properties>
  explicit cudaOccDeviceProp(const Properties &p)
      : computeMajor(p.major), computeMinor(p.minor), maxThreadsPerBlock(p.maxThreadsPerBlock),
        maxThreadsPerMultiprocessor(p.maxThreadsPerMultiProcessor), regsPerBlock(p.regsPerBlock),
        regsPerMultiprocessor(p.regsPerMultiprocessor), warpSize(p.warpSize),
        sharedMemPerBlock(p.sharedMemPerBlock),
        sharedMemPerMultiprocessor(p.sharedMemPerMultiprocessor), numSms(p.multiProcessorCount),
        sharedMemPerBlockOptin(p.sharedMemPerBlockOptin),
        reservedSharedMemPerBlock(p.reservedSharedMemPerBlock) {}
#endif
} cudaOccDeviceProp;

/// What a kernel takes; the names are cudaFuncAttributes'.
typedef struct cudaOccFuncAttributes {
  int maxThreadsPerBlock, numRegs;
  size_t sharedSizeBytes; ///< static shared memory of a block
#ifdef __cplusplus
  cudaOccFuncAttributes() = default;
  template <typename Attributes>
  explicit cudaOccFuncAttributes(const Attributes &a)
      : maxThreadsPerBlock(a.maxThreadsPerBlock), numRegs(a.numRegs),
        sharedSizeBytes(a.sharedSizeBytes) {}
#endif
} cudaOccFuncAttributes;

/// The resources that limit a kernel, as bits.
typedef enum cudaOccLimitingFactors_enum {
  OCC_LIMIT_WARPS = 0x01,
  OCC_LIMIT_REGISTERS = 0x02,
  OCC_LIMIT_SHARED_MEMORY = 0x04,
  OCC_LIMIT_BLOCKS = 0x08
} cudaOccLimitingFactors;

typedef struct cudaOccResult {
  int activeBlocksPerMultiprocessor;
  unsigned limitingFactors; ///< cudaOccLimitingFactors of all that allow no more blocks
  int blockLimitRegs, blockLimitSharedMem, blockLimitWarps, blockLimitBlocks;
  int allocatedRegistersPerBlock;
  size_t allocatedSharedMemPerBlock;
} cudaOccResult;

/// How the device is set. Caches are not modelled, and partitions of them change nothing.
typedef enum cudaOccCacheConfig_enum {
  CACHE_PREFER_NONE = 0,
  CACHE_PREFER_SHARED = 1,
  CACHE_PREFER_L1 = 2,
  CACHE_PREFER_EQUAL = 3
} cudaOccCacheConfig;
typedef struct cudaOccDeviceState {
  cudaOccCacheConfig cacheConfig;
  int carveoutConfig;
} cudaOccDeviceState;

static inline size_t __heddle_occ_round_up(size_t value, size_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Blocks that a multiprocessor of this compute capability runs at once; 0 if it is not known.
static inline int __heddle_occ_blocks(int major, int minor) {
  switch (major) {
  case 1:
  case 2:
    return 8;
  case 3:
    return 16;
  case 5:
  case 6:
    return 32;
  case 7:
    return minor == 5 ? 16 : 32;
  case 8:
    return minor == 0 ? 32 : minor == 9 ? 24 : 16;
  case 9:
  case 10:
    return 32;
  case 11:
  case 12:
    return 24;
  default:
    return 0;
  }
}

/// Registers of a block, in units of 256 (before 3.0: of 64) to a warp.
static inline int __heddle_occ_registers(cudaOccResult *result, const cudaOccDeviceProp *device,
                                         int registers, int warps) {
  int perWarp = (int)__heddle_occ_round_up((size_t)registers * (size_t)device->warpSize,
                                           device->computeMajor == 2 ? 64 : 256);
  int warpUnit = device->computeMajor == 6 && device->computeMinor == 0 ? 2
                 : device->computeMajor == 2                            ? 2
                                                                        : 4;
  int warpsThatFit;
  if (!perWarp)
    return INT_MAX;
  result->allocatedRegistersPerBlock =
      perWarp * (int)__heddle_occ_round_up((size_t)warps, (size_t)warpUnit);
  warpsThatFit = device->regsPerBlock / perWarp / warpUnit * warpUnit;
  return warpsThatFit / warps * (device->regsPerMultiprocessor / device->regsPerBlock);
}

static inline int __heddle_occ_shared(cudaOccResult *result, const cudaOccDeviceProp *device,
                                      size_t bytes) {
  size_t unit = device->computeMajor == 2 || device->computeMajor >= 8 ? 128 : 256;
  size_t most = device->sharedMemPerBlockOptin > device->sharedMemPerBlock
                    ? device->sharedMemPerBlockOptin
                    : device->sharedMemPerBlock;
  if (bytes > most)
    return 0;
  bytes = __heddle_occ_round_up(bytes + device->reservedSharedMemPerBlock, unit);
  result->allocatedSharedMemPerBlock = bytes;
  return bytes ? (int)(device->sharedMemPerMultiprocessor / bytes) : INT_MAX;
}

/// How many blocks of `blockSize` threads and so many bytes of dynamic shared memory fit. Devices
/// of compute capability 1.x, which give registers to blocks, are not known.
static inline cudaOccError cudaOccMaxActiveBlocksPerMultiprocessor(
    cudaOccResult *result, const cudaOccDeviceProp *device, const cudaOccFuncAttributes *attributes,
    const cudaOccDeviceState *state, int blockSize, size_t dynamicSmemSize) {
  int warps, least;
  if (!result || !device || !attributes || !state || blockSize <= 0 || device->warpSize <= 0 ||
      device->regsPerBlock <= 0)
    return CUDA_OCC_ERROR_INVALID_INPUT;
  if (device->computeMajor < 2 || !__heddle_occ_blocks(device->computeMajor, device->computeMinor))
    return CUDA_OCC_ERROR_UNKNOWN_DEVICE;
  warps = (blockSize + device->warpSize - 1) / device->warpSize;
  result->allocatedRegistersPerBlock = 0;
  result->allocatedSharedMemPerBlock = 0;
  result->blockLimitBlocks = __heddle_occ_blocks(device->computeMajor, device->computeMinor);
  result->blockLimitWarps =
      blockSize > device->maxThreadsPerBlock || blockSize > attributes->maxThreadsPerBlock
          ? 0
          : device->maxThreadsPerMultiprocessor / device->warpSize / warps;
  result->blockLimitRegs = __heddle_occ_registers(result, device, attributes->numRegs, warps);
  result->blockLimitSharedMem =
      __heddle_occ_shared(result, device, attributes->sharedSizeBytes + dynamicSmemSize);
  least = result->blockLimitBlocks;
  if (result->blockLimitWarps < least)
    least = result->blockLimitWarps;
  if (result->blockLimitRegs < least)
    least = result->blockLimitRegs;
  if (result->blockLimitSharedMem < least)
    least = result->blockLimitSharedMem;
  result->activeBlocksPerMultiprocessor = least;
  result->limitingFactors =
      (result->blockLimitWarps == least ? (unsigned)OCC_LIMIT_WARPS : 0u) |
      (result->blockLimitRegs == least ? (unsigned)OCC_LIMIT_REGISTERS : 0u) |
      (result->blockLimitSharedMem == least ? (unsigned)OCC_LIMIT_SHARED_MEMORY : 0u) |
      (result->blockLimitBlocks == least ? (unsigned)OCC_LIMIT_BLOCKS : 0u);
  return CUDA_OCC_SUCCESS;
}

/// The block size with the most threads on a multiprocessor (the largest of them), and how many
/// such blocks fill the device. `blockSizeToDynamicSMemSize` may be null; `dynamicSmemSize` is
/// taken then.
static inline cudaOccError cudaOccMaxPotentialOccupancyBlockSize(
    int *minGridSize, int *blockSize, const cudaOccDeviceProp *device,
    const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state,
    size_t (*blockSizeToDynamicSMemSize)(int), size_t dynamicSmemSize) {
  int size, most = 0, limit;
  cudaOccResult result;
  if (!minGridSize || !blockSize || !device || !attributes)
    return CUDA_OCC_ERROR_INVALID_INPUT;
  limit = device->maxThreadsPerBlock < attributes->maxThreadsPerBlock
              ? device->maxThreadsPerBlock
              : attributes->maxThreadsPerBlock;
  if (device->warpSize <= 0 || limit <= 0)
    return CUDA_OCC_ERROR_INVALID_INPUT;
  *minGridSize = *blockSize = 0;
  for (size = (limit + device->warpSize - 1) / device->warpSize * device->warpSize; size > 0;
       size -= device->warpSize) {
    int threads = size < limit ? size : limit;
    size_t bytes =
        blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize(threads) : dynamicSmemSize;
    cudaOccError error =
        cudaOccMaxActiveBlocksPerMultiprocessor(&result, device, attributes, state, threads, bytes);
    if (error != CUDA_OCC_SUCCESS)
      return error;
    if (result.activeBlocksPerMultiprocessor * threads > most) {
      most = result.activeBlocksPerMultiprocessor * threads;
      *blockSize = threads;
      *minGridSize = result.activeBlocksPerMultiprocessor * device->numSms;
    }
  }
  return CUDA_OCC_SUCCESS;
}

#endif
