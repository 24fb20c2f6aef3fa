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

/// Copies a box between two places. Nothing to copy is no error. `cutsElements`: the box may begin
/// and end within elements of an array.
CUresult copyBox(const Place &to, const Place &from, const Box &, CopyStream,
                 bool cutsElements = false);

/// The common part of CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER.
template <typename Copy> CUresult copySlices(const Copy &c, CopyStream where) {
  const Place to = {c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstXInBytes,
                    c.dstY,          c.dstZ,    c.dstPitch,  c.dstHeight};
  const Place from = {c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcXInBytes,
                      c.srcY,          c.srcZ,    c.srcPitch,  c.srcHeight};
  if (c.srcLOD || c.dstLOD)
    return CUDA_ERROR_INVALID_VALUE;
  return copyBox(to, from, {c.WidthInBytes, c.Height, c.Depth}, where);
}

} // namespace heddle::driver
