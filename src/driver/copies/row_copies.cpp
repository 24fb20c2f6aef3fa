// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of rows of bytes (driver API, "Memory Management").
#include "driver/copies/copy.h"
#include "driver/functions.h"
#include "driver/memory/addresses.h"

namespace heddle::driver {

namespace {

constexpr OnDevice ToDevice = {true, false}, FromDevice = {false, true},
                   BetweenDevices = {true, true};

CUresult copyRow(void *dst, const void *src, size_t bytes, OnDevice onDevice, CopyStream where) {
  return copyLinear(dst, bytes, src, bytes, {bytes}, onDevice, where);
}

/// `bytes` from `offset` on in the first row of an array; they run over its end into the next ones if
/// rows lie without gaps.
CUresult flatSide(CUarray handle, size_t offset, size_t bytes, Side &side) {
  const cudaArray_t array = asArray(handle);
  if (!handle)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isArray(array))
    return CUDA_ERROR_INVALID_HANDLE;
  const size_t rows = array->pitch == array->rowBytes ? array->rows : 1;
  if (offset > array->rowBytes || bytes > array->rowBytes * rows - offset)
    return CUDA_ERROR_INVALID_VALUE;
  side.at = array->data + offset;
  side.pitch = bytes;
  side.array = array;
  side.pos = {offset / array->elementBytes, 0, 0};
  return CUDA_SUCCESS;
}

CUresult copyToArray(CUarray to, size_t offset, const void *from, size_t bytes, bool fromDevice,
                     CopyStream where) {
  if (!bytes)
    return CUDA_SUCCESS;
  Side target, source;
  if (CUresult error = flatSide(to, offset, bytes, target))
    return error;
  if (CUresult error = linearSide(from, bytes, 0, {bytes}, fromDevice, source))
    return error;
  return copy(target, source, {bytes}, where);
}

CUresult copyFromArray(void *to, CUarray from, size_t offset, size_t bytes, bool toDevice,
                       CopyStream where) {
  if (!bytes)
    return CUDA_SUCCESS;
  Side target, source;
  if (CUresult error = flatSide(from, offset, bytes, source))
    return error;
  if (CUresult error = linearSide(to, bytes, 0, {bytes}, toDevice, target))
    return error;
  return copy(target, source, {bytes}, where);
}

} // namespace

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
  return copyRow(pointerTo(dst), pointerTo(src), bytes, OnDevice(), blocking());
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return copyRow(pointerTo(dst), pointerTo(src), bytes, OnDevice(), inStream(stream));
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t bytes) {
  return copyRow(pointerTo(dst), src, bytes, ToDevice, blocking());
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream) {
  return copyRow(pointerTo(dst), src, bytes, ToDevice, inStream(stream));
}

CUresult cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t bytes) {
  return copyRow(dst, pointerTo(src), bytes, FromDevice, blocking());
}

CUresult cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return copyRow(dst, pointerTo(src), bytes, FromDevice, inStream(stream));
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
  return copyRow(pointerTo(dst), pointerTo(src), bytes, BetweenDevices, blocking());
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return copyRow(pointerTo(dst), pointerTo(src), bytes, BetweenDevices, inStream(stream));
}

// ---------------------------------------------------------------------------------------------------
// With a one-dimensional array on one side: offsets are bytes.

CUresult cuMemcpyDtoA_v2(CUarray dst, size_t offset, CUdeviceptr src, size_t bytes) {
  return copyToArray(dst, offset, pointerTo(src), bytes, true, blocking());
}

CUresult cuMemcpyAtoD_v2(CUdeviceptr dst, CUarray src, size_t offset, size_t bytes) {
  return copyFromArray(pointerTo(dst), src, offset, bytes, true, blocking());
}

CUresult cuMemcpyHtoA_v2(CUarray dst, size_t offset, const void *src, size_t bytes) {
  return copyToArray(dst, offset, src, bytes, false, blocking());
}

CUresult cuMemcpyHtoAAsync_v2(CUarray dst, size_t offset, const void *src, size_t bytes,
                              CUstream stream) {
  return copyToArray(dst, offset, src, bytes, false, inStream(stream));
}

CUresult cuMemcpyAtoH_v2(void *dst, CUarray src, size_t offset, size_t bytes) {
  return copyFromArray(dst, src, offset, bytes, false, blocking());
}

CUresult cuMemcpyAtoHAsync_v2(void *dst, CUarray src, size_t offset, size_t bytes,
                              CUstream stream) {
  return copyFromArray(dst, src, offset, bytes, false, inStream(stream));
}

CUresult cuMemcpyAtoA_v2(CUarray dst, size_t dstOffset, CUarray src, size_t srcOffset,
                         size_t bytes) {
  Side target, source;
  if (!bytes)
    return CUDA_SUCCESS;
  if (CUresult error = flatSide(dst, dstOffset, bytes, target))
    return error;
  if (CUresult error = flatSide(src, srcOffset, bytes, source))
    return error;
  return copy(target, source, {bytes}, blocking());
}

} // namespace heddle::driver
