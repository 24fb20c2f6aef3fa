// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be asked of kernels, and set on them (runtime API, "Execution Control", "Occupancy").
#include "runtime/symbols.h"

#include <cstddef>
#include <cstring>

using namespace heddle::runtime;

namespace {

/// Runs `body(kernel)` for what the program names a kernel by.
template <typename F> cudaError_t withKernel(const void *func, F &&body) {
  return translate([&] {
    CUfunction kernel;
    CUresult error = kernelOf(func, kernel);
    return error == CUDA_SUCCESS ? body(kernel) : error;
  });
}

/// The driver's attribute, where no earlier one has failed.
int attributeOf(CUfunction kernel, CUfunction_attribute attribute, CUresult &error) {
  int value = 0;
  if (error == CUDA_SUCCESS)
    error = ask<&Cu::cuFuncGetAttribute>(&value, attribute, kernel);
  return value;
}

CUresult readAttributes(CUfunction kernel, cudaFuncAttributes &a) {
  CUresult error = CUDA_SUCCESS;
  auto get = [&](CUfunction_attribute id) { return attributeOf(kernel, id, error); };
  auto bytes = [&](CUfunction_attribute id) { return static_cast<size_t>(get(id)); };
  a = {};
  a.sharedSizeBytes = bytes(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  a.constSizeBytes = bytes(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  a.localSizeBytes = bytes(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  a.maxThreadsPerBlock = get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  a.numRegs = get(CU_FUNC_ATTRIBUTE_NUM_REGS);
  a.ptxVersion = get(CU_FUNC_ATTRIBUTE_PTX_VERSION);
  a.binaryVersion = get(CU_FUNC_ATTRIBUTE_BINARY_VERSION);
  a.cacheModeCA = get(CU_FUNC_ATTRIBUTE_CACHE_MODE_CA);
  a.maxDynamicSharedSizeBytes = get(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  a.preferredShmemCarveout = get(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
  a.clusterDimMustBeSet = get(CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET);
  a.requiredClusterWidth = get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
  a.requiredClusterHeight = get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT);
  a.requiredClusterDepth = get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH);
  a.clusterSchedulingPolicyPreference = get(CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
  a.nonPortableClusterSizeAllowed = get(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
  return error;
}

const CUlaunchConfig *configOf(const cudaLaunchConfig_t *config) {
  return reinterpret_cast<const CUlaunchConfig *>(config);
}

} // namespace

HEDDLE_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *func) {
  return withKernel(func, [&](CUfunction kernel) {
    cudaFuncAttributes found;
    CUresult error = readAttributes(kernel, found);
    if (error == CUDA_SUCCESS && !attributes)
      return CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS)
      *attributes = found;
    return error;
  });
}

/// CUDA 11's structure ends before the clusters.
HEDDLE_API cudaError_t heddle_11_cudaFuncGetAttributes(void *attributes, const void *func) {
  cudaFuncAttributes found;
  cudaError_t error = cudaFuncGetAttributes(attributes ? &found : nullptr, func);
  if (error == cudaSuccess)
    std::memcpy(attributes, &found, offsetof(cudaFuncAttributes, clusterDimMustBeSet));
  return error;
}

/// The attributes of both APIs have the same numbers.
HEDDLE_API cudaError_t cudaFuncSetAttribute(const void *func, cudaFuncAttribute attribute,
                                            int value) {
  return withKernel(func, [&](CUfunction kernel) {
    return ask<&Cu::cuFuncSetAttribute>(kernel, static_cast<CUfunction_attribute>(attribute),
                                        value);
  });
}

HEDDLE_API cudaError_t cudaFuncSetCacheConfig(const void *func, cudaFuncCache config) {
  return withKernel(func, [&](CUfunction kernel) {
    return ask<&Cu::cuFuncSetCacheConfig>(kernel, static_cast<CUfunc_cache>(config));
  });
}

HEDDLE_API cudaError_t cudaFuncSetSharedMemConfig(const void *func, cudaSharedMemConfig config) {
  return withKernel(func, [&](CUfunction kernel) {
    return ask<&Cu::cuFuncSetSharedMemConfig>(kernel, static_cast<CUsharedconfig>(config));
  });
}

HEDDLE_API cudaError_t cudaFuncGetName(const char **name, const void *func) {
  return withKernel(func, [&](CUfunction kernel) { return ask<&Cu::cuFuncGetName>(name, kernel); });
}

HEDDLE_API cudaError_t cudaFuncGetParamInfo(const void *func, size_t index, size_t *offset,
                                            size_t *size) {
  return withKernel(func, [&](CUfunction kernel) {
    return ask<&Cu::cuFuncGetParamInfo>(kernel, index, offset, size);
  });
}

HEDDLE_API cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *entry) {
  return withKernel(entry, [&](CUfunction found) {
    if (!kernel)
      return CUDA_ERROR_INVALID_VALUE;
    *kernel = reinterpret_cast<cudaKernel_t>(found);
    return CUDA_SUCCESS;
  });
}

HEDDLE_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol) {
  return withKernel(symbol, [&](CUfunction kernel) {
    return ask<&Cu::cuKernelGetFunction>(function, reinterpret_cast<CUkernel>(kernel));
  });
}

HEDDLE_API cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
                                                       cudaFuncAttribute attribute, int value,
                                                       int device) {
  return withKernel(kernel, [&](CUfunction found) {
    return ask<&Cu::cuKernelSetAttribute>(static_cast<CUfunction_attribute>(attribute), value,
                                          reinterpret_cast<CUkernel>(found), device);
  });
}

// ---------------------------------------------------------------------------------------------------
// Occupancy.

HEDDLE_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *func, int blockSize, size_t dynamicShared, unsigned flags) {
  return withKernel(func, [&](CUfunction kernel) {
    return ask<&Cu::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags>(blocks, kernel, blockSize,
                                                                          dynamicShared, flags);
  });
}

HEDDLE_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func,
                                                                     int blockSize,
                                                                     size_t dynamicShared) {
  return named([&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, func, blockSize, dynamicShared, cudaOccupancyDefault);
  });
}

HEDDLE_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *func,
                                                                 int blocks, int blockSize) {
  return withKernel(func, [&](CUfunction kernel) {
    return ask<&Cu::cuOccupancyAvailableDynamicSMemPerBlock>(bytes, kernel, blocks, blockSize);
  });
}

HEDDLE_API cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *func,
                                                            const cudaLaunchConfig_t *config) {
  return withKernel(func, [&](CUfunction kernel) {
    return ask<&Cu::cuOccupancyMaxPotentialClusterSize>(size, kernel, configOf(config));
  });
}

HEDDLE_API cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *func,
                                                      const cudaLaunchConfig_t *config) {
  return withKernel(func, [&](CUfunction kernel) {
    return ask<&Cu::cuOccupancyMaxActiveClusters>(clusters, kernel, configOf(config));
  });
}
