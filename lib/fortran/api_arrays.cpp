// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What module cudafor needs of C for allocatable arrays, CUDA arrays, fills in two dimensions,
// symbols and the default stream (what tools/fortran_allocatables.py writes, modules/runtime_extra.inc). Offsets, pitches
// and counts are elements of the Fortran array.
#include "fortran/entry.h"

#include <algorithm>
#include <cstring>

namespace heddle::fortran {

namespace {

size_t bytesOf(const Descriptor *array, int64_t count) {
  return static_cast<size_t>(count) * (isAddress(*array) ? 1 : array->elem_len);
}

cudaMemcpyKind kindOf(const int *kind) {
  return kind ? static_cast<cudaMemcpyKind>(*kind) : cudaMemcpyDefault;
}

/// Allocates an array whose dimensions are set, in the order of a stream if there is one. Its
/// allocator stands in its descriptor.
int allocate(Descriptor *array, int64_t *stream = nullptr) {
  if (_FortranAAllocatableAllocate(*array, stream, /*hasStat=*/true, nullptr, nullptr, 0,
                                   std::memcpy) != 0)
    return cudaErrorMemoryAllocation;
  syncDescriptor(array, {nullptr, 0});
  return cudaSuccess;
}

int allocateVector(Descriptor *array, int64_t count, int64_t *stream) {
  if (array->base_addr || count < 0)
    return cudaErrorInvalidValue;
  array->dim[0] = {1, count, static_cast<CFI_index_t>(array->elem_len)};
  return allocate(array, stream);
}

/// Sets elements of any size in rows: the first element comes from the host, what is set doubles to
/// the end of the row, and the rows behind it are copies of the first one.
int fillRows(Descriptor *array, const Descriptor *value, int64_t pitch, int64_t width,
             int64_t height, cudaStream_t stream) {
  if (isAddress(*array) || value->elem_len != array->elem_len || width < 0 || height < 0 ||
      pitch < width)
    return cudaErrorInvalidValue;
  if (width == 0 || height == 0)
    return cudaSuccess;
  char *to = static_cast<char *>(array->base_addr);
  size_t row = bytesOf(array, width);
  cudaError_t error =
      cudaMemcpyAsync(to, value->base_addr, value->elem_len, cudaMemcpyDefault, stream);
  for (size_t done = array->elem_len; done < row && error == cudaSuccess; done *= 2)
    error = cudaMemcpyAsync(to + done, to, std::min(done, row - done), cudaMemcpyDeviceToDevice,
                            stream);
  for (int64_t y = 1; y < height && error == cudaSuccess; ++y)
    error = cudaMemcpyAsync(to + static_cast<size_t>(y) * bytesOf(array, pitch), to, row,
                            cudaMemcpyDeviceToDevice, stream);
  return error;
}

} // namespace

} // namespace heddle::fortran

using namespace heddle::fortran;

/// Allocates an array of one dimension, from 1.
HEDDLE_FORTRAN int heddleFortranAllocate(Descriptor *array, int64_t count) {
  return allocateVector(array, count, nullptr);
}

HEDDLE_FORTRAN int heddleFortranAllocateAsync(Descriptor *array, int64_t count, int64_t stream) {
  return allocateVector(array, count, &stream);
}

/// Allocates an array of two dimensions, whose columns begin where cudaMallocPitch lets them.
HEDDLE_FORTRAN int heddleFortranAllocatePitch8(Descriptor *array, int64_t *pitch, int64_t width,
                                               int64_t height) {
  if (array->base_addr || width < 0 || height < 0)
    return cudaErrorInvalidValue;
  void *row = nullptr;
  size_t bytes = 0;
  cudaError_t error = cudaMallocPitch(&row, &bytes, bytesOf(array, width), 1);
  if (error != cudaSuccess)
    return error;
  cudaFree(row);
  *pitch = static_cast<int64_t>(bytes / array->elem_len);
  auto element = static_cast<CFI_index_t>(array->elem_len);
  array->dim[0] = {1, *pitch, element};
  array->dim[1] = {1, height, *pitch * element};
  return allocate(array);
}

