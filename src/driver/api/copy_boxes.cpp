// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of boxes (driver API, "Memory Management": cuMemcpy2D, cuMemcpy3D and their like).
#include "driver/api/addresses.h"
#include "driver/copies/checked.h"
#include "driver/copies/copy.h"
#include "driver/device/context.h"
#include "driver/functions.h"

namespace heddle::driver {

namespace {

/// One side of a copy as its structure tells it.
struct Place {
  CUmemorytype type;
  const void *host;
  CUdeviceptr device;
  CUarray array;
  size_t x, y, z, pitch, height;
};

/// `height`: rows of a slice, which a box within one slice does not need.
CUresult linearPlace(const Place &place, const void *start, bool onDevice, const Box &box,
                     Side &side) {
  const Checked pitch = place.pitch, slice = pitch * place.height;
  if (!start)
    return CUDA_ERROR_INVALID_VALUE;
  const Checked width = place.x, rows = place.y, slices = place.z;
  if (CUresult error =
          checkPitch(pitch, {width + box.width, rows + box.height, slices + box.depth}))
    return error;
  const bool isOneSlice = box.depth == 1 && place.z == 0;
  if (place.height < Checked(place.y) + box.height && (place.height || !isOneSlice))
    return CUDA_ERROR_INVALID_VALUE;
  const Checked offset = slice * place.z + pitch * place.y + place.x;
  if (!isUsersSpace(start, offset))
    return CUDA_ERROR_INVALID_VALUE;
  return linearSide(static_cast<const uint8_t *>(start) + offset, pitch, slice, box, onDevice,
                    side);
}

CUresult arrayPlace(const Place &place, const Box &box, Side &side) {
  const cudaArray_t array = asArray(place.array);
  if (!isArray(array))
    return CUDA_ERROR_INVALID_HANDLE;
  if (place.x % array->elementBytes || box.width % array->elementBytes)
    return CUDA_ERROR_INVALID_VALUE;
  return arraySide(array, place.x, place.y, place.z, box, side);
}

CUresult sideOf(const Place &place, const Box &box, Side &side) {
  switch (place.type) {
  case CU_MEMORYTYPE_HOST:
    return linearPlace(place, place.host, false, box, side);
  case CU_MEMORYTYPE_DEVICE:
    return linearPlace(place, pointerTo(place.device), true, box, side);
  case CU_MEMORYTYPE_UNIFIED:
    return linearPlace(place, pointerTo(place.device), false, box, side);
  case CU_MEMORYTYPE_ARRAY:
    return arrayPlace(place, box, side);
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult copyBox(const Place &to, const Place &from, const Box &box, CopyStream where) {
  if (box.empty())
    return CUDA_SUCCESS;
  Side target, source;
  if (CUresult error = sideOf(to, box, target))
    return error;
  if (CUresult error = sideOf(from, box, source))
    return error;
  return copy(target, source, box, where);
}

CUresult copy2D(const CUDA_MEMCPY2D *c, CopyStream where) {
  if (!c)
    return CUDA_ERROR_INVALID_VALUE;
  const Place to = {
      c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, c->dstXInBytes, c->dstY, 0,
      c->dstPitch,      0};
  const Place from = {
      c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, c->srcXInBytes, c->srcY, 0,
      c->srcPitch,      0};
  return copyBox(to, from, {c->WidthInBytes, c->Height}, where);
}

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

CUresult copy3D(const CUDA_MEMCPY3D *c, CopyStream where) {
  return c && !c->reserved0 && !c->reserved1 ? copySlices(*c, where) : CUDA_ERROR_INVALID_VALUE;
}

/// Only linear memory of a device needs its context.
bool hasContext(CUmemorytype type, CUcontext context) {
  return type != CU_MEMORYTYPE_DEVICE || findContext(context);
}

CUresult copyPeer3D(const CUDA_MEMCPY3D_PEER *c, CopyStream where) {
  if (!c)
    return CUDA_ERROR_INVALID_VALUE;
  if (!hasContext(c->dstMemoryType, c->dstContext) || !hasContext(c->srcMemoryType, c->srcContext))
    return CUDA_ERROR_INVALID_CONTEXT;
  return copySlices(*c, where);
}

} // namespace

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *c) { return copy2D(c, blocking()); }

/// Any pitch is as good as another here.
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *c) { return copy2D(c, blocking()); }

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *c, CUstream stream) {
  return copy2D(c, inStream(stream));
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *c) { return copy3D(c, blocking()); }

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *c, CUstream stream) {
  return copy3D(c, inStream(stream));
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *c) { return copyPeer3D(c, blocking()); }

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *c, CUstream stream) {
  return copyPeer3D(c, inStream(stream));
}

} // namespace heddle::driver
