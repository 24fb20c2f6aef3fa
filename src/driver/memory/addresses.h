// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver API's addresses and handles of memory as those that the rooms know.
#pragma once

#include "driver/bodies.h"

#include <utility>

namespace heddle::driver {

inline void *pointerTo(CUdeviceptr address) { return reinterpret_cast<void *>(address); }
inline CUdeviceptr deviceAddress(const void *pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

inline cudaArray_t asArray(CUarray array) { return reinterpret_cast<cudaArray_t>(array); }
inline cudaMipmappedArray_t asMipmap(CUmipmappedArray array) {
  return reinterpret_cast<cudaMipmappedArray_t>(array);
}

/// Runs `make(void **)`, whose pointer goes to `address`.
template <typename F> CUresult makeAddress(CUdeviceptr *address, F &&make) {
  void *made = nullptr;
  if (!address)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = make(&made))
    return error;
  *address = deviceAddress(made);
  return CUDA_SUCCESS;
}

} // namespace heddle::driver
