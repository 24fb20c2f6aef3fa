// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the program that run in a stream.
#include "runtime/driver.h"

#include <memory>
#include <new>

using namespace heddle::runtime;

namespace {

/// A callback of the program, which takes the runtime's code.
struct Callback {
  cudaStreamCallback_t function;
  void *data;
};

void run(CUstream stream, CUresult status, void *data) {
  const std::unique_ptr<Callback> callback(static_cast<Callback *>(data));
  callback->function(stream, static_cast<cudaError_t>(status), callback->data);
}

} // namespace

/// The driver calls what it has accepted once, on a lost context too.
HEDDLE_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function,
                                             void *data, unsigned flags) {
  return translate([&]() -> CUresult {
    if (!function)
      return CUDA_ERROR_INVALID_VALUE;
    std::unique_ptr<Callback> callback(new (std::nothrow) Callback{function, data});
    if (!callback)
      return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult error =
        ask<&Cu::cuStreamAddCallback>(stream, run, static_cast<void *>(callback.get()), flags);
    if (error == CUDA_SUCCESS)
      callback.release(); // it may be gone already
    return error;
  });
}

HEDDLE_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  return translateCurrent([&] { return ask<&Cu::cuLaunchHostFunc>(stream, function, data); });
}
