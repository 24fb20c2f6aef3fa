// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/copies/copy.h"

namespace heddle::driver {

/// One side of a copy as its structure tells it.
struct Place {
  CUmemorytype type;
  const void *host;
  CUdeviceptr device;
  CUarray array;
  size_t x, y, z, pitch, height;
};

/// The copy of a box between two places. Errors: CUDA_ERROR_INVALID_VALUE;
/// CUDA_ERROR_INVALID_HANDLE for what is no array.
CUresult readBox(const Place &to, const Place &from, const Box &, CopyWork &);
/// Copies it. Nothing to copy is no error.
CUresult copyBox(const Place &to, const Place &from, const Box &, CopyStream);

/// The places and the box of CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER.
template <typename Copy> Place targetOf(const Copy &c) {
  return {c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstXInBytes,
          c.dstY,          c.dstZ,    c.dstPitch,  c.dstHeight};
}
template <typename Copy> Place sourceOf(const Copy &c) {
  return {c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcXInBytes,
          c.srcY,          c.srcZ,    c.srcPitch,  c.srcHeight};
}
template <typename Copy> Box boxOf(const Copy &c) { return {c.WidthInBytes, c.Height, c.Depth}; }

/// It names a level of an array that has none. For memory nobody looks at it.
template <typename Copy> bool namesLevel(const Copy &c) {
  return (c.srcMemoryType == CU_MEMORYTYPE_ARRAY && c.srcLOD) ||
         (c.dstMemoryType == CU_MEMORYTYPE_ARRAY && c.dstLOD);
}

template <typename Copy> CUresult copySlices(const Copy &c, CopyStream where) {
  if (namesLevel(c))
    return CUDA_ERROR_INVALID_VALUE;
  return copyBox(targetOf(c), sourceOf(c), boxOf(c), where);
}

} // namespace heddle::driver
