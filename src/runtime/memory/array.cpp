// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA arrays (runtime API, "Memory Management"). Their flags have the same numbers in both APIs.
#include "runtime/memory/array_format.h"
#include "runtime/memory/checks.h"

#include <algorithm>

using namespace heddle::runtime;

namespace {

constexpr auto Invalid = CUDA_ERROR_INVALID_VALUE;

/// What the runtime says of a handle that is no array's.
CUresult asValue(CUresult error) {
  return as(error, CUDA_ERROR_INVALID_HANDLE, cudaErrorInvalidValue);
}

/// Runs `make(descriptor)` for a new array.
template <class F>
CUresult withDescriptor(const void *out, const cudaChannelFormatDesc *format,
                        const cudaExtent &extent, unsigned flags, F &&make) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor;
  if (!out || !format)
    return answerUnsafe(Invalid);
  if (CUresult error = arrayDescriptor(*format, extent, flags, descriptor))
    return answerUnsafe(error);
  return make(descriptor);
}

CUresult makeArray(cudaArray_t *out, const cudaChannelFormatDesc *format, const cudaExtent &extent,
                   unsigned flags) {
  return withDescriptor(out, format, extent, flags, [&](CUDA_ARRAY3D_DESCRIPTOR &descriptor) {
    return ask<&Cu::cuArray3DCreate_v2>(reinterpret_cast<CUarray *>(out), &descriptor);
  });
}

} // namespace

HEDDLE_API cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *format,
                                       size_t width, size_t height, unsigned flags) {
  return translate([&] {
    return flags & (cudaArrayLayered | cudaArrayCubemap)
               ? answerUnsafe(Invalid)
               : makeArray(array, format, {width, height, 0}, flags);
  });
}

HEDDLE_API cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *format,
                                         cudaExtent extent, unsigned flags) {
  return translate([&] { return makeArray(array, format, extent, flags); });
}

/// There is one level at least.
HEDDLE_API cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array,
                                                const cudaChannelFormatDesc *format,
                                                cudaExtent extent, unsigned levels,
                                                unsigned flags) {
  return translate([&] {
    return withDescriptor(array, format, extent, flags, [&](CUDA_ARRAY3D_DESCRIPTOR &descriptor) {
      return ask<&Cu::cuMipmappedArrayCreate>(reinterpret_cast<CUmipmappedArray *>(array),
                                              &descriptor, levels);
    });
  });
}

HEDDLE_API cudaError_t cudaFreeArray(cudaArray_t array) {
  return translateCurrent([&] {
    return array ? asValue(ask<&Cu::cuArrayDestroy>(handleOf(array))) : answerUnsafe(CUDA_SUCCESS);
  });
}

HEDDLE_API cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  return translate([&] {
    return array ? asValue(ask<&Cu::cuMipmappedArrayDestroy>(handleOf(array)))
                 : answerUnsafe(CUDA_SUCCESS);
  });
}

HEDDLE_API cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level,
                                                  cudaMipmappedArray_const_t array,
                                                  unsigned index) {
  return translate([&] {
    return asValue(ask<&Cu::cuMipmappedArrayGetLevel>(reinterpret_cast<CUarray *>(level),
                                                      handleOf(array), index));
  });
}

HEDDLE_API cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *format, cudaExtent *extent,
                                        unsigned *flags, cudaArray_t array) {
  return translate([&] {
    CUDA_ARRAY3D_DESCRIPTOR d;
    if (CUresult error = describe(array, d))
      return error;
    if (format)
      *format = channelFormat(d.Format, d.NumChannels);
    if (extent)
      *extent = {d.Width, d.Height, d.Depth};
    if (flags)
      *flags = d.Flags;
    return CUDA_SUCCESS;
  });
}

// ---------------------------------------------------------------------------------------------------
// Requirements and properties have the same layout in both APIs (tests/headers/driver_runtime.cpp).

HEDDLE_API cudaError_t cudaArrayGetMemoryRequirements(cudaArrayMemoryRequirements *requirements,
                                                      cudaArray_t array, int device) {
  return translate([&] {
    return ask<&Cu::cuArrayGetMemoryRequirements>(
        reinterpret_cast<CUDA_ARRAY_MEMORY_REQUIREMENTS *>(requirements), handleOf(array), device);
  });
}

HEDDLE_API cudaError_t cudaMipmappedArrayGetMemoryRequirements(
    cudaArrayMemoryRequirements *requirements, cudaMipmappedArray_t array, int device) {
  return translate([&] {
    return ask<&Cu::cuMipmappedArrayGetMemoryRequirements>(
        reinterpret_cast<CUDA_ARRAY_MEMORY_REQUIREMENTS *>(requirements), handleOf(array), device);
  });
}

HEDDLE_API cudaError_t cudaArrayGetPlane(cudaArray_t *plane, cudaArray_t array, unsigned index) {
  return translate([&] {
    return ask<&Cu::cuArrayGetPlane>(reinterpret_cast<CUarray *>(plane), handleOf(array), index);
  });
}

HEDDLE_API cudaError_t cudaArrayGetSparseProperties(cudaArraySparseProperties *properties,
                                                    cudaArray_t array) {
  return translate([&] {
    return ask<&Cu::cuArrayGetSparseProperties>(
        reinterpret_cast<CUDA_ARRAY_SPARSE_PROPERTIES *>(properties), handleOf(array));
  });
}

HEDDLE_API cudaError_t cudaMipmappedArrayGetSparseProperties(cudaArraySparseProperties *properties,
                                                             cudaMipmappedArray_t array) {
  return translate([&] {
    return ask<&Cu::cuMipmappedArrayGetSparseProperties>(
        reinterpret_cast<CUDA_ARRAY_SPARSE_PROPERTIES *>(properties), handleOf(array));
  });
}
