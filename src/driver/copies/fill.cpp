// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cudaMemset in all its forms: a box of bytes in linear memory.
#include "driver/copies/fill.h"

#include "driver/copies/checked.h"
#include "driver/streams/capture.h"

#include <cstdio>
#include <cstring>

namespace heddle::driver {

namespace {

bool isOneByte(unsigned value, unsigned elementBytes) {
  const unsigned all = (value & 0xff) * 0x01010101u;
  return elementBytes == 1 || std::memcmp(&value, &all, elementBytes) == 0;
}

bool fillRow(uint8_t *at, size_t bytes, unsigned value, unsigned elementBytes) {
  const device::AccessEnd end = isOneByte(value, elementBytes)
                                    ? device::fillBytes(at, static_cast<int>(value & 0xff), bytes)
                                    : device::fillElements(at, value, elementBytes, bytes);
  if (end.isWhole)
    return true;
  char text[80];
  std::snprintf(text, sizeof text, "%zu bytes at %p", bytes, static_cast<void *>(at));
  reportAccess("a fill", text, end);
  return false;
}

/// A single row needs no pitch.
size_t pitchOf(const Box &box, size_t pitch) { return box.isRow() ? box.width : pitch; }

} // namespace

bool FillWork::run() const {
  const bool rowsTouch = side.pitch == box.width;
  const size_t rows = rowsTouch ? 1 : box.height;
  const size_t bytes = rowsTouch ? box.width * box.height : box.width;
  for (size_t z = 0; z < box.depth; ++z)
    for (size_t y = 0; y < rows; ++y)
      if (!fillRow(side.at + z * side.slice + y * side.pitch, bytes, value, elementBytes))
        return false;
  return true;
}

CUresult readFill(const cudaMemsetParams *p, FillWork &work) {
  if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4) || !p->width ||
      !p->height || reinterpret_cast<uintptr_t>(p->dst) % p->elementSize)
    return CUDA_ERROR_INVALID_VALUE;
  work.box = {Checked(p->width) * p->elementSize, p->height};
  work.value = p->value;
  work.elementBytes = p->elementSize;
  const size_t pitch = pitchOf(work.box, p->pitch);
  if (pitch < work.box.width || pitch % p->elementSize)
    return CUDA_ERROR_INVALID_VALUE;
  return linearSide(p->dst, pitch, 0, work.box, true, work.side);
}

cudaMemsetParams paramsOf(const FillWork &work) {
  return {work.side.at,
          work.side.pitch,
          work.value,
          work.elementBytes,
          work.box.width / work.elementBytes,
          work.box.height * work.box.depth};
}

CUresult fill(const FillWork &work, CopyStream where) {
  if (where.sink)
    return where.sink->take(taskOf(work, where.sink->device));
  Stream *stream = streamOf(where.handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  // The manual: memset waits only when it writes page-locked host memory.
  if (!where.async) {
    if (CUresult error = mayWorkIn(*stream))
      return error;
    return work.side.host || isWaitedFor(work.side)
               ? doNow(work, *stream)
               : enqueueOrRun(*stream, taskOf(work, *stream->device));
  }
  return submit(
      *stream,
      [&](std::unique_ptr<Operation> &operation) {
        operation = std::make_unique<FillOperation>(work);
        operation->device = stream->device;
        return CUDA_SUCCESS;
      },
      [&] { return enqueue(*stream, taskOf(work, *stream->device)); });
}

CUresult fill(void *p, size_t pitch, size_t rows, int value, const Box &box, CopyStream where) {
  if (box.empty())
    return CUDA_SUCCESS;
  FillWork work;
  pitch = pitchOf(box, pitch);
  if (pitch < box.width || rows < box.height)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = linearSide(p, pitch, Checked(pitch) * rows, box, !where.sink, work.side))
    return error;
  work.box = box;
  work.value = static_cast<unsigned char>(value);
  return fill(work, where);
}

} // namespace heddle::driver

using namespace heddle::driver;

namespace {

CUresult fill3D(const cudaPitchedPtr &p, int value, const cudaExtent &extent, CopyStream where) {
  return fill(p.ptr, p.pitch, p.ysize, value, {extent.width, extent.height, extent.depth}, where);
}

} // namespace

CUresult heddle::driver::cudaMemset(void *p, int value, size_t count) {
  return enter([&] { return fill(p, count, 1, value, {count}, blocking()); });
}

CUresult heddle::driver::cudaMemsetAsync(void *p, int value, size_t count, cudaStream_t stream) {
  return enter([&] { return fill(p, count, 1, value, {count}, inStream(stream)); });
}

CUresult heddle::driver::cudaMemset2D(void *p, size_t pitch, int value, size_t width,
                                      size_t height) {
  return enter([&] { return fill(p, pitch, height, value, {width, height}, blocking()); });
}

CUresult heddle::driver::cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width,
                                           size_t height, cudaStream_t stream) {
  return enter([&] { return fill(p, pitch, height, value, {width, height}, inStream(stream)); });
}

CUresult heddle::driver::cudaMemset3D(cudaPitchedPtr p, int value, cudaExtent extent) {
  return enter([&] { return fill3D(p, value, extent, blocking()); });
}

CUresult heddle::driver::cudaMemset3DAsync(cudaPitchedPtr p, int value, cudaExtent extent,
                                           cudaStream_t stream) {
  return enter([&] { return fill3D(p, value, extent, inStream(stream)); });
}
