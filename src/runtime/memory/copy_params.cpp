// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/copy_params.h"

#include "runtime/memory/array_format.h"

#include "base/checked.h"

#include <algorithm>

namespace heddle::runtime {

namespace {

CUmemorytype typeOf(cudaMemcpyKind kind, bool isDevice) {
  return kind == cudaMemcpyDefault ? CU_MEMORYTYPE_UNIFIED
         : isDevice                ? CU_MEMORYTYPE_DEVICE
                                   : CU_MEMORYTYPE_HOST;
}

/// One side of cudaMemcpy3D: an array or a pitched pointer, exactly one. Positions count elements
/// of an array and bytes of linear memory.
struct Side3D {
  cudaArray_t array;
  cudaPos at;
  cudaPitchedPtr linear;
};

template <class Params> Side3D targetOf(const Params &p) {
  return {p.dstArray, p.dstPos, p.dstPtr};
}
template <class Params> Side3D sourceOf(const Params &p) {
  return {p.srcArray, p.srcPos, p.srcPtr};
}

/// Bytes of an array's elements; 1 of linear memory, which has none.
CUresult elementBytesOf(cudaArray_t array, size_t &bytes) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor;
  bytes = 1;
  if (!array)
    return CUDA_SUCCESS;
  if (CUresult error = describe(array, descriptor))
    return error;
  bytes = elementBytes(descriptor);
  return CUDA_SUCCESS;
}

/// A box in an array, which must hold it. `copied`: width in bytes.
CUresult resolveArray(cudaArray_t array, const cudaPos &at, const cudaExtent &copied,
                      CopySide &out) {
  CUDA_ARRAY3D_DESCRIPTOR d;
  if (CUresult error = describe(array, d))
    return error;
  const size_t bytes = elementBytes(d);
  auto fits = [](Checked start, size_t count, size_t size) { return start + count <= size; };
  out = inArray(array, Checked(at.x) * bytes, at.y, at.z);
  return fits(out.x, copied.width, d.Width * bytes) &&
                 fits(at.y, copied.height, std::max<size_t>(1, d.Height)) &&
                 fits(at.z, copied.depth, std::max<size_t>(1, d.Depth))
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

/// Whose copy it is: those of nodes may leave out what a single row does not need.
enum class Form { Call, Node };

/// `copied`: width in bytes.
CUresult resolve(const Side3D &side, const cudaExtent &copied, CUmemorytype type, Form form,
                 CopySide &out) {
  if (side.array)
    return resolveArray(side.array, side.at, copied, out);
  const cudaPitchedPtr &p = side.linear;
  if (!p.ptr)
    return CUDA_ERROR_INVALID_VALUE;
  if (form == Form::Node && copied.height == 1 && copied.depth == 1 && !p.pitch) {
    out = {type, p.ptr, nullptr, side.at.x, side.at.y, side.at.z, 0, p.ysize};
    if (side.at.y || side.at.z)
      out.pitch = Checked(side.at.x) + copied.width, out.height = Checked(side.at.y) + 1;
    return CUDA_SUCCESS;
  }
  if (CUresult error =
          checkPitch(p.pitch, Checked(side.at.x) + copied.width, copied.height, copied.depth))
    return error;
  if (p.ysize < Checked(side.at.y) + copied.height)
    return copied.depth > 1 ? CUresult(cudaErrorInvalidPitchValue) : CUDA_ERROR_INVALID_VALUE;
  out = {type, p.ptr, nullptr, side.at.x, side.at.y, side.at.z, p.pitch, p.ysize};
  return CUDA_SUCCESS;
}

template <class Copy>
CUresult read(const Side3D &to, const Side3D &from, const cudaExtent &extent, cudaMemcpyKind kind,
              Form form, Copy &copy) {
  if (!isValidKind(kind))
    return WrongDirection;
  if ((to.array && to.linear.ptr) || (from.array && from.linear.ptr))
    return CUDA_ERROR_INVALID_VALUE;
  if (kind != cudaMemcpyDefault &&
      ((to.array && !toDevice(kind)) || (from.array && !fromDevice(kind))))
    return WrongDirection;
  size_t bytes;
  if (CUresult error = elementBytesOf(to.array ? to.array : from.array, bytes))
    return error;
  const cudaExtent copied = {Checked(extent.width) * bytes, extent.height, extent.depth};
  CopySide target, source;
  if (CUresult error = resolve(to, copied, typeOf(kind, toDevice(kind)), form, target))
    return error;
  if (CUresult error = resolve(from, copied, typeOf(kind, fromDevice(kind)), form, source))
    return error;
  copy = {};
  setSides(copy, target, source);
  copy.WidthInBytes = copied.width;
  copy.Height = copied.height;
  copy.Depth = copied.depth;
  return CUDA_SUCCESS;
}

template <class Copy> void setTarget(Copy &copy, const CopySide &side) {
  copy.dstMemoryType = side.type;
  copy.dstXInBytes = side.x;
  copy.dstY = side.y;
  copy.dstHost = side.isOnHost() ? side.pointer : nullptr;
  copy.dstDevice = side.isOnHost() ? 0 : addressOf(side.pointer);
  copy.dstArray = handleOf(side.array);
  copy.dstPitch = side.pitch;
}

template <class Copy> void setSource(Copy &copy, const CopySide &side) {
  copy.srcMemoryType = side.type;
  copy.srcXInBytes = side.x;
  copy.srcY = side.y;
  copy.srcHost = side.isOnHost() ? side.pointer : nullptr;
  copy.srcDevice = side.isOnHost() ? 0 : addressOf(side.pointer);
  copy.srcArray = handleOf(side.array);
  copy.srcPitch = side.pitch;
}

/// A kind whose sides are of such types; an array is device memory.
cudaMemcpyKind kindOf(CUmemorytype to, CUmemorytype from) {
  if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED)
    return cudaMemcpyDefault;
  const bool toHost = to == CU_MEMORYTYPE_HOST;
  if (from == CU_MEMORYTYPE_HOST)
    return toHost ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
  return toHost ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

/// The inverse of resolve. The driver knows no width of the memory's rows: they are as long as their
/// distance.
Side3D tellSide(const CopySide &side, size_t bytes) {
  if (side.type == CU_MEMORYTYPE_ARRAY)
    return {side.array, {side.x / bytes, side.y, side.z}, {}};
  return {nullptr, {side.x, side.y, side.z}, {side.pointer, side.pitch, side.pitch, side.height}};
}

} // namespace

CopySide targetOf(void *p, size_t pitch, cudaMemcpyKind kind) {
  return {typeOf(kind, toDevice(kind)), p, nullptr, 0, 0, 0, pitch, 0};
}

CopySide sourceOf(const void *p, size_t pitch, cudaMemcpyKind kind) {
  return {typeOf(kind, fromDevice(kind)), const_cast<void *>(p), nullptr, 0, 0, 0, pitch, 0};
}

CopySide inArray(cudaArray_const_t array, size_t x, size_t y, size_t z) {
  return {CU_MEMORYTYPE_ARRAY, nullptr, const_cast<cudaArray_t>(array), x, y, z, 0, 0};
}

template <class Copy> void setSides(Copy &copy, const CopySide &to, const CopySide &from) {
  setTarget(copy, to);
  setSource(copy, from);
  if constexpr (requires { copy.Depth; }) {
    copy.dstZ = to.z;
    copy.srcZ = from.z;
    copy.dstHeight = to.height;
    copy.srcHeight = from.height;
  }
}
template void setSides(CUDA_MEMCPY2D &, const CopySide &, const CopySide &);
template void setSides(CUDA_MEMCPY3D &, const CopySide &, const CopySide &);
template void setSides(CUDA_MEMCPY3D_PEER &, const CopySide &, const CopySide &);

CUresult checkPitch(size_t pitch, size_t width, size_t height, size_t depth) {
  const bool isRow = height == 1 && depth == 1;
  if (pitch >= width || (!pitch && isRow))
    return CUDA_SUCCESS;
  return isRow ? CUDA_ERROR_INVALID_VALUE : CUresult(cudaErrorInvalidPitchValue);
}

CUresult readCopy(const cudaMemcpy3DParms &p, CUDA_MEMCPY3D &copy) {
  return read(targetOf(p), sourceOf(p), p.extent, p.kind, Form::Call, copy);
}

CUresult readCopy(const cudaMemcpy3DPeerParms &p, CUDA_MEMCPY3D_PEER &copy) {
  return read(targetOf(p), sourceOf(p), p.extent, cudaMemcpyDeviceToDevice, Form::Call, copy);
}

CUresult readNodeCopy(const cudaMemcpy3DParms *p, CUDA_MEMCPY3D &copy) {
  if (!p || isEmpty(p->extent))
    return CUDA_ERROR_INVALID_VALUE;
  return read(targetOf(*p), sourceOf(*p), p->extent, p->kind, Form::Node, copy);
}

CUresult readNodeCopy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                      CUDA_MEMCPY3D &copy) {
  if (!isValidKind(kind))
    return WrongDirection;
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  copy = {};
  setSides(copy, targetOf(to, 0, kind), sourceOf(from, 0, kind));
  copy.WidthInBytes = bytes;
  copy.Height = copy.Depth = 1;
  return CUDA_SUCCESS;
}

