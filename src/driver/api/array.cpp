// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA arrays (driver API, "Memory Management": cuArray*, cuMipmappedArray*). Their flags are the
// runtime API's.
#include "driver/memory/array.h"
#include "driver/api/addresses.h"
#include "driver/memory/array_format.h"
#include "driver/functions.h"

namespace heddle::driver {

namespace {

/// Of version 1, too, whose numbers have 32 bits.
template <typename Descriptor> CUDA_ARRAY3D_DESCRIPTOR flat(const Descriptor &d) {
  return {d.Width, d.Height, 0, d.Format, d.NumChannels, 0};
}
template <typename Descriptor> CUDA_ARRAY3D_DESCRIPTOR deep(const Descriptor &d) {
  return {d.Width, d.Height, d.Depth, d.Format, d.NumChannels, d.Flags};
}

/// Runs `make(format, extent, flags)` for a descriptor.
template <typename F> CUresult withDescriptor(const CUDA_ARRAY3D_DESCRIPTOR &d, F &&make) {
  cudaChannelFormatDesc format;
  if (CUresult error = channelFormat(d.Format, d.NumChannels, format))
    return error;
  return make(format, cudaExtent{d.Width, d.Height, d.Depth}, d.Flags);
}

CUresult create(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR &descriptor) {
  if (!array)
    return CUDA_ERROR_INVALID_VALUE;
  return withDescriptor(descriptor, [&](auto &format, cudaExtent extent, unsigned flags) {
    return cudaMalloc3DArray(reinterpret_cast<cudaArray_t *>(array), &format, extent, flags);
  });
}

template <typename Number, typename Descriptor>
void tellExtent(const cudaArray &array, Descriptor &out) {
  out.Width = static_cast<Number>(array.extent.width);
  out.Height = static_cast<Number>(array.extent.height);
  out.Format = arrayFormat(array.format);
  out.NumChannels = channelsOf(array.format);
}

/// Runs `tell(array)` for a live handle.
template <typename F> CUresult withArray(const void *out, CUarray handle, F &&tell) {
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  const cudaArray_t array = asArray(handle);
  if (!isArray(array))
    return CUDA_ERROR_INVALID_HANDLE;
  tell(*array);
  return CUDA_SUCCESS;
}

template <typename Number, typename Descriptor> CUresult tellFlat(Descriptor *out, CUarray handle) {
  return withArray(out, handle, [&](const cudaArray &array) { tellExtent<Number>(array, *out); });
}

template <typename Number, typename Descriptor> CUresult tellDeep(Descriptor *out, CUarray handle) {
  return withArray(out, handle, [&](const cudaArray &array) {
    tellExtent<Number>(array, *out);
    out->Depth = static_cast<Number>(array.extent.depth);
    out->Flags = array.flags;
  });
}

} // namespace

CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *descriptor) {
  return descriptor ? create(array, flat(*descriptor)) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR_v1 *descriptor) {
  return descriptor ? create(array, flat(*descriptor)) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor) {
  return descriptor ? create(array, *descriptor) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR_v1 *descriptor) {
  return descriptor ? create(array, deep(*descriptor)) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray array) {
  return tellFlat<size_t>(descriptor, array);
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR_v1 *descriptor, CUarray array) {
  return tellFlat<unsigned>(descriptor, array);
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray array) {
  return tellDeep<size_t>(descriptor, array);
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR_v1 *descriptor, CUarray array) {
  return tellDeep<unsigned>(descriptor, array);
}

CUresult cuArrayDestroy(CUarray array) {
  return isArray(asArray(array)) ? cudaFreeArray(asArray(array)) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements, CUarray array,
                                      CUdevice device) {
  return cudaArrayGetMemoryRequirements(
      reinterpret_cast<cudaArrayMemoryRequirements *>(requirements), asArray(array), device);
}

// ---------------------------------------------------------------------------------------------------
// Mipmapped ones.

CUresult cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                                unsigned levels) {
  if (!array || !descriptor || !levels)
    return CUDA_ERROR_INVALID_VALUE;
  return withDescriptor(*descriptor, [&](auto &format, cudaExtent extent, unsigned flags) {
    return cudaMallocMipmappedArray(reinterpret_cast<cudaMipmappedArray_t *>(array), &format,
                                    extent, levels, flags);
  });
}

CUresult cuMipmappedArrayGetLevel(CUarray *level, CUmipmappedArray array, unsigned index) {
  if (!isMipmap(asMipmap(array)))
    return level ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  return cudaGetMipmappedArrayLevel(reinterpret_cast<cudaArray_t *>(level), asMipmap(array), index);
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray array) {
  return isMipmap(asMipmap(array)) ? cudaFreeMipmappedArray(asMipmap(array))
                                   : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements,
                                               CUmipmappedArray array, CUdevice device) {
  return cudaMipmappedArrayGetMemoryRequirements(
      reinterpret_cast<cudaArrayMemoryRequirements *>(requirements), asMipmap(array), device);
}

// ---------------------------------------------------------------------------------------------------
// No array has several planes or is sparse.

CUresult cuArrayGetPlane(CUarray *plane, CUarray array, unsigned index) {
  return cudaArrayGetPlane(reinterpret_cast<cudaArray_t *>(plane), asArray(array), index);
}

CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties, CUarray array) {
  return cudaArrayGetSparseProperties(reinterpret_cast<cudaArraySparseProperties *>(properties),
                                      asArray(array));
}

CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties,
                                             CUmipmappedArray array) {
  return cudaMipmappedArrayGetSparseProperties(
      reinterpret_cast<cudaArraySparseProperties *>(properties), asMipmap(array));
}

} // namespace heddle::driver
