// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of boxes (driver API, "Memory Management": cuMemcpy2D, cuMemcpy3D and their like). Those
// between contexts are in device/peer_copies.cpp.
#include "driver/copies/box_copies.h"

#include "driver/copies/checked.h"
#include "driver/functions.h"
#include "driver/memory/addresses.h"
#include "driver/memory/explain.h"

namespace heddle::driver {

namespace {

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

/// The box may begin and end within elements, as on an H200.
CUresult arrayPlace(const Place &place, const Box &box, Side &side) {
  const cudaArray_t array = asArray(place.array);
  if (!place.array)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isArray(array))
    return CUDA_ERROR_INVALID_HANDLE;
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

} // namespace

CUresult readBox(const Place &to, const Place &from, const Box &box, CopyWork &work) {
  work.box = box;
  if (CUresult error = sideOf(to, box, work.to))
    return error;
  if (CUresult error = sideOf(from, box, work.from))
    return error;
  if (to.type == CU_MEMORYTYPE_HOST)
    checkHostSide(work.to.at, spanOf(work.to, box), true);
  if (from.type == CU_MEMORYTYPE_HOST)
    checkHostSide(work.from.at, spanOf(work.from, box), false);
  return CUDA_SUCCESS;
}

CUresult copyBox(const Place &to, const Place &from, const Box &box, CopyStream where) {
  CopyWork work;
  if (box.empty())
    return CUDA_SUCCESS;
  if (CUresult error = readBox(to, from, box, work))
    return error;
  return copy(work.to, work.from, box, where);
}

namespace {

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

CUresult copy3D(const CUDA_MEMCPY3D *c, CopyStream where) {
  return c && !c->reserved0 && !c->reserved1 ? copySlices(*c, where) : CUDA_ERROR_INVALID_VALUE;
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

} // namespace heddle::driver
