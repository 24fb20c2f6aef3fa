// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program's host code names its device code by: a kernel by the address of its stub, a
// variable by that of its host shadow. For use inside translate() or withContext().
#pragma once

#include "runtime/driver.h"

namespace heddle::runtime {

/// The driver's kernel of a stub, or of a handle that the driver has given (cudaGetKernel).
/// Error: CUresult(cudaErrorInvalidDeviceFunction), or why the device code cannot be used.
CUresult kernelOf(const void *stub, CUfunction &kernel);
/// What the program names the kernel by: the inverse.
const void *stubOf(CUfunction kernel);

/// Where a variable lies in the current context. Error: CUresult(cudaErrorInvalidSymbol).
CUresult findSymbol(const void *symbol, CUdeviceptr &address, size_t &bytes);

/// Where the driver has a texture or surface reference.
struct ReferencePlace {
  CUmodule module = nullptr;
  const char *name = "";
  bool readsNormalized = false; ///< a texture reference of cudaReadModeNormalizedFloat
};
/// Error: CUresult(cudaErrorInvalidTexture).
CUresult findReference(const void *reference, ReferencePlace &);

} // namespace heddle::runtime