HEDDLE_FORTRAN int heddleFortranAllocatePitch4(Descriptor *array, int *pitch, int64_t width,
                                               int64_t height) {
  int64_t elements = 0;
  int error = heddleFortranAllocatePitch8(array, &elements, width, height);
  *pitch = static_cast<int>(elements);
  return error;
}

HEDDLE_FORTRAN int heddleFortranDeallocate(Descriptor *array) {
  if (!array->base_addr)
    return cudaErrorInvalidValue;
  cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess)
    return error;
  if (_FortranAAllocatableDeallocate(*array, /*hasStat=*/true, nullptr, nullptr, 0) != 0)
    return cudaErrorInvalidValue;
  syncDescriptor(array, {nullptr, 0});
  return cudaSuccess;
}

/// Work of the stream may still use the array.
HEDDLE_FORTRAN int heddleFortranDeallocateAsync(Descriptor *array, int64_t stream) {
  if (!array->base_addr)
    return cudaErrorInvalidValue;
  forgetStream(array->base_addr);
  cudaError_t error = cudaFreeAsync(array->base_addr, streamOf(&stream));
  if (error != cudaSuccess)
    return error;
  array->base_addr = nullptr;
  syncDescriptor(array, {nullptr, 0});
  return cudaSuccess;
}

HEDDLE_FORTRAN int heddleFortranMemcpyToArray(cudaArray_t to, int64_t x, int64_t y,
                                              const Descriptor *from, int64_t count,
                                              const int *kind) {
  return cudaMemcpyToArray(to, bytesOf(from, x), static_cast<size_t>(y), dataOf(*from),
                           bytesOf(from, count), kindOf(kind));
}

HEDDLE_FORTRAN int heddleFortranMemcpyFromArray(const Descriptor *to, cudaArray_t from, int64_t x,
                                                int64_t y, int64_t count, const int *kind) {
  return cudaMemcpyFromArray(dataOf(*to), from, bytesOf(to, x), static_cast<size_t>(y),
                             bytesOf(to, count), kindOf(kind));
}

HEDDLE_FORTRAN int heddleFortranMemcpy2DToArray(cudaArray_t to, int64_t x, int64_t y,
                                                const Descriptor *from, int64_t pitch,
                                                int64_t width, int64_t height, const int *kind) {
  return cudaMemcpy2DToArray(to, bytesOf(from, x), static_cast<size_t>(y), dataOf(*from),
                             bytesOf(from, pitch), bytesOf(from, width),
                             static_cast<size_t>(height), kindOf(kind));
}

HEDDLE_FORTRAN int heddleFortranMemcpy2DFromArray(const Descriptor *to, int64_t pitch,
                                                  cudaArray_t from, int64_t x, int64_t y,
                                                  int64_t width, int64_t height, const int *kind) {
  return cudaMemcpy2DFromArray(dataOf(*to), bytesOf(to, pitch), from, bytesOf(to, x),
                               static_cast<size_t>(y), bytesOf(to, width),
                               static_cast<size_t>(height), kindOf(kind));
}

HEDDLE_FORTRAN int heddleFortranMemset2D(Descriptor *to, int64_t pitch, const Descriptor *value,
                                         int64_t width, int64_t height) {
  return fillRows(to, value, pitch, width, height, defaultStream);
}

HEDDLE_FORTRAN int heddleFortranMemset2DAsync(Descriptor *to, int64_t pitch,
                                              const Descriptor *value, int64_t width,
                                              int64_t height, const int64_t *stream) {
  return fillRows(to, value, pitch, width, height, streamOf(stream));
}

/// The argument is the variable where the device has it, if it is one of the device.
HEDDLE_FORTRAN int heddleFortranSymbolAddress(void **address, const Descriptor *symbol) {
  cudaPointerAttributes attributes;
  cudaError_t error = cudaPointerGetAttributes(&attributes, symbol->base_addr);
  if (error == cudaSuccess && !attributes.devicePointer)
    error = cudaErrorInvalidSymbol;
  if (error == cudaSuccess)
    *address = attributes.devicePointer;
  return error;
}

HEDDLE_FORTRAN int heddleFortranSymbolSize(size_t *size, const Descriptor *symbol) {
  void *address;
  int error = heddleFortranSymbolAddress(&address, symbol);
  if (error == cudaSuccess)
    *size = elementsOf(*symbol) * symbol->elem_len;
  return error;
}
