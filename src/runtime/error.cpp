// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Error codes, the thread's last error, versions: functions that initialise nothing.
#include "runtime/driver.h"

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

HEDDLE_API cudaError_t cudaPeekAtLastError() { return lastError; }
HEDDLE_API cudaError_t cudaGetLastError() { return std::exchange(lastError, cudaSuccess); }

HEDDLE_API cudaError_t cudaDriverGetVersion(int *version) {
  return keep(ask<&Cu::cuDriverGetVersion>(version));
}

/// What we say that our runtime is.
HEDDLE_API cudaError_t cudaRuntimeGetVersion(int *version) {
  return keep(version ? (*version = CUDART_VERSION, cudaSuccess) : cudaErrorInvalidValue);
}

HEDDLE_API cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                       cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
