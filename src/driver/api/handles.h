// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions, kernels, modules and libraries by their handles. A CUfunction is a kernel's handle or
// the stub of one of the program's kernels, a CUmodule a library's handle: the runtime's functions
// take both.
#pragma once

#include "driver/modules/library.h"

namespace heddle::driver {

/// What a function of the driver API says of a handle that is no kernel's, or whose module has been
/// unloaded or belongs to another context.
inline CUresult functionCode(CUresult error) {
  return error == CUresult(cudaErrorInvalidDeviceFunction) ? CUDA_ERROR_INVALID_HANDLE : error;
}

/// Runs `body(function)` for the handle's kernel as it is in that context.
template <typename F> CUresult withKernel(const void *handle, Context &context, F &&body) {
  Function *function = nullptr;
  if (CUresult error = findFunction(handle, context, function))
    return functionCode(error);
  return body(*function);
}

/// Runs `body(library)` for a live handle of a library or module.
template <typename F> CUresult withLibrary(const void *handle, F &&body) {
  Library *library = findLibrary(handle);
  return library ? body(*library) : CUDA_ERROR_INVALID_HANDLE;
}

} // namespace heddle::driver
