// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries (driver API, "Library Management"): device code for all contexts.
#include "driver/api/handles.h"
#include "driver/api/jit_log.h"
#include "driver/functions.h"

#include <algorithm>
#include <span>

namespace heddle::driver {

namespace {

CUresult readOptions(const CUlibraryOption *options, unsigned count, Loading &loading) {
  if (count && !options)
    return CUDA_ERROR_INVALID_VALUE;
  for (const CUlibraryOption option : std::span(options, count)) {
    if (option == CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE)
      return refuse(loading, "CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE is not supported",
                    CUDA_ERROR_NOT_SUPPORTED);
    if (option != CU_LIBRARY_BINARY_IS_PRESERVED)
      return CUDA_ERROR_INVALID_VALUE;
    loading.isPreserved = true;
  }
  return CUDA_SUCCESS;
}

/// Loads with `load(library)`.
template <typename F>
CUresult load(CUlibrary *handle, const JitLog &log, const CUlibraryOption *options, unsigned count,
              Loading &loading, F &&body) {
  if (CUresult error = log.check())
    return error;
  if (CUresult error = readOptions(options, count, loading))
    return error;
  Library *library = nullptr;
  CUresult error = body(library);
  log.write(loading.reason);
  if (error == CUDA_SUCCESS)
    *handle = reinterpret_cast<CUlibrary>(library);
  return error;
}

/// Modules are no libraries, though their handles are alike.
template <typename F> CUresult withPlainLibrary(CUlibrary handle, F &&body) {
  return withLibrary(handle, [&](Library &library) {
    return library.binary->owner ? CUDA_ERROR_INVALID_HANDLE : body(library);
  });
}

CUkernel handleOf(const Function *function) {
  return reinterpret_cast<CUkernel>(const_cast<void *>(function->stub));
}

} // namespace

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
                           void **jitValues, unsigned jitCount, CUlibraryOption *options, void **,
                           unsigned count) {
  if (!library || !code)
    return CUDA_ERROR_INVALID_VALUE;
  Loading loading = {.api = "cuLibraryLoadData"};
  return load(library, {jitCount, jitOptions, jitValues}, options, count, loading,
              [&](Library *&made) { return loadLibrary(made, code, loading); });
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *file, CUjit_option *jitOptions,
                               void **jitValues, unsigned jitCount, CUlibraryOption *options,
                               void **, unsigned count) {
  if (!library || !file)
    return CUDA_ERROR_INVALID_VALUE;
  Loading loading = {.api = "cuLibraryLoadFromFile"};
  return load(library, {jitCount, jitOptions, jitValues}, options, count, loading,
              [&](Library *&made) { return loadLibraryFile(made, file, loading); });
}

/// The program's own stays.
CUresult cuLibraryUnload(CUlibrary handle) {
  return withPlainLibrary(handle, [](Library &library) {
    return library.binary->home == library.binary ? unloadLibrary(library)
                                                  : CUDA_ERROR_NOT_PERMITTED;
  });
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary handle, const char *name) {
  if (!kernel || !name)
    return CUDA_ERROR_INVALID_VALUE;
  return withPlainLibrary(handle, [&](Library &library) {
    const Function *found = findKernel(library, name);
    if (!found)
      return CUDA_ERROR_NOT_FOUND;
    *kernel = handleOf(found);
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary handle) {
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  return withPlainLibrary(handle, [&](Library &library) {
    *count = static_cast<unsigned>(library.kernels.size());
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned room, CUlibrary handle) {
  if (!kernels && room)
    return CUDA_ERROR_INVALID_VALUE;
  return withPlainLibrary(handle, [&](Library &library) {
    for (size_t i = 0; i < std::min<size_t>(room, library.kernels.size()); ++i)
      kernels[i] = handleOf(library.kernels[i]);
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary handle) {
  if (!module)
    return CUDA_ERROR_INVALID_VALUE;
  return withPlainLibrary(handle, [&](Library &) {
    *module = reinterpret_cast<CUmodule>(handle);
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUlibrary handle,
                            const char *name) {
  return withPlainLibrary(handle, [&](Library &library) {
    return findGlobal(library, name, Globals::Plain, reinterpret_cast<void **>(pointer), bytes);
  });
}

CUresult cuLibraryGetManaged(CUdeviceptr *pointer, size_t *bytes, CUlibrary handle,
                             const char *name) {
  return withPlainLibrary(handle, [&](Library &library) {
    return findGlobal(library, name, Globals::Managed, reinterpret_cast<void **>(pointer), bytes);
  });
}

/// There are none: CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS is 0.
CUresult cuLibraryGetUnifiedFunction(void **function, CUlibrary handle, const char *symbol) {
  if (!function || !symbol)
    return CUDA_ERROR_INVALID_VALUE;
  return withPlainLibrary(handle, [](Library &) { return CUDA_ERROR_NOT_FOUND; });
}

} // namespace heddle::driver
