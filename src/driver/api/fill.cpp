// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills (driver API, "Memory Management": cuMemset*).
#include "driver/copies/fill.h"
#include "driver/api/addresses.h"
#include "driver/functions.h"

namespace heddle::driver {

namespace {

/// `width` counts elements.
template <typename Element>
CUresult fillRows(CUdeviceptr address, size_t pitch, Element value, size_t width, size_t height,
                  CopyStream where) {
  if (!width || !height)
    return CUDA_SUCCESS;
  const cudaMemsetParams params = {pointerTo(address), pitch, value,
                                   sizeof(Element),    width, height};
  FillWork work;
  CUresult error = readFill(&params, work);
  return error == CUDA_SUCCESS ? fill(work, where) : error;
}

} // namespace

CUresult cuMemsetD8_v2(CUdeviceptr dst, unsigned char value, size_t count) {
  return fillRows(dst, 0, value, count, 1, blocking());
}
CUresult cuMemsetD16_v2(CUdeviceptr dst, unsigned short value, size_t count) {
  return fillRows(dst, 0, value, count, 1, blocking());
}
CUresult cuMemsetD32_v2(CUdeviceptr dst, unsigned value, size_t count) {
  return fillRows(dst, 0, value, count, 1, blocking());
}

CUresult cuMemsetD2D8_v2(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width,
                         size_t height) {
  return fillRows(dst, pitch, value, width, height, blocking());
}
CUresult cuMemsetD2D16_v2(CUdeviceptr dst, size_t pitch, unsigned short value, size_t width,
                          size_t height) {
  return fillRows(dst, pitch, value, width, height, blocking());
}
CUresult cuMemsetD2D32_v2(CUdeviceptr dst, size_t pitch, unsigned value, size_t width,
                          size_t height) {
  return fillRows(dst, pitch, value, width, height, blocking());
}

CUresult cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t count, CUstream stream) {
  return fillRows(dst, 0, value, count, 1, inStream(stream));
}
CUresult cuMemsetD16Async(CUdeviceptr dst, unsigned short value, size_t count, CUstream stream) {
  return fillRows(dst, 0, value, count, 1, inStream(stream));
}
CUresult cuMemsetD32Async(CUdeviceptr dst, unsigned value, size_t count, CUstream stream) {
  return fillRows(dst, 0, value, count, 1, inStream(stream));
}

CUresult cuMemsetD2D8Async(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width,
                           size_t height, CUstream stream) {
  return fillRows(dst, pitch, value, width, height, inStream(stream));
}
CUresult cuMemsetD2D16Async(CUdeviceptr dst, size_t pitch, unsigned short value, size_t width,
                            size_t height, CUstream stream) {
  return fillRows(dst, pitch, value, width, height, inStream(stream));
}
CUresult cuMemsetD2D32Async(CUdeviceptr dst, size_t pitch, unsigned value, size_t width,
                            size_t height, CUstream stream) {
  return fillRows(dst, pitch, value, width, height, inStream(stream));
}

} // namespace heddle::driver
