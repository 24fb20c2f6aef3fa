// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/modules/module.h"

#include <string>
#include <vector>

namespace heddle::driver {

/// Device code by its handle: what the program loads while it runs, as a library or as a module of
/// the driver API; or the program's own, once it has asked for its module.
struct Library {
  FatBinary *binary = nullptr;
  std::vector<Function *> kernels; ///< in the order of the image
  std::vector<void *> managed;     ///< storage of its variables
};

/// How device code is to be loaded, and why it was not.
struct Loading {
  const char *api;                            ///< that reports name
  CUresult ptxError = CUDA_ERROR_INVALID_PTX; ///< for PTX text
  bool isPreserved = false;                   ///< the program keeps the bytes
  const Context *owner = nullptr;             ///< of a module: the context that it belongs to
  std::string reason = {};                    ///< of a failure
};

CUresult loadLibrary(Library *&, const void *code, Loading &);
CUresult loadLibraryFile(Library *&, const char *name, Loading &);
/// Says why, once more in `reason`; gives `error`.
CUresult refuse(Loading &, std::string reason, CUresult error);
/// Whether it is device code of ours that may be read; else says what it is.
CUresult checkFormat(const void *code, Loading &);

/// The live one of a handle, or null.
Library *findLibrary(const void *handle);
/// That of a binary. Null: there are too many.
Library *libraryOf(FatBinary &);
/// Its kernel of that name, or null.
Function *findKernel(const Library &, const char *name);
/// Waits for the work in all contexts, or in its own, and ends it.
CUresult unloadLibrary(Library &);
/// Ends the modules of a context whose work is over.
void unloadModules(const Context &);
/// With the end of its binary.
void forgetLibrary(Library &);

enum class Globals { Plain, Managed, All };
/// A variable on the current device, if it is among those. One place may be null.
CUresult findGlobal(Library &, const char *name, Globals, void **p, size_t *bytes);

} // namespace heddle::driver
