// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What module cudafor needs of C for memory (modules/memory.inc). Arrays come with descriptors, and
// counts and pitches are in elements of the source.
#include "fortran/entry.h"

#include <algorithm>

namespace heddle::fortran {

namespace {

struct Place2D {
  void *address;
  int64_t pitch; ///< in elements
};

cudaMemcpyKind kindOf(const int *kind) {
  return kind ? static_cast<cudaMemcpyKind>(*kind) : cudaMemcpyDefault;
}

/// Bytes of so many elements. A count below zero gives a size that no allocation has. Of an
/// address, whose elements nobody knows, counts are bytes.
size_t bytesOf(const Descriptor *array, int64_t count) {
  return static_cast<size_t>(count) * (isAddress(*array) ? 1 : array->elem_len);
}

/// The argument of a copy whose elements count: the source, or the other one if the source is an
/// address.
const Descriptor *counted(const Descriptor *to, const Descriptor *from) {
  return isAddress(*from) ? to : from;
}

int copy2D(Place2D to, Place2D from, const Descriptor *element, int64_t width, int64_t height,
           const int *kind) {
  return cudaMemcpy2D(to.address, bytesOf(element, to.pitch), from.address,
                      bytesOf(element, from.pitch), bytesOf(element, width),
                      static_cast<size_t>(height), kindOf(kind));
}

int copy2DAsync(Place2D to, Place2D from, const Descriptor *element, int64_t width, int64_t height,
                const int *kind, cudaStream_t stream) {
  return cudaMemcpy2DAsync(to.address, bytesOf(element, to.pitch), from.address,
                           bytesOf(element, from.pitch), bytesOf(element, width),
                           static_cast<size_t>(height), kindOf(kind), stream);
}

/// Sets elements of any size: the first comes from the host, and what is set doubles with each
/// copy.
int fill(Descriptor *array, const Descriptor *value, int64_t count, cudaStream_t stream) {
  size_t all = bytesOf(array, count);
  if (count < 0 || isAddress(*array) || value->elem_len != array->elem_len)
    return cudaErrorInvalidValue;
  if (count == 0)
    return cudaSuccess;
  char *to = static_cast<char *>(dataOf(*array));
  cudaError_t error =
      cudaMemcpyAsync(to, value->base_addr, value->elem_len, cudaMemcpyDefault, stream);
  for (size_t done = array->elem_len; done < all && error == cudaSuccess; done *= 2)
    error = cudaMemcpyAsync(to + done, to, std::min(done, all - done), cudaMemcpyDeviceToDevice,
                            stream);
  return error;
}

} // namespace

} // namespace heddle::fortran

using namespace heddle::fortran;

HEDDLE_FORTRAN int heddleFortranMemcpy(Descriptor *to, Descriptor *from, int64_t count,
                                       const int *kind) {
  return copyAndWait(dataOf(*to), dataOf(*from), bytesOf(counted(to, from), count), kindOf(kind));
}

HEDDLE_FORTRAN int heddleFortranMemcpyAsync(Descriptor *to, Descriptor *from, int64_t count,
                                            const int *kind, const int64_t *stream) {
  return cudaMemcpyAsync(dataOf(*to), dataOf(*from), bytesOf(counted(to, from), count),
                         kindOf(kind), streamOf(stream));
}

HEDDLE_FORTRAN int heddleFortranMemcpyAsyncIn(Descriptor *to, Descriptor *from, int64_t count,
                                              int64_t stream) {
  return cudaMemcpyAsync(dataOf(*to), dataOf(*from), bytesOf(counted(to, from), count),
                         cudaMemcpyDefault, streamOf(&stream));
}

HEDDLE_FORTRAN int heddleFortranMemcpy2D(Descriptor *to, int64_t toPitch, Descriptor *from,
                                         int64_t fromPitch, int64_t width, int64_t height,
                                         const int *kind) {
  return copy2D({dataOf(*to), toPitch}, {dataOf(*from), fromPitch}, counted(to, from), width,
                height, kind);
}

HEDDLE_FORTRAN int heddleFortranMemcpy2DAsync(Descriptor *to, int64_t toPitch, Descriptor *from,
                                              int64_t fromPitch, int64_t width, int64_t height,
                                              const int *kind, const int64_t *stream) {
  return copy2DAsync({dataOf(*to), toPitch}, {dataOf(*from), fromPitch}, counted(to, from), width,
                     height, kind, streamOf(stream));
}

HEDDLE_FORTRAN int heddleFortranMemcpy2DAsyncIn(Descriptor *to, int64_t toPitch, Descriptor *from,
                                                int64_t fromPitch, int64_t width, int64_t height,
                                                int64_t stream) {
  return copy2DAsync({dataOf(*to), toPitch}, {dataOf(*from), fromPitch}, counted(to, from), width,
                     height, nullptr, streamOf(&stream));
}

HEDDLE_FORTRAN int heddleFortranMemcpyPeer(Descriptor *to, int toDevice, Descriptor *from,
                                           int fromDevice, int64_t count) {
  return cudaMemcpyPeer(dataOf(*to), toDevice, dataOf(*from), fromDevice,
                        bytesOf(counted(to, from), count));
}

HEDDLE_FORTRAN int heddleFortranMemcpyPeerAsync(Descriptor *to, int toDevice, Descriptor *from,
                                                int fromDevice, int64_t count,
                                                const int64_t *stream) {
  return cudaMemcpyPeerAsync(dataOf(*to), toDevice, dataOf(*from), fromDevice,
                             bytesOf(counted(to, from), count), streamOf(stream));
}

HEDDLE_FORTRAN int heddleFortranMemset(Descriptor *array, Descriptor *value, int64_t count) {
  return fill(array, value, count, defaultStream);
}

HEDDLE_FORTRAN int heddleFortranMemsetAsync(Descriptor *array, Descriptor *value, int64_t count,
                                            const int64_t *stream) {
  return fill(array, value, count, streamOf(stream));
}

HEDDLE_FORTRAN int heddleFortranMemPrefetch(Descriptor *array, int64_t count, int device,
                                            const int64_t *stream) {
  return cudaMemPrefetchAsync(dataOf(*array), bytesOf(array, count), device, streamOf(stream));
}

HEDDLE_FORTRAN int heddleFortranMemAdvise(Descriptor *array, int64_t count, int advice,
                                          int device) {
  return cudaMemAdvise(dataOf(*array), bytesOf(array, count), static_cast<cudaMemoryAdvise>(advice),
                       device);
}

HEDDLE_FORTRAN int heddleFortranPointerAttributes(cudaPointerAttributes *attributes,
                                                  Descriptor *pointer) {
  return cudaPointerGetAttributes(attributes, dataOf(*pointer));
}

HEDDLE_FORTRAN int heddleFortranStreamAttachMem(int64_t stream, Descriptor *array, int64_t count,
                                                int flags) {
  return cudaStreamAttachMemAsync(streamOf(&stream), dataOf(*array), bytesOf(array, count),
                                  static_cast<unsigned>(flags));
}
