// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime keeps for a thread: its last error.
#pragma once

#include "runtime/prototypes.h"

/// In front of the definition of every exported function.
#define HEDDLE_API extern "C" __attribute__((visibility("default")))

/// For `heddle check`: a function returns this error (driver/call.cpp).
extern "C" void heddle_call_failed(int code);
/// For profiles: the program calls a function; it has returned.
extern "C" void heddle_call_begins(const char *name);
extern "C" void heddle_call_ends(int code);
/// Before heddle_call_failed: why.
extern "C" void heddle_explain_variable(size_t offset, size_t count, size_t bytes);

namespace heddle::runtime {

/// Without a destructor: functions of the API may be called when the thread's objects are gone.
inline thread_local cudaError_t lastError = cudaSuccess;

/// What every function ends with. That something is not ready is an answer and no error that is
/// kept: an H100 with CUDA 13 does not.
template <typename Code> cudaError_t keep(Code code) {
  auto error = static_cast<cudaError_t>(code);
  if (error != cudaSuccess && error != cudaErrorNotReady)
    heddle_call_failed(lastError = error);
  return error;
}

} // namespace heddle::runtime
