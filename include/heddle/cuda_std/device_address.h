// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda::get_device_address, which <cuda/functional> and <cuda/memory> have.
#ifndef HEDDLE_CUDA_STD_DEVICE_ADDRESS_H
#define HEDDLE_CUDA_STD_DEVICE_ADDRESS_H

#include <cuda_runtime_api.h>

#include <memory>
#include <stdexcept>

namespace cuda {

/// Where an object with __device__ or __constant__ lies: on the host the runtime is asked.
template <class T> [[nodiscard]] __host__ __device__ inline T *get_device_address(T &object) {
#if defined(__CUDA_ARCH__)
  return ::std::addressof(object);
#else
  void *address = nullptr;
  cudaError_t error = ::cudaGetSymbolAddress(&address, object);
  if (error != cudaSuccess)
    throw ::std::runtime_error(cudaGetErrorString(error));
  return static_cast<T *>(address);
#endif
}

} // namespace cuda

#endif
