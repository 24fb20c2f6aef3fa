// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Error codes and the thread's last error. None of these functions initialises anything.
#include "runtime/state.h"

namespace heddle::runtime {

#define HEDDLE_ERROR(name, value, text) static_assert(name == value);
#include "runtime/errors.def"
#undef HEDDLE_ERROR

namespace {

constexpr const char *Unrecognized = "unrecognized error code";

struct ErrorText {
  const char *name, *text;
};

ErrorText textOf(cudaError_t error) {
  switch (static_cast<int>(error)) {
#define HEDDLE_ERROR(name, value, text)                                                            \
  case value:                                                                                      \
    return {#name, text};
#include "runtime/errors.def"
#undef HEDDLE_ERROR
  }
  return {Unrecognized, Unrecognized};
}

} // namespace

cudaError_t errorOf(device::Fault fault) {
  switch (fault) {
  case device::Fault::None:
    return cudaSuccess;
  case device::Fault::IllegalAddress:
    return cudaErrorIllegalAddress;
  case device::Fault::Assert:
    return cudaErrorAssert;
  case device::Fault::IllegalInstruction:
    return cudaErrorIllegalInstruction;
  case device::Fault::MisalignedAddress:
    return cudaErrorMisalignedAddress;
  case device::Fault::LaunchTimeout:
    return cudaErrorLaunchTimeout;
  case device::Fault::NoCompiler:
    return cudaErrorJitCompilerNotFound;
  case device::Fault::Trap:
  case device::Fault::HostLost:
    return cudaErrorLaunchFailure;
  }
  return cudaErrorUnknown;
}

} // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_API const char *cudaGetErrorName(cudaError_t error) { return textOf(error).name; }
HEDDLE_API const char *cudaGetErrorString(cudaError_t error) { return textOf(error).text; }

HEDDLE_API cudaError_t cudaPeekAtLastError() { return thread().lastError; }
HEDDLE_API cudaError_t cudaGetLastError() { return std::exchange(thread().lastError, cudaSuccess); }
