// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies to, from and between arrays (runtime API, "Memory Management").
#include "runtime/memory/array_format.h"
#include "runtime/memory/checks.h"
#include "runtime/memory/copy_params.h"

#include "base/checked.h"

#include <algorithm>

using namespace heddle;
using namespace heddle::runtime;

namespace {

/// An array is device memory: a kind that says otherwise of its side is an error of direction.
bool fitsArray(cudaMemcpyKind kind, bool saysDevice) {
  return isValidKind(kind) && (kind == cudaMemcpyDefault || saysDevice);
}
bool fitsArrays(cudaMemcpyKind kind) {
  return kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
}

/// The driver copies a box at once.
struct Now {
  CUresult operator()(const CUDA_MEMCPY2D &copy) const {
    return ask<&Cu::cuMemcpy2DUnaligned_v2>(&copy);
  }
};
/// In the order of a stream.
struct InStream {
  cudaStream_t stream;
  CUresult operator()(const CUDA_MEMCPY2D &copy) const {
    return ask<&Cu::cuMemcpy2DAsync_v2>(&copy, stream);
  }
};

bool lacksArray(const CopySide &side) { return side.type == CU_MEMORYTYPE_ARRAY && !side.array; }

template <class Ask>
CUresult copyBox(const CopySide &to, const CopySide &from, size_t width, size_t height,
                 const Ask &ask) {
  if (lacksArray(to) || lacksArray(from)) // an H200's runtime asks the array for its format
    return answer(CUDA_ERROR_INVALID_HANDLE);
  CUDA_MEMCPY2D copy = {};
  setSides(copy, to, from);
  copy.WidthInBytes = width;
  copy.Height = height;
  return ask(copy);
}

/// `pitch`: that of the linear side.
template <class Ask>
CUresult copyRows(const CopySide &to, const CopySide &from, bool fits, size_t pitch, size_t width,
                  size_t height, const Ask &ask) {
  if (!fits)
    return answer(WrongDirection);
  if (!width || !height)
    return answer(CUDA_SUCCESS);
  if (CUresult error = checkPitch(pitch, width, height))
    return answer(error);
  return copyBox(to, from, width, height, ask);
}

template <class Ask>
CUresult copyRowsTo(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                    size_t width, size_t height, cudaMemcpyKind kind, const Ask &ask) {
  return copyRows(inArray(to, x, y), sourceOf(from, pitch, kind), fitsArray(kind, toDevice(kind)),
                  pitch, width, height, ask);
}

template <class Ask>
CUresult copyRowsFrom(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                      size_t width, size_t height, cudaMemcpyKind kind, const Ask &ask) {
  return copyRows(targetOf(to, pitch, kind), inArray(from, x, y), fitsArray(kind, fromDevice(kind)),
                  pitch, width, height, ask);
}

// ---------------------------------------------------------------------------------------------------
// The deprecated forms run over the ends of rows: they are boxes of whole rows and parts of rows.

/// A side of such a copy. Linear memory is one row without an end.
struct Flat {
  CopySide side;
  size_t rowBytes = SIZE_MAX;

