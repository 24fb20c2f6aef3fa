// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 3D copies as the runtime API describes them, for memcpy nodes and device code.
#include "driver/copies/checked.h"
#include "driver/copies/copy.h"

using namespace heddle::driver;

namespace {

/// One side of cudaMemcpy3D: an array or a pitched pointer, exactly one. Positions count elements
/// of an array and bytes of linear memory.
struct Side3D {
  cudaArray_t array;
  cudaPos pos;
  cudaPitchedPtr pointer;
};

CUresult resolve(const Side3D &side, const Box &box, bool onDevice, Side &out) {
  if (side.array) {
    if (!isArray(side.array))
      return CUDA_ERROR_INVALID_HANDLE;
    return arraySide(side.array, Checked(side.pos.x) * side.array->elementBytes, side.pos.y,
                     side.pos.z, box, out);
  }
  const cudaPitchedPtr &p = side.pointer;
  if (!p.ptr)
    return CUDA_ERROR_INVALID_VALUE;
  const Checked x = side.pos.x, y = side.pos.y, z = side.pos.z, pitch = p.pitch;
  if (CUresult error = checkPitch(pitch, {x + box.width, box.height, box.depth}))
    return error;
  if (p.ysize < y + box.height)
    return box.depth > 1 ? CUresult(cudaErrorInvalidPitchValue) : CUDA_ERROR_INVALID_VALUE;
  const Checked slice = pitch * p.ysize, offset = z * slice + y * pitch + x;
  if (!isUsersSpace(p.ptr, offset))
    return CUDA_ERROR_INVALID_VALUE;
  const char *start = static_cast<const char *>(p.ptr) + offset;
  return linearSide(start, p.pitch, slice, box, onDevice, out);
}

CUresult read3D(const Side3D &to, const Side3D &from, const cudaExtent &extent, cudaMemcpyKind kind,
                CopyWork &work) {
  const cudaArray_t array = to.array ? to.array : from.array;
  if (!isValidKind(kind))
    return CUresult(cudaErrorInvalidMemcpyDirection);
  if ((to.array && to.pointer.ptr) || (from.array && from.pointer.ptr))
    return CUDA_ERROR_INVALID_VALUE;
  if (kind != cudaMemcpyDefault &&
      ((to.array && !toDevice(kind)) || (from.array && !fromDevice(kind))))
    return CUresult(cudaErrorInvalidMemcpyDirection);
  if (array && !isArray(array))
    return CUDA_ERROR_INVALID_HANDLE;
  work.box = {Checked(extent.width) * (array ? array->elementBytes : 1), extent.height,
              extent.depth};
  if (CUresult error = resolve(to, work.box, toDevice(kind), work.to))
    return error;
  return resolve(from, work.box, fromDevice(kind), work.from);
}

bool isEmpty(const cudaExtent &extent) { return !extent.width || !extent.height || !extent.depth; }

CUresult copySides(const Side3D &to, const Side3D &from, const cudaExtent &extent,
                   cudaMemcpyKind kind, CopyStream where) {
  CopyWork work;
  if (isEmpty(extent))
    return CUDA_SUCCESS;
  if (CUresult error = read3D(to, from, extent, kind, work))
    return error;
  return copy(work.to, work.from, work.box, where);
}

} // namespace

CUresult heddle::driver::copy3D(const cudaMemcpy3DParms *p, CopyStream where) {
  if (!p)
    return CUDA_ERROR_INVALID_VALUE;
  return copySides({p->dstArray, p->dstPos, p->dstPtr}, {p->srcArray, p->srcPos, p->srcPtr},
                   p->extent, p->kind, where);
}

CUresult heddle::driver::readCopy3D(const cudaMemcpy3DParms *p, CopyWork &work) {
  if (!p || isEmpty(p->extent))
    return CUDA_ERROR_INVALID_VALUE;
  Side3D to = {p->dstArray, p->dstPos, p->dstPtr}, from = {p->srcArray, p->srcPos, p->srcPtr};
  const bool isOneRow = p->extent.height == 1 && p->extent.depth == 1;
  for (Side3D *side : {&to, &from})
    if (isOneRow && !side->pointer.pitch) { // a row needs none
      side->pointer.pitch = Checked(side->pos.x) + p->extent.width;
      side->pointer.ysize = Checked(side->pos.y) + 1;
    }
  return read3D(to, from, p->extent, p->kind, work);
}
