// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/symbols.h"

#include "driver/modules/module.h"

namespace heddle::runtime {

CUresult kernelOf(const void *stub, CUfunction &kernel) {
  driver::Function *function = nullptr;
  kernel = reinterpret_cast<CUfunction>(const_cast<void *>(stub));
  if (CUresult error = cu().cuCtxGetDevice(nullptr); wantsContext(error))
    return error;
  return driver::findFunction(stub, driver::currentContext(), function);
}

const void *stubOf(CUfunction kernel) { return kernel; }

CUresult findSymbol(const void *symbol, CUdeviceptr &address, size_t &bytes) {
  if (CUresult error = cu().cuCtxGetDevice(nullptr); wantsContext(error))
    return error;
  driver::VariableAddress found;
  if (CUresult error = driver::findVariable(symbol, driver::currentContext(), found))
    return error;
  address = reinterpret_cast<CUdeviceptr>(found.address);
  bytes = found.bytes;
  return CUDA_SUCCESS;
}

} // namespace heddle::runtime
