// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be asked of functions and kernels, and set on them (driver API, "Execution Control",
// "Library Management"). A function is a kernel in the current context; a kernel's attributes are
// those that it has in a device's primary one.
#include "driver/functions.h"
#include "driver/launch/launch.h"
#include "driver/modules/handles.h"
#include "driver/profiling.h"

namespace heddle::driver {

namespace {

CUresult tellAttribute(int *value, CUfunction_attribute attribute, const cudaFuncAttributes &a) {
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = a.maxThreadsPerBlock;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = static_cast<int>(a.sharedSizeBytes);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    *value = static_cast<int>(a.constSizeBytes);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    *value = static_cast<int>(a.localSizeBytes);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = a.numRegs;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    *value = a.ptxVersion;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    *value = a.binaryVersion;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    *value = a.cacheModeCA;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = a.maxDynamicSharedSizeBytes;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    *value = a.preferredShmemCarveout;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    *value = a.clusterDimMustBeSet;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    *value = a.requiredClusterWidth;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    *value = a.requiredClusterHeight;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    *value = a.requiredClusterDepth;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    *value = a.nonPortableClusterSizeAllowed;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    *value = a.clusterSchedulingPolicyPreference;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult getAttribute(int *value, CUfunction_attribute attribute, const void *handle,
                      Context &context) {
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  return withKernel(handle, context, [&](Function &function) {
    cudaFuncAttributes attributes;
    fillAttributes(function, context, attributes);
    return tellAttribute(value, attribute, attributes);
  });
}

CUresult setAttribute(const void *handle, CUfunction_attribute attribute, int value,
                      Context &context) {
  return withKernel(handle, context, [&](Function &function) {
    return setAttribute(function, context, static_cast<cudaFuncAttribute>(attribute), value);
  });
}

/// A hint, which logs of profiles show.
CUresult setCacheConfig(const void *handle, CUfunc_cache config, Context &context) {
  if (static_cast<unsigned>(config) > CU_FUNC_CACHE_PREFER_EQUAL)
    return CUDA_ERROR_INVALID_VALUE;
  return withKernel(handle, context, [&](Function &function) {
    profileCacheConfig(function, context, static_cast<int>(config));
    return CUDA_SUCCESS;
  });
}

CUresult getParamInfo(const void *handle, size_t index, size_t *offset, size_t *size,
                      Context &context) {
  return withKernel(handle, context, [&](Function &function) {
    auto params = function.image.params(*function.kernel);
    if (index >= params.size() || !offset)
      return CUDA_ERROR_INVALID_VALUE;
    *offset = params[index].offset;
    if (size)
      *size = params[index].size;
    return CUDA_SUCCESS;
  });
}

/// Runs `body(primary context)` for a device.
template <typename F> CUresult onDevice(CUdevice device, F &&body) {
  return isDevice(device) ? body(*state().devices[device]) : CUDA_ERROR_INVALID_DEVICE;
}

} // namespace

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  return withFunction(function, [&](Function &, Context &context) {
    return getAttribute(value, attribute, function, context);
  });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return withFunction(function, [&](Function &, Context &context) {
    return setAttribute(function, attribute, value, context);
  });
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  return withFunction(function, [&](Function &, Context &context) {
    return setCacheConfig(function, config, context);
  });
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config) {
  if (static_cast<unsigned>(config) > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
    return CUDA_ERROR_INVALID_VALUE;
  return withFunction(function, [](Function &, Context &) { return CUDA_SUCCESS; });
}

CUresult cuFuncGetName(const char **name, CUfunction function) {
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  return withFunction(function, [&](Function &found, Context &) {
    *name = found.name;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size) {
  return withFunction(function, [&](Function &, Context &context) {
    return getParamInfo(function, index, offset, size, context);
  });
}

/// A function is loaded when its module's variables have their memory in the context. Its code is
/// made for the launches that there are.
CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function) {
  if (!state)
    return CUDA_ERROR_INVALID_VALUE;
  return withFunction(function, [&](Function &found, Context &context) {
    *state = hasGlobals(*found.module, context) ? CU_FUNCTION_LOADING_STATE_LOADED
                                                : CU_FUNCTION_LOADING_STATE_UNLOADED;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncLoad(CUfunction function) {
  return withFunction(function, [](Function &found, Context &context) {
    auto globals = globalsOf(found, context);
    if (globals)
      return CUDA_SUCCESS;
    reportFailure("cuFuncLoad", globals.error());
    return CUDA_ERROR_OUT_OF_MEMORY;
  });
}

// ---------------------------------------------------------------------------------------------------
// Kernels.

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  if (!function)
    return CUDA_ERROR_INVALID_VALUE;
  return withKernel(kernel, currentContext(), [&](Function &) {
    *function = reinterpret_cast<CUfunction>(kernel);
    return CUDA_SUCCESS;
  });
}

CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel) {
  if (!library)
    return CUDA_ERROR_INVALID_VALUE;
  const Kernel *found = kernelOf(kernel);
  if (!found)
    return CUDA_ERROR_INVALID_HANDLE;
  *library = reinterpret_cast<CUlibrary>(found->binary->library);
  return CUDA_SUCCESS;
}

CUresult cuKernelGetName(const char **name, CUkernel kernel) {
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  const Kernel *found = kernelOf(kernel);
  if (!found)
    return CUDA_ERROR_INVALID_HANDLE;
  *name = found->name;
  return CUDA_SUCCESS;
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *size) {
  return getParamInfo(kernel, index, offset, size, currentContext());
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel,
                              CUdevice device) {
  return onDevice(
      device, [&](Context &primary) { return getAttribute(value, attribute, kernel, primary); });
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                              CUdevice device) {
  return onDevice(
      device, [&](Context &primary) { return setAttribute(kernel, attribute, value, primary); });
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device) {
  return onDevice(device,
                  [&](Context &primary) { return setCacheConfig(kernel, config, primary); });
}

} // namespace heddle::driver
