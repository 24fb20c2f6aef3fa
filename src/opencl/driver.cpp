// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "opencl/driver.h"

#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>

/// Our driver's table (driver/table.cpp).
extern "C" const heddle::driver::Table *
heddle_driver_table(const heddle::driver::Table *exportedOrNull);

namespace heddle::cl {

namespace {

/// Ours, or that of the library that HEDDLE_DRIVER names, where it has all functions.
const driver::Table &chooseDriver() {
  const char *path = std::getenv("HEDDLE_DRIVER");
  if (!path || !*path)
    return *heddle_driver_table(nullptr);
  static driver::Table table;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "heddle: HEDDLE_DRIVER: %s\n", dlerror());
    return *heddle_driver_table(nullptr);
  }
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  table.symbol = reinterpret_cast<decltype(table.symbol)>(dlsym(library, #symbol));                \
  if (!table.symbol)                                                                               \
    table.symbol = [] parameters -> CUresult { return CUDA_ERROR_NOT_SUPPORTED; };
#include "driver/driver.def"
  return table;
}

} // namespace

const driver::Table &cu() {
  static const driver::Table &table = []() -> const driver::Table & {
    const driver::Table &chosen = chooseDriver();
    chosen.cuInit(0);
    return chosen;
  }();
  return table;
}

int deviceCount() {
  int count = 0;
  return cu().cuDeviceGetCount(&count) == CUDA_SUCCESS ? count : 0;
}

cl_int codeOf(CUresult error, cl_int otherwise) {
  switch (error) {
  case CUDA_SUCCESS:
    return CL_SUCCESS;
  case CUDA_ERROR_OUT_OF_MEMORY:
    return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    return CL_OUT_OF_RESOURCES;
  default:
    return otherwise;
  }
}

Current::Current(CUcontext context) {
  CUcontext before = nullptr;
  if (cu().cuCtxGetCurrent(&before) != CUDA_SUCCESS || before != context)
    isPushed_ = cu().cuCtxPushCurrent_v2(context) == CUDA_SUCCESS;
}

Current::~Current() {
  CUcontext popped = nullptr;
  if (isPushed_)
    cu().cuCtxPopCurrent_v2(&popped);
}

} // namespace heddle::cl
