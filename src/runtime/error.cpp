// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Error codes, the thread's last error, versions: functions that initialise nothing.
#include "runtime/context.h"
#include "runtime/unread.h"

#include "base/messages/runtime_errors.h"

#include <utility>

using namespace heddle::runtime;

#define HEDDLE_ERROR(name, value, text) static_assert(name == value);
#include "base/messages/runtime_errors.def"
#undef HEDDLE_ERROR

HEDDLE_API const char *cudaGetErrorName(cudaError_t error) {
  return heddle::runtimeErrorText(error).name;
}
HEDDLE_API const char *cudaGetErrorString(cudaError_t error) {
  return heddle::runtimeErrorText(error).text;
}

HEDDLE_API cudaError_t cudaPeekAtLastError() {
  if (lastError != cudaSuccess)
    heddle_error_read();
  return lastError;
}
HEDDLE_API cudaError_t cudaGetLastError() {
  cudaPeekAtLastError();
  return std::exchange(lastError, cudaSuccess);
}

HEDDLE_API cudaError_t cudaDriverGetVersion(int *version) {
  return keep(ask<&Cu::cuDriverGetVersion>(version));
}

/// What we say that our runtime is, by the major that the program asks.
static cudaError_t tellVersion(int *to, int version) {
  return keep(to ? (*to = version, cudaSuccess) : cudaErrorInvalidValue);
}
HEDDLE_API cudaError_t cudaRuntimeGetVersion(int *version) {
  return tellVersion(version, CUDART_VERSION);
}
HEDDLE_API cudaError_t heddle_11_cudaRuntimeGetVersion(int *version) {
  return tellVersion(version, 11080);
}
HEDDLE_API cudaError_t heddle_13_cudaRuntimeGetVersion(int *version) {
  return tellVersion(version, 13000);
}

// The log of errors (runtime API, "Error Log Management Functions"), which is the driver's.

HEDDLE_API cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t callback, void *data,
                                                cudaLogsCallbackHandle *handle) {
  return translateQuery([&] {
    return ask<&Cu::cuLogsRegisterCallback>(reinterpret_cast<CUlogsCallback>(callback), data,
                                            handle);
  });
}
HEDDLE_API cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle callback) {
  return translateQuery([&] { return ask<&Cu::cuLogsUnregisterCallback>(callback); });
}
HEDDLE_API cudaError_t cudaLogsCurrent(cudaLogIterator *iterator, unsigned flags) {
  return translateQuery([&] { return ask<&Cu::cuLogsCurrent>(iterator, flags); });
}
HEDDLE_API cudaError_t cudaLogsDumpToFile(cudaLogIterator *iterator, const char *path,
                                          unsigned flags) {
  return translateQuery([&] { return ask<&Cu::cuLogsDumpToFile>(iterator, path, flags); });
}
HEDDLE_API cudaError_t cudaLogsDumpToMemory(cudaLogIterator *iterator, char *buffer, size_t *bytes,
                                            unsigned flags) {
  return translateQuery(
      [&] { return ask<&Cu::cuLogsDumpToMemory>(iterator, buffer, bytes, flags); });
}

HEDDLE_API cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                       cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
