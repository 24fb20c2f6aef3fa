// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of memcpy nodes as both APIs describe them.
#include "driver/api/node_params.h"

#include "driver/memory/array.h"

#include <algorithm>

namespace heddle::driver {

namespace {

/// One side of a CUDA_MEMCPY3D.
struct CopySide {
  CUmemorytype type;
  const void *host;
  CUdeviceptr device;
  CUarray array;
  size_t x, y, z, level, pitch, height;

  bool isArray() const { return type == CU_MEMORYTYPE_ARRAY; }
  cudaArray_t plainArray() const {
    return isArray() ? reinterpret_cast<cudaArray_t>(array) : nullptr;
  }
  void *pointer() const {
    return type == CU_MEMORYTYPE_HOST ? const_cast<void *>(host) : reinterpret_cast<void *>(device);
  }
};

CopySide sourceOf(const CUDA_MEMCPY3D &c) {
  return {c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcXInBytes,
          c.srcY,          c.srcZ,    c.srcLOD,    c.srcPitch, c.srcHeight};
}
CopySide targetOf(const CUDA_MEMCPY3D &c) {
  return {c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstXInBytes,
          c.dstY,          c.dstZ,    c.dstLOD,    c.dstPitch, c.dstHeight};
}

/// Whether the rows and slices that are copied lie within those that the side has.
bool isValidSide(const CopySide &side, const CUDA_MEMCPY3D &c) {
  if (side.type < CU_MEMORYTYPE_HOST || side.type > CU_MEMORYTYPE_UNIFIED || side.level)
    return false;
  if (side.isArray())
    return isArray(side.plainArray());
  auto holds = [](size_t room, size_t start, size_t count) {
    return start <= room && count <= room - start;
  };
  const bool isRow = c.Height == 1 && c.Depth == 1 && !side.y && !side.z;
  if (!(isRow && !side.pitch) && !holds(side.pitch, side.x, c.WidthInBytes))
    return false;
  return (c.Depth == 1 && !side.z) || holds(side.height, side.y, c.Height);
}

/// The kind of a copy whose sides are of such types; an array is device memory.
cudaMemcpyKind kindOf(CUmemorytype to, CUmemorytype from) {
  if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED)
    return cudaMemcpyDefault;
  const bool toHost = to == CU_MEMORYTYPE_HOST;
  if (from == CU_MEMORYTYPE_HOST)
    return toHost ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
  return toHost ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

/// False if the position is not that of an element. A row needs no pitch and a slice no height: they
/// are filled in where the runtime's structure wants them.
bool place(const CopySide &side, const CUDA_MEMCPY3D &c, cudaArray_t &array, cudaPos &at,
           cudaPitchedPtr &linear) {
  const size_t bytes = side.isArray() ? side.plainArray()->elementBytes : 1;
  array = side.plainArray();
  at = {side.x / bytes, side.y, side.z};
  if (side.isArray())
    return side.x % bytes == 0;
  const size_t height = c.Depth == 1 ? std::max(side.height, side.y + c.Height) : side.height;
  linear = {side.pointer(), side.pitch ? side.pitch : side.x + c.WidthInBytes, c.WidthInBytes,
            height};
  return true;
}

CUmemorytype typeOf(cudaArray_t array, cudaMemcpyKind kind, cudaMemcpyKind onHost) {
  if (array)
    return CU_MEMORYTYPE_ARRAY;
  if (kind == cudaMemcpyDefault)
    return CU_MEMORYTYPE_UNIFIED;
  return kind == cudaMemcpyHostToHost || kind == onHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

size_t elementBytes(cudaArray_t array) { return array ? array->elementBytes : 1; }

} // namespace

CUresult readCopy(const CUDA_MEMCPY3D *c, cudaMemcpy3DParms &p) {
  p = {};
  if (!c || !isValidSide(sourceOf(*c), *c) || !isValidSide(targetOf(*c), *c))
    return CUDA_ERROR_INVALID_VALUE;
  if (!place(sourceOf(*c), *c, p.srcArray, p.srcPos, p.srcPtr) ||
      !place(targetOf(*c), *c, p.dstArray, p.dstPos, p.dstPtr))
    return CUDA_ERROR_INVALID_VALUE;
  const size_t bytes = elementBytes(p.dstArray ? p.dstArray : p.srcArray);
  if (c->WidthInBytes % bytes || c->WidthInBytes % elementBytes(p.srcArray))
    return CUDA_ERROR_INVALID_VALUE;
  p.extent = {c->WidthInBytes / bytes, c->Height, c->Depth};
  p.kind = kindOf(c->dstMemoryType, c->srcMemoryType);
  return CUDA_SUCCESS;
}

void tellCopy(const cudaMemcpy3DParms &p, CUDA_MEMCPY3D &c) {
  c = {};
  c.srcMemoryType = typeOf(p.srcArray, p.kind, cudaMemcpyHostToDevice);
  c.srcArray = reinterpret_cast<CUarray>(p.srcArray);
  c.srcXInBytes = p.srcPos.x * elementBytes(p.srcArray);
  c.srcY = p.srcPos.y, c.srcZ = p.srcPos.z;
  c.srcPitch = p.srcPtr.pitch, c.srcHeight = p.srcPtr.ysize;
  if (c.srcMemoryType == CU_MEMORYTYPE_HOST)
    c.srcHost = p.srcPtr.ptr;
  else
    c.srcDevice = reinterpret_cast<CUdeviceptr>(p.srcPtr.ptr);
  c.dstMemoryType = typeOf(p.dstArray, p.kind, cudaMemcpyDeviceToHost);
  c.dstArray = reinterpret_cast<CUarray>(p.dstArray);
  c.dstXInBytes = p.dstPos.x * elementBytes(p.dstArray);
  c.dstY = p.dstPos.y, c.dstZ = p.dstPos.z;
  c.dstPitch = p.dstPtr.pitch, c.dstHeight = p.dstPtr.ysize;
  if (c.dstMemoryType == CU_MEMORYTYPE_HOST)
    c.dstHost = p.dstPtr.ptr;
  else
    c.dstDevice = reinterpret_cast<CUdeviceptr>(p.dstPtr.ptr);
  c.WidthInBytes = p.extent.width * elementBytes(p.dstArray ? p.dstArray : p.srcArray);
  c.Height = p.extent.height, c.Depth = p.extent.depth;
}

} // namespace heddle::driver
