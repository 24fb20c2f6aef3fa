// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled host code has registered, before main or in dlopen: its device code, and what it
// names that by. Between registration.cpp, which fills it, and symbols.cpp.
#pragma once

#include "runtime/driver.h"

#include "base/image/host_table.h"

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace heddle::runtime {

/// The device code of a translation unit.
struct Binary {
  const void *data = nullptr;
  const void *home = nullptr; ///< the executable or shared library that it lies in
  bool isOfProgram = false;   ///< it is the executable, which is never unloaded
  // Guarded by the load mutex:
  std::vector<HostVariable> managed; ///< that it defines
  std::vector<std::unique_ptr<uint8_t[]>>
      storage;           ///< of those that nvcc's host code reaches by pointers
  bool isLoaded = false; ///< or cannot be
  CUresult error = CUDA_SUCCESS;
  CUlibrary library = nullptr;
};

/// A kernel, named by its stub.
struct HostKernel {
  Binary *binary = nullptr;
  const char *name = "";       ///< mangled
  CUfunction kernel = nullptr; ///< null: not used yet
};

/// A variable, named by its host shadow.
struct HostSymbol {
  Binary *binary = nullptr;
  const char *name = ""; ///< mangled
  bool isReference = false;
  bool readsNormalized = false; ///< a texture reference of cudaReadModeNormalizedFloat
};

struct Registered {
  std::shared_mutex mutex; ///< guards what follows
  std::vector<std::unique_ptr<Binary>> binaries;
  std::unordered_map<const void *, HostKernel> kernels;
  std::unordered_map<const void *, HostSymbol> symbols;
  std::unordered_map<CUfunction, const void *> stubs; ///< of kernels that were used
  /// How often something was closed: what a thread remembers holds until then.
  std::atomic<uint64_t> closings{1};
  /// One binary is loaded at a time. Taken before `mutex`, and not where the dynamic linker calls to
  /// close a library.
  std::mutex loadMutex;
};

Registered &registered();

/// Loads a binary, and all that are linked with it. Gives why it cannot be used; or that the driver
/// is not initialised.
CUresult load(Binary &);

} // namespace heddle::runtime
