// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries (driver API, "Library Management"): device code for all contexts.
#include "driver/functions.h"
#include "driver/modules/handles.h"
#include "driver/modules/jit_log.h"
#include "driver/modules/module_table.h"

#include "base/machine/mapped.h"

#include <algorithm>

namespace heddle::driver {

namespace {

/// What compiled host code says of itself, in our own compiler's layout; null if it is in none of ours.
const HostTable *hostTableOf(const void *value) {
  const auto isThere = [](const void *p, size_t bytes) {
    return isMapped(reinterpret_cast<uintptr_t>(p), bytes);
  };
  if (!isThere(value, sizeof(CUlibraryHostUniversalFunctionAndDataTable)))
    return nullptr;
  auto &tables = *static_cast<const CUlibraryHostUniversalFunctionAndDataTable *>(value);
  const auto *host = static_cast<const HostTable *>(tables.dataTable);
  return tables.dataWindowSize == sizeof *host && isThere(host, sizeof *host) &&
                 std::ranges::equal(host->magic, HostTableMagic)
             ? host
             : nullptr;
}

/// `values[i]` is that of `options[i]`, if it has one.
CUresult readOptions(const CUlibraryOption *options, void *const *values, unsigned count,
                     Loading &loading) {
  if (count > CU_LIBRARY_NUM_OPTIONS || (count && !options))
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == CU_LIBRARY_BINARY_IS_PRESERVED) {
      loading.isPreserved = true;
      continue;
    }
    if (options[i] != CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE)
      return CUDA_ERROR_INVALID_VALUE;
    loading.host = values ? hostTableOf(values[i]) : nullptr;
    if (!loading.host)
      return refuse(loading, "tables of host code that Heddle has not compiled are not supported",
                    CUDA_ERROR_NOT_SUPPORTED);
  }
  // What host code belongs to is there as long as it is.
  return loading.host && !loading.isPreserved ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/// Loads with `load(library)`.
template <typename F>
CUresult load(CUlibrary *handle, const JitLog &log, const CUlibraryOption *options,
              void *const *values, unsigned count, F &&body) {
  Loading loading = {.choices = log.choices()};
  if (CUresult error = log.check())
    return error;
  if (CUresult error = readOptions(options, values, count, loading))
    return error;
  Library *library = nullptr;
  CUresult error = body(library, loading);
  log.write(loading.reason, loading.info);
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

} // namespace

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
                           void **jitValues, unsigned jitCount, CUlibraryOption *options,
                           void **values, unsigned count) {
  if (!library || !code)
    return CUDA_ERROR_INVALID_VALUE;
  return load(library, {jitCount, jitOptions, jitValues}, options, values, count,
              [&](Library *&made, Loading &loading) { return loadLibrary(made, code, loading); });
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *file, CUjit_option *jitOptions,
                               void **jitValues, unsigned jitCount, CUlibraryOption *options,
                               void **values, unsigned count) {
  if (!library || !file)
    return CUDA_ERROR_INVALID_VALUE;
  return load(library, {jitCount, jitOptions, jitValues}, options, values, count,
              [&](Library *&made, Loading &loading) {
                return loading.host ? CUDA_ERROR_INVALID_VALUE
                                    : loadLibraryFile(made, file, loading);
              });
}

/// The executable's own stays. What came with a shared library's host code ends with that, and then
/// the dynamic linker calls, with its lock held: it waits for nothing, and may be called anywhere.
CUresult cuLibraryUnload(CUlibrary handle) {
  if (device::isForkedCopy() || !isInitialized())
    return CUDA_ERROR_NOT_INITIALIZED;
  return withPlainLibrary(handle, [](Library &library) {
    FatBinary &binary = *library.binary;
    if (binary.isOfProgram || (thread().runsHostFunction && !binary.isRegistered))
      return CUDA_ERROR_NOT_PERMITTED;
    if (!binary.isRegistered)
      return unloadLibrary(library);
    unregister(binary);
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary handle, const char *name) {
  if (!kernel || !name)
    return CUDA_ERROR_INVALID_VALUE;
  return withPlainLibrary(handle,
                          [&](Library &library) { return giveKernel(library, name, kernel); });
}

CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary handle) {
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  return withPlainLibrary(handle, [&](Library &library) { return countKernels(library, *count); });
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned room, CUlibrary handle) {
  if (!kernels && room)
    return CUDA_ERROR_INVALID_VALUE;
  return withPlainLibrary(handle,
                          [&](Library &library) { return giveKernels(library, kernels, room); });
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
    return findGlobal(library, name, Globals::All, reinterpret_cast<void **>(pointer), bytes);
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
  return withPlainLibrary(handle, [](Library &) { return CUDA_ERROR_INVALID_VALUE; });
}

} // namespace heddle::driver
