// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies to, from and between arrays, and the 3D copies.
#include "driver/copies/checked.h"
#include "driver/copies/copy.h"

#include <cstring>

using namespace heddle::driver;

namespace {

/// An array is device memory: a kind that says otherwise of its side is an error of direction.
bool fitsArray(cudaMemcpyKind kind, bool saysDevice) {
  return isValidKind(kind) && (kind == cudaMemcpyDefault || saysDevice);
}

CUresult copyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                     const Box &box, cudaMemcpyKind kind, CopyStream where) {
  if (!fitsArray(kind, toDevice(kind)))
    return CUresult(cudaErrorInvalidMemcpyDirection);
  if (box.empty())
    return CUDA_SUCCESS;
  if (CUresult error = checkPitch(pitch, box))
    return error;
  Side target, source;
  if (CUresult error = arraySide(to, x, y, 0, box, target))
    return error;
  if (CUresult error = linearSide(from, pitch, 0, box, fromDevice(kind), source))
    return error;
  return copy(target, source, box, where);
}

CUresult copyFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                       const Box &box, cudaMemcpyKind kind, CopyStream where) {
  if (!fitsArray(kind, fromDevice(kind)))
    return CUresult(cudaErrorInvalidMemcpyDirection);
  if (box.empty())
    return CUDA_SUCCESS;
  if (CUresult error = checkPitch(pitch, box))
    return error;
  Side target, source;
  if (CUresult error = arraySide(from, x, y, 0, box, source))
    return error;
  if (CUresult error = linearSide(to, pitch, 0, box, toDevice(kind), target))
    return error;
  return copy(target, source, box, where);
}

CUresult copyBetweenArrays(cudaArray_t to, size_t toX, size_t toY, cudaArray_const_t from,
                           size_t fromX, size_t fromY, const Box &box, cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return CUresult(cudaErrorInvalidMemcpyDirection);
  if (box.empty())
    return CUDA_SUCCESS;
  Side target, source;
  if (CUresult error = arraySide(to, toX, toY, 0, box, target))
    return error;
  if (CUresult error = arraySide(from, fromX, fromY, 0, box, source))
    return error;
  return copy(target, source, box, blocking());
}

/// The deprecated one-dimensional forms run over the ends of rows: `count` bytes from (x, y) on, in
/// an array that is one long row for them.
CUresult flatSide(cudaArray_const_t array, size_t x, size_t y, size_t count, Side &side) {
  if (!isArray(array))
    return CUDA_ERROR_INVALID_HANDLE;
  const size_t offset = y * array->rowBytes + x;
  if (x > array->rowBytes || y >= array->rows || count > array->rowBytes * array->rows - offset)
    return CUDA_ERROR_INVALID_VALUE;
  side.at = array->data + offset;
  side.pitch = count;
  side.array = const_cast<cudaArray_t>(array);
  side.pos = {x / array->elementBytes, y, 0};
  return CUDA_SUCCESS;
}

CUresult copyFlatTo(cudaArray_t to, size_t x, size_t y, const void *from, size_t count,
                    cudaMemcpyKind kind, CopyStream where) {
  if (!fitsArray(kind, toDevice(kind)))
    return CUresult(cudaErrorInvalidMemcpyDirection);
  if (count == 0)
    return CUDA_SUCCESS;
  Side target, source;
  if (CUresult error = flatSide(to, x, y, count, target))
    return error;
  if (CUresult error = linearSide(from, count, 0, {count}, fromDevice(kind), source))
    return error;
  return copy(target, source, {count}, where);
}

CUresult copyFlatFrom(void *to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                      cudaMemcpyKind kind, CopyStream where) {
  if (!fitsArray(kind, fromDevice(kind)))
    return CUresult(cudaErrorInvalidMemcpyDirection);
  if (count == 0)
    return CUDA_SUCCESS;
  Side target, source;
  if (CUresult error = flatSide(from, x, y, count, source))
    return error;
  if (CUresult error = linearSide(to, count, 0, {count}, toDevice(kind), target))
    return error;
  return copy(target, source, {count}, where);
}

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

