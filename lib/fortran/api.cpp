// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What module cudafor needs of C for devices, errors, streams and events (modules/device.inc,
// streams.inc): strings as Fortran has them, and functions whose 64-bit argument may be an integer
// of the default kind.
#include "fortran/entry.h"

#include <algorithm>
#include <cstring>

namespace heddle::fortran {

namespace {

/// A C string in a character variable: blanks behind it, and its end cut off if it is too long.
void copyText(const char *text, char *to, size_t length) {
  size_t used = std::min(std::strlen(text), length);
  std::memmove(to, text, used);
  std::memset(to + used, ' ', length - used);
}

cudaStream_t streamOf(int number) {
  return reinterpret_cast<cudaStream_t>(static_cast<intptr_t>(number));
}

} // namespace

} // namespace heddle::fortran

using namespace heddle::fortran;

HEDDLE_FORTRAN int heddleFortranDeviceProperties(cudaDeviceProp *properties, int device) {
  cudaError_t error = cudaGetDeviceProperties(properties, device);
  if (error == cudaSuccess)
    copyText(properties->name, properties->name, sizeof properties->name);
  return error;
}

HEDDLE_FORTRAN void heddleFortranErrorName(int code, int length, char *text) {
  copyText(cudaGetErrorName(static_cast<cudaError_t>(code)), text, static_cast<size_t>(length));
}

HEDDLE_FORTRAN void heddleFortranErrorString(int code, int length, char *text) {
  copyText(cudaGetErrorString(static_cast<cudaError_t>(code)), text, static_cast<size_t>(length));
}

HEDDLE_FORTRAN int heddleFortranSetLimit(int limit, int value) {
  return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), static_cast<size_t>(value));
}

HEDDLE_FORTRAN int heddleFortranOccupancy(int *blocks, const void *kernel, int blockSize,
                                          int sharedBytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, blockSize,
                                                       static_cast<size_t>(sharedBytes));
}

HEDDLE_FORTRAN int heddleFortranStreamSynchronize(int stream) {
  return cudaStreamSynchronize(streamOf(stream));
}

HEDDLE_FORTRAN int heddleFortranStreamQuery(int stream) {
  return cudaStreamQuery(streamOf(stream));
}

HEDDLE_FORTRAN int heddleFortranStreamWaitEvent(int stream, cudaEvent_t event, int flags) {
  return cudaStreamWaitEvent(streamOf(stream), event, static_cast<unsigned>(flags));
}

HEDDLE_FORTRAN int heddleFortranEventRecord(cudaEvent_t event, int stream) {
  return cudaEventRecord(event, streamOf(stream));
}

/// What a CALL of a function becomes (src/frontend/fortran/flang/fixes.cpp).
HEDDLE_FORTRAN void heddle_ignore_(const void *) {}
