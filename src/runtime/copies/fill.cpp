// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cudaMemset in all its forms: a box of bytes in linear memory.
#include "runtime/copies/copy.h"

namespace heddle::runtime {

cudaError_t fill(void *p, size_t pitch, size_t rows, int value, const Box &box, CopyStream where) {
  if (box.empty())
    return cudaSuccess;
  Side side;
  if (pitch < box.width || rows < box.height)
    return cudaErrorInvalidValue;
  if (cudaError_t error = linearSide(p, pitch, pitch * rows, box, !where.sink, side))
    return error;
  Stream *stream = where.sink ? nullptr : streamOf(where.handle);
  if (!stream && !where.sink)
    return cudaErrorInvalidResourceHandle;
  auto work = [=] {
    const bool rowsTouch = side.pitch == box.width;
    for (size_t z = 0; z < box.depth; ++z) {
      uint8_t *slice = side.at + z * side.slice;
      if (rowsTouch)
        device::fillBytes(slice, value, box.width * box.height);
      for (size_t y = 0; !rowsTouch && y < box.height; ++y)
        device::fillBytes(slice + y * side.pitch, value, box.width);
    }
  };
  if (where.sink)
    return where.sink->take(work);
  // The manual: memset waits only when it writes page-locked host memory.
  return where.async || !side.host ? enqueue(*stream, work) : runNow(*stream, work);
}

} // namespace heddle::runtime

using namespace heddle::runtime;

namespace {

cudaError_t fill3D(const cudaPitchedPtr &p, int value, const cudaExtent &extent, CopyStream where) {
  return fill(p.ptr, p.pitch, p.ysize, value, {extent.width, extent.height, extent.depth}, where);
}

} // namespace

HEDDLE_API cudaError_t cudaMemset(void *p, int value, size_t count) {
  return enter([&] { return fill(p, count, 1, value, {count}, blocking()); });
}

HEDDLE_API cudaError_t cudaMemsetAsync(void *p, int value, size_t count, cudaStream_t stream) {
  return enter([&] { return fill(p, count, 1, value, {count}, inStream(stream)); });
}

HEDDLE_API cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height) {
  return enter([&] { return fill(p, pitch, height, value, {width, height}, blocking()); });
}

HEDDLE_API cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width,
                                         size_t height, cudaStream_t stream) {
  return enter([&] { return fill(p, pitch, height, value, {width, height}, inStream(stream)); });
}

HEDDLE_API cudaError_t cudaMemset3D(cudaPitchedPtr p, int value, cudaExtent extent) {
  return enter([&] { return fill3D(p, value, extent, blocking()); });
}

HEDDLE_API cudaError_t cudaMemset3DAsync(cudaPitchedPtr p, int value, cudaExtent extent,
                                         cudaStream_t stream) {
  return enter([&] { return fill3D(p, value, extent, inStream(stream)); });
}
