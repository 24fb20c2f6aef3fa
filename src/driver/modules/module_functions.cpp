// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules (driver API, "Module Management"): a module is a library that belongs to the context in
// which it was loaded, and ends with it.
#include "driver/functions.h"
#include "driver/modules/handles.h"
#include "driver/modules/jit_log.h"

namespace heddle::driver {

namespace {

CUmodule handleOf(const Library *library) {
  return reinterpret_cast<CUmodule>(const_cast<Library *>(library));
}

/// Loads with `load(library, loading)`.
template <typename F>
CUresult loadModule(CUmodule *module, const char *api, const JitLog &log, F &&load) {
  if (CUresult error = log.check())
    return error;
  Library *library = nullptr;
  Loading loading = {.api = api, .owner = &currentContext(), .choices = log.choices()};
  CUresult error = load(library, loading);
  log.write(loading.reason, loading.info);
  if (error == CUDA_SUCCESS)
    *module = handleOf(library);
  return error;
}

CUresult loadData(CUmodule *module, const char *api, const void *image, const JitLog &log = {}) {
  if (!module || !image)
    return CUDA_ERROR_INVALID_VALUE;
  return loadModule(module, api, log, [&](Library *&library, Loading &loading) {
    return loadLibrary(library, image, loading);
  });
}

} // namespace

CUresult cuModuleLoad(CUmodule *module, const char *file) {
  if (!module || !file)
    return CUDA_ERROR_INVALID_VALUE;
  return loadModule(module, "cuModuleLoad", {}, [&](Library *&library, Loading &loading) {
    return loadLibraryFile(library, file, loading);
  });
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return loadData(module, "cuModuleLoadData", image);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            CUjit_option *options, void **values) {
  return loadData(module, "cuModuleLoadDataEx", image, {count, options, values});
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fatBinary) {
  return loadData(module, "cuModuleLoadFatBinary", fatBinary);
}

/// Those of libraries stay.
CUresult cuModuleUnload(CUmodule module) {
  return withLibrary(module, [](Library &library) {
    return library.binary->owner ? unloadLibrary(library) : CUDA_ERROR_NOT_PERMITTED;
  });
}

/// Kernels are compiled when they are launched, whatever CUDA_MODULE_LOADING says.
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  if (!mode)
    return CUDA_ERROR_INVALID_VALUE;
  *mode = CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  if (!module)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!function || !name || !*name)
    return CUDA_ERROR_INVALID_VALUE;
  return withModule(module, [&](Library &library) { return giveKernel(library, name, function); });
}

CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module) {
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  return withModule(module, [&](Library &library) { return countKernels(library, *count); });
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned room, CUmodule module) {
  if (!functions && room)
    return CUDA_ERROR_INVALID_VALUE;
  return withModule(module,
                    [&](Library &library) { return giveKernels(library, functions, room); });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *bytes, CUmodule module,
                              const char *name) {
  return withModule(module, [&](Library &library) {
    return findGlobal(library, name, Globals::All, reinterpret_cast<void **>(pointer), bytes);
  });
}

// ---------------------------------------------------------------------------------------------------
// Functions and the modules that they are of.

CUresult cuFuncGetModule(CUmodule *module, CUfunction function) {
  if (!module)
    return CUDA_ERROR_INVALID_VALUE;
  return withFunction(function, [&](Function &, Context &) {
    *module = handleOf(kernelOf(function)->binary->library);
    return CUDA_SUCCESS;
  });
}

} // namespace heddle::driver
