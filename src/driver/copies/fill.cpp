// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cudaMemset in all its forms: a box of bytes in linear memory.
#include "driver/copies/fill.h"

#include "driver/profiling.h"

#include "check/host_stack.h"
#include "check/init/init.h"

#include "driver/copies/checked.h"
#include "driver/functions.h"
#include "driver/memory/addresses.h"
#include "driver/streams/capture.h"

#include <cstdio>
#include <cstring>

namespace heddle::driver {

namespace {

bool isOneByte(unsigned value, unsigned elementBytes) {
  const unsigned all = (value & 0xff) * 0x01010101u;
  return elementBytes == 1 || std::memcmp(&value, &all, elementBytes) == 0;
}

bool fillRow(uint8_t *at, size_t bytes, const FillWork &work) {
  const auto [value, elementBytes] = std::pair(work.value, work.elementBytes);
  const device::AccessEnd end = isOneByte(value, elementBytes)
                                    ? device::fillBytes(at, static_cast<int>(value & 0xff), bytes)
                                    : device::fillElements(at, value, elementBytes, bytes);
  check::initWritten(at, bytes, work.origin);
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
  ProfiledWork profiled(*this);
  noteTouched(side, box, true);
  const bool rowsTouch = side.pitch == box.width;
  const size_t rows = rowsTouch ? 1 : box.height;
  const size_t bytes = rowsTouch ? box.width * box.height : box.width;
  for (size_t z = 0; z < box.depth; ++z)
    for (size_t y = 0; y < rows; ++y)
      if (!fillRow(side.at + z * side.slice + y * side.pitch, bytes, *this))
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

CUresult fill(const FillWork &given, CopyStream where) {
  if (where.sink)
    return where.sink->take(taskOf(given, where.sink->device));
  FillWork work = given;
  if (check::looksForUnwritten())
    work.origin = check::hostStackHere();
  Stream *stream = streamOf(where.handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  // The manual: memset waits only when it writes page-locked host memory or managed memory.
  if (!where.async) {
    if (CUresult error = mayWorkIn(*stream))
      return error;
    return isWaitedFor(work.side) ? doNow(work, *stream)
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

// ---------------------------------------------------------------------------------------------------
// Driver API, "Memory Management": cuMemset*.

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
