// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions, kernels, modules and libraries by their handles. A CUfunction is a CUkernel, a CUmodule a
// CUlibrary.
#pragma once

#include "driver/modules/library.h"

#include <algorithm>
#include <vector>

namespace heddle::driver {

/// Runs `body(function)` for the handle's kernel as it is in that context.
template <typename F> CUresult withKernel(const void *handle, Context &context, F &&body) {
  Function *function = nullptr;
  if (CUresult error = findFunction(handle, context, function))
    return error;
  return body(*function);
}

/// Runs `body(function, context)` in the context that a CUfunction's module belongs to, or the
/// current one. Which context is current matters for launches only.
template <typename F> CUresult withFunction(CUfunction handle, F &&body) {
  const Kernel *kernel = kernelOf(handle);
  const Context *owner = kernel ? kernel->binary->owner : nullptr;
  Context &context = owner ? contextAt(owner->index) : currentContext();
  return withKernel(handle, context, [&](Function &function) { return body(function, context); });
}

/// The library's kernel of that name as a CUkernel or CUfunction.
template <typename Handle> CUresult giveKernel(Library &library, const char *name, Handle *handle) {
  Kernel *kernel = nullptr;
  CUresult error = findKernel(library, name, kernel);
  if (error == CUDA_SUCCESS)
    *handle = reinterpret_cast<Handle>(kernel);
  return error;
}

/// All kernels of a library, as many as there is room for.
template <typename Handle> CUresult giveKernels(Library &library, Handle *handles, unsigned room) {
  unsigned count = 0;
  if (CUresult error = countKernels(library, count))
    return error;
  std::vector<Kernel *> kernels(std::min(room, count));
  CUresult error = findKernels(library, kernels);
  if (error == CUDA_SUCCESS)
    std::ranges::transform(kernels, handles,
                           [](Kernel *kernel) { return reinterpret_cast<Handle>(kernel); });
  return error;
}

/// Runs `body(library)` for a live handle of a library or module.
template <typename F> CUresult withLibrary(const void *handle, F &&body) {
  Library *library = findLibrary(handle);
  return library ? body(*library) : CUDA_ERROR_INVALID_HANDLE;
}

/// The same for a module, in the context that it belongs to.
template <typename F> CUresult withModule(CUmodule handle, F &&body) {
  return withLibrary(handle, [&](Library &library) {
    const Context *owner = library.binary->owner;
    ContextScope scope(owner ? contextAt(owner->index) : currentContext());
    return body(library);
  });
}

} // namespace heddle::driver