CUresult tellCopy(const CUDA_MEMCPY3D &c, cudaMemcpy3DParms &params) {
  const CopySide to = {c.dstMemoryType,
                       c.dstMemoryType == CU_MEMORYTYPE_HOST ? c.dstHost : pointerTo(c.dstDevice),
                       reinterpret_cast<cudaArray_t>(c.dstArray),
                       c.dstXInBytes,
                       c.dstY,
                       c.dstZ,
                       c.dstPitch,
                       c.dstHeight};
  const CopySide from = {c.srcMemoryType,
                         c.srcMemoryType == CU_MEMORYTYPE_HOST ? const_cast<void *>(c.srcHost)
                                                               : pointerTo(c.srcDevice),
                         reinterpret_cast<cudaArray_t>(c.srcArray),
                         c.srcXInBytes,
                         c.srcY,
                         c.srcZ,
                         c.srcPitch,
                         c.srcHeight};
  size_t toBytes, fromBytes;
  if (CUresult error = elementBytesOf(to.array, toBytes))
    return error;
  if (CUresult error = elementBytesOf(from.array, fromBytes))
    return error;
  const Side3D target = tellSide(to, toBytes);
  const Side3D source = tellSide(from, fromBytes);
  params = {source.array, source.at, source.linear, target.array, target.at, target.linear, {}, {}};
  params.extent = {c.WidthInBytes / (to.array ? toBytes : fromBytes), c.Height, c.Depth};
  params.kind = kindOf(to.type, from.type);
  return CUDA_SUCCESS;
}

} // namespace heddle::runtime
