// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows a library's header in bring_runtime.test.
#ifndef __CUDA_RUNTIME_H__
#error cuda_runtime.h is missing
#endif
float *memory(size_t count) {
  float *data = nullptr;
  return cudaMalloc(&data, count * sizeof(float)) == cudaSuccess ? data : nullptr;
}