namespace {

CUresult copyPeer3D(const cudaMemcpy3DPeerParms *p, CopyStream where) {
  if (!p)
    return CUDA_ERROR_INVALID_VALUE;
  const int count = static_cast<int>(state().devices.size());
  if (p->dstDevice < 0 || p->dstDevice >= count || p->srcDevice < 0 || p->srcDevice >= count)
    return CUDA_ERROR_INVALID_DEVICE;
  return copySides({p->dstArray, p->dstPos, p->dstPtr}, {p->srcArray, p->srcPos, p->srcPtr},
                   p->extent, cudaMemcpyDeviceToDevice, where);
}

} // namespace

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

CUresult heddle::driver::cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                             const void *src, size_t spitch, size_t width,
                                             size_t height, cudaMemcpyKind kind) {
  return enter([&] {
    return copyToArray(dst, wOffset, hOffset, src, spitch, {width, height}, kind, blocking());
  });
}

CUresult heddle::driver::cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                                  const void *src, size_t spitch, size_t width,
                                                  size_t height, cudaMemcpyKind kind,
                                                  cudaStream_t stream) {
  return enter([&] {
    return copyToArray(dst, wOffset, hOffset, src, spitch, {width, height}, kind, inStream(stream));
  });
}

CUresult heddle::driver::cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src,
                                               size_t wOffset, size_t hOffset, size_t width,
                                               size_t height, cudaMemcpyKind kind) {
  return enter([&] {
    return copyFromArray(dst, dpitch, src, wOffset, hOffset, {width, height}, kind, blocking());
  });
}

CUresult heddle::driver::cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src,
                                                    size_t wOffset, size_t hOffset, size_t width,
                                                    size_t height, cudaMemcpyKind kind,
                                                    cudaStream_t stream) {
  return enter([&] {
    return copyFromArray(dst, dpitch, src, wOffset, hOffset, {width, height}, kind,
                         inStream(stream));
  });
}

CUresult heddle::driver::cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst,
                                                  size_t hOffsetDst, cudaArray_const_t src,
                                                  size_t wOffsetSrc, size_t hOffsetSrc,
                                                  size_t width, size_t height,
                                                  cudaMemcpyKind kind) {
  return enter([&] {
    return copyBetweenArrays(dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc,
                             {width, height}, kind);
  });
}

CUresult heddle::driver::cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                           const void *src, size_t count, cudaMemcpyKind kind) {
  return enter([&] { return copyFlatTo(dst, wOffset, hOffset, src, count, kind, blocking()); });
}

CUresult heddle::driver::cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                                const void *src, size_t count, cudaMemcpyKind kind,
                                                cudaStream_t stream) {
  return enter(
      [&] { return copyFlatTo(dst, wOffset, hOffset, src, count, kind, inStream(stream)); });
}

CUresult heddle::driver::cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset,
                                             size_t hOffset, size_t count, cudaMemcpyKind kind) {
  return enter([&] { return copyFlatFrom(dst, src, wOffset, hOffset, count, kind, blocking()); });
}

CUresult heddle::driver::cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset,
                                                  size_t hOffset, size_t count, cudaMemcpyKind kind,
                                                  cudaStream_t stream) {
  return enter(
      [&] { return copyFlatFrom(dst, src, wOffset, hOffset, count, kind, inStream(stream)); });
}

CUresult heddle::driver::cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst,
                                                size_t hOffsetDst, cudaArray_const_t src,
                                                size_t wOffsetSrc, size_t hOffsetSrc, size_t count,
                                                cudaMemcpyKind kind) {
  return enter([&] {
    if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
      return CUresult(cudaErrorInvalidMemcpyDirection);
    Side target, source;
    if (CUresult error = flatSide(dst, wOffsetDst, hOffsetDst, count, target))
      return error;
    if (CUresult error = flatSide(src, wOffsetSrc, hOffsetSrc, count, source))
      return error;
    return count ? copy(target, source, {count}, blocking()) : CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaMemcpy3D(const cudaMemcpy3DParms *p) {
  return enter([&] { return copy3D(p, blocking()); });
}

CUresult heddle::driver::cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream) {
  return enter([&] { return copy3D(p, inStream(stream)); });
}

CUresult heddle::driver::cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *p) {
  return enter([&] { return copyPeer3D(p, blocking()); });
}

CUresult heddle::driver::cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *p,
                                               cudaStream_t stream) {
  return enter([&] { return copyPeer3D(p, inStream(stream)); });
}
