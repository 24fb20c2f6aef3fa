// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of the driver API share.
#pragma once

#include "support.h"

#include <cuda.h>

#include <fstream>
#include <iterator>

#define DRIVER_OK(call)                                                                            \
  do {                                                                                             \
    CUresult status_ = (call);                                                                     \
    if (status_ != CUDA_SUCCESS) {                                                                 \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, nameOf(status_));                  \
      std::exit(2);                                                                                \
    }                                                                                              \
  } while (0)

inline const char *nameOf(CUresult error) {
  const char *name = "no name";
  cuGetErrorName(error, &name);
  return name;
}

/// A call of the driver API must give this error.
inline void expectCode(const std::string &what, CUresult got, CUresult want) {
  if (got != want)
    report(what, 0, nameOf(got), nameOf(want));
}

inline std::vector<char> bytesOf(const char *file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// A new context on the first device, the current one. `CUDA 13` has another cuCtxCreate.
inline CUcontext makeContext() {
  CUcontext context = nullptr;
#if CUDA_VERSION >= 13000
  DRIVER_OK(cuCtxCreate(&context, nullptr, 0, 0));
#else
  DRIVER_OK(cuCtxCreate(&context, 0, 0));
#endif
  return context;
}

inline CUfunction functionOf(CUmodule module, const char *name) {
  CUfunction function = nullptr;
  DRIVER_OK(cuModuleGetFunction(&function, module, name));
  return function;
}

inline CUdeviceptr globalOf(CUmodule module, const char *name, size_t bytes) {
  CUdeviceptr pointer = 0;
  size_t found = 0;
  DRIVER_OK(cuModuleGetGlobal(&pointer, &found, module, name));
  expect(name, 0, found, bytes);
  return pointer;
}