  bool isLinear() const { return side.type != CU_MEMORYTYPE_ARRAY; }
  /// Bytes up to the end of the row.
  size_t rest() const { return isLinear() ? SIZE_MAX : rowBytes - side.x; }
  void advance(size_t bytes) {
    if (isLinear()) {
      side.pointer = static_cast<char *>(side.pointer) + bytes;
      return;
    }
    side.y += (side.x + bytes) / rowBytes;
    side.x = (side.x + bytes) % rowBytes;
  }
};

/// The array's side, if `bytes` from (x, y) on lie in its first slice.
CUresult flatSide(cudaArray_const_t array, size_t x, size_t y, size_t bytes, Flat &out) {
  CUDA_ARRAY3D_DESCRIPTOR d;
  if (CUresult error = describe(array, d))
    return error;
  out = {inArray(array, x, y), d.Width * elementBytes(d)};
  const size_t rows = std::max<size_t>(1, d.Height);
  if (x > out.rowBytes || y >= rows || bytes > out.rowBytes * (rows - y) - x)
    return CUDA_ERROR_INVALID_VALUE;
  out.advance(0); // the end of a row is the start of the next
  return CUDA_SUCCESS;
}

/// Whole rows that both sides have from here on; 0 in the midst of a row.
size_t wholeRows(const Flat &to, const Flat &from, size_t bytes) {
  const Flat &array = to.isLinear() ? from : to;
  for (const Flat *side : {&to, &from})
    if (!side->isLinear() && (side->side.x || side->rowBytes != array.rowBytes))
      return 0;
  return bytes / array.rowBytes;
}

template <class Ask> CUresult copyFlat(Flat to, Flat from, size_t bytes, const Ask &ask) {
  while (bytes) {
    const size_t rows = wholeRows(to, from, bytes);
    const size_t width =
        rows ? std::min(to.rowBytes, from.rowBytes) : std::min({bytes, to.rest(), from.rest()});
    const size_t copied = rows ? rows * width : width;
    to.side.pitch = from.side.pitch = width;
    if (CUresult error = copyBox(to.side, from.side, width, std::max<size_t>(1, rows), ask))
      return error;
    to.advance(copied);
    from.advance(copied);
    bytes -= copied;
  }
  return CUDA_SUCCESS;
}

template <class Ask>
CUresult copyFlatTo(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                    cudaMemcpyKind kind, const Ask &ask) {
  Flat target;
  if (!fitsArray(kind, toDevice(kind)))
    return answer(WrongDirection);
  if (!bytes)
    return answer(CUDA_SUCCESS);
  if (CUresult error = flatSide(to, x, y, bytes, target))
    return answer(error);
  return copyFlat(target, Flat{sourceOf(from, bytes, kind)}, bytes, ask);
}

template <class Ask>
CUresult copyFlatFrom(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                      cudaMemcpyKind kind, const Ask &ask) {
  Flat source;
  if (!fitsArray(kind, fromDevice(kind)))
    return answer(WrongDirection);
  if (!bytes)
    return answer(CUDA_SUCCESS);
  if (CUresult error = flatSide(from, x, y, bytes, source))
    return answer(error);
  return copyFlat(Flat{targetOf(to, bytes, kind)}, source, bytes, ask);
}

} // namespace

HEDDLE_API cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from,
                                           size_t pitch, size_t width, size_t height,
                                           cudaMemcpyKind kind) {
  return translate([&] { return copyRowsTo(to, x, y, from, pitch, width, height, kind, Now()); });
}

HEDDLE_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y,
                                                const void *from, size_t pitch, size_t width,
                                                size_t height, cudaMemcpyKind kind,
                                                cudaStream_t stream) {
  return translate(
      [&] { return copyRowsTo(to, x, y, from, pitch, width, height, kind, InStream{stream}); });
}

HEDDLE_API cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from,
                                             size_t x, size_t y, size_t width, size_t height,
                                             cudaMemcpyKind kind) {
  return translate([&] { return copyRowsFrom(to, pitch, from, x, y, width, height, kind, Now()); });
}

HEDDLE_API cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from,
                                                  size_t x, size_t y, size_t width, size_t height,
                                                  cudaMemcpyKind kind, cudaStream_t stream) {
  return translate(
      [&] { return copyRowsFrom(to, pitch, from, x, y, width, height, kind, InStream{stream}); });
}

HEDDLE_API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t toX, size_t toY,
                                                cudaArray_const_t from, size_t fromX, size_t fromY,
                                                size_t width, size_t height, cudaMemcpyKind kind) {
  return translate([&] {
    return copyRows(inArray(to, toX, toY), inArray(from, fromX, fromY), fitsArrays(kind), width,
                    width, height, Now());
  });
}

HEDDLE_API cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from,
                                         size_t bytes, cudaMemcpyKind kind) {
  return translate([&] { return copyFlatTo(to, x, y, from, bytes, kind, Now()); });
}

HEDDLE_API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                              size_t bytes, cudaMemcpyKind kind,
                                              cudaStream_t stream) {
  return translate([&] { return copyFlatTo(to, x, y, from, bytes, kind, InStream{stream}); });
}

HEDDLE_API cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y,
                                           size_t bytes, cudaMemcpyKind kind) {
  return translate([&] { return copyFlatFrom(to, from, x, y, bytes, kind, Now()); });
}

HEDDLE_API cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x,
                                                size_t y, size_t bytes, cudaMemcpyKind kind,
                                                cudaStream_t stream) {
  return translate([&] { return copyFlatFrom(to, from, x, y, bytes, kind, InStream{stream}); });
}

HEDDLE_API cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t toX, size_t toY,
                                              cudaArray_const_t from, size_t fromX, size_t fromY,
                                              size_t bytes, cudaMemcpyKind kind) {
  return translate([&] {
    Flat target, source;
    if (!fitsArrays(kind))
      return answer(WrongDirection);
    if (CUresult error = flatSide(to, toX, toY, bytes, target))
      return answer(error);
    if (CUresult error = flatSide(from, fromX, fromY, bytes, source))
      return answer(error);
    return bytes ? copyFlat(target, source, bytes, Now()) : answer(CUDA_SUCCESS);
  });
}
