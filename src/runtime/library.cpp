// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries: device code that the program loads while it runs (runtime API, "Library Management").
// The options of both APIs have the same numbers.
#include "runtime/driver.h"

using namespace heddle::runtime;

static CUlibrary handleOf(cudaLibrary_t library) { return reinterpret_cast<CUlibrary>(library); }

HEDDLE_API cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                           cudaJitOption *jitOptions, void **jitValues,
                                           unsigned jitCount, cudaLibraryOption *options,
                                           void **values, unsigned count) {
  return translate([&] {
    return ask<&Cu::cuLibraryLoadData>(
        reinterpret_cast<CUlibrary *>(library), code, reinterpret_cast<CUjit_option *>(jitOptions),
        jitValues, jitCount, reinterpret_cast<CUlibraryOption *>(options), values, count);
  });
}

HEDDLE_API cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *file,
                                               cudaJitOption *jitOptions, void **jitValues,
                                               unsigned jitCount, cudaLibraryOption *options,
                                               void **values, unsigned count) {
  return translate([&] {
    return ask<&Cu::cuLibraryLoadFromFile>(
        reinterpret_cast<CUlibrary *>(library), file, reinterpret_cast<CUjit_option *>(jitOptions),
        jitValues, jitCount, reinterpret_cast<CUlibraryOption *>(options), values, count);
  });
}

HEDDLE_API cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return translate([&] { return ask<&Cu::cuLibraryUnload>(handleOf(library)); });
}

HEDDLE_API cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library,
                                            const char *name) {
  return translate([&] {
    return ask<&Cu::cuLibraryGetKernel>(reinterpret_cast<CUkernel *>(kernel), handleOf(library),
                                        name);
  });
}

HEDDLE_API cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library) {
  return translate([&] { return ask<&Cu::cuLibraryGetKernelCount>(count, handleOf(library)); });
}

HEDDLE_API cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned room,
                                                   cudaLibrary_t library) {
  return translate([&] {
    return ask<&Cu::cuLibraryEnumerateKernels>(reinterpret_cast<CUkernel *>(kernels), room,
                                               handleOf(library));
  });
}

HEDDLE_API cudaError_t cudaLibraryGetGlobal(void **p, size_t *bytes, cudaLibrary_t library,
                                            const char *name) {
  return translate([&] {
    return ask<&Cu::cuLibraryGetGlobal>(reinterpret_cast<CUdeviceptr *>(p), bytes,
                                        handleOf(library), name);
  });
}

HEDDLE_API cudaError_t cudaLibraryGetManaged(void **p, size_t *bytes, cudaLibrary_t library,
                                             const char *name) {
  return translate([&] {
    return ask<&Cu::cuLibraryGetManaged>(reinterpret_cast<CUdeviceptr *>(p), bytes,
                                         handleOf(library), name);
  });
}

HEDDLE_API cudaError_t cudaLibraryGetUnifiedFunction(void **function, cudaLibrary_t library,
                                                     const char *name) {
  return translate(
      [&] { return ask<&Cu::cuLibraryGetUnifiedFunction>(function, handleOf(library), name); });
}
