// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA arrays (driver API, "Memory Management": cuArray*, cuMipmappedArray*). Their flags are the
// runtime API's.
#include "driver/functions.h"
#include "driver/memory/addresses.h"
#include "driver/memory/array.h"
#include "driver/memory/array_format.h"

namespace heddle::driver {

namespace {

CUDA_ARRAY3D_DESCRIPTOR flat(const CUDA_ARRAY_DESCRIPTOR &d) {
  return {d.Width, d.Height, 0, d.Format, d.NumChannels, 0};
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
    return makeArray(*array, format, extent, flags);
  });
}

template <typename Descriptor> void tellExtent(const cudaArray &array, Descriptor &out) {
  out.Width = array.extent.width;
  out.Height = array.extent.height;
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

} // namespace

CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *descriptor) {
  return descriptor ? create(array, flat(*descriptor)) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor) {
  return descriptor ? create(array, *descriptor) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray array) {
  return withArray(descriptor, array, [&](const cudaArray &a) { tellExtent(a, *descriptor); });
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray array) {
  return withArray(descriptor, array, [&](const cudaArray &a) {
    tellExtent(a, *descriptor);
    descriptor->Depth = a.extent.depth;
    descriptor->Flags = a.flags;
  });
}

CUresult cuArrayDestroy(CUarray array) {
  return isArray(asArray(array)) ? freeArray(asArray(array)) : CUDA_ERROR_INVALID_HANDLE;
}

// ---------------------------------------------------------------------------------------------------
// Mipmapped ones.

/// One level at least, and at most as many as the extent has.
CUresult cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                                unsigned levels) {
  if (!array || !descriptor)
    return CUDA_ERROR_INVALID_VALUE;
  return withDescriptor(*descriptor, [&](auto &format, cudaExtent extent, unsigned flags) {
    return makeMipmapped(*array, format, extent, levels, flags);
  });
}

CUresult cuMipmappedArrayGetLevel(CUarray *level, CUmipmappedArray array, unsigned index) {
  const cudaMipmappedArray_t mipmap = asMipmap(array);
  if (!level)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isMipmap(mipmap))
    return CUDA_ERROR_INVALID_HANDLE;
  if (index >= mipmap->levels.size())
    return CUDA_ERROR_INVALID_VALUE;
  *level = reinterpret_cast<CUarray>(mipmap->levels[index].get());
  return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray array) {
  return isMipmap(asMipmap(array)) ? freeMipmapped(asMipmap(array)) : CUDA_ERROR_INVALID_HANDLE;
}

// ---------------------------------------------------------------------------------------------------
// No array has several planes.

CUresult cuArrayGetPlane(CUarray *, CUarray array, unsigned) {
  return isArray(asArray(array)) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}

} // namespace heddle::driver
