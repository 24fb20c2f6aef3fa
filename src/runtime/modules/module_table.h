// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program has registered, between registration.cpp, which fills it, and module.cpp.
#pragma once

#include "runtime/modules/module.h"

#include <atomic>
#include <map>
#include <shared_mutex>
#include <string_view>

namespace heddle::runtime {

struct ModuleTable {
  std::shared_mutex mutex; ///< guards all that follows
  std::vector<std::unique_ptr<FatBinary>> binaries;
  std::unordered_map<const void *, std::unique_ptr<Function>> functions;
  std::vector<std::unique_ptr<Function>>
      retired; ///< of unregistered binaries: a launch may be on its way
  std::unordered_map<const void *, Variable> variables;
  std::map<uintptr_t, size_t> managed;  ///< managed variables of the program: start, bytes
  std::atomic<size_t> managedCount{0};  ///< of these; read without the mutex
  std::vector<std::unique_ptr<Module>> modules;
  std::mutex loadMutex; ///< one image is loaded at a time
};

ModuleTable &moduleTable();

/// Managed variables are the same in the code for all architectures.
inline constexpr unsigned AnyCapability = 90;

/// The executable or shared library that an address lies in.
const void *imageGroup(const void *address);

/// What is linked with the binary: its executable or shared library, or for a library of
/// cudaLibraryLoadData itself.
const void *groupOf(const FatBinary &);

/// Gives managed host variables the initial values in this binary. They may have been registered
/// with another one of the group.
void initializeManaged(const FatBinary &);
/// The program can name nothing of the binary any more.
void unregister(FatBinary &);

/// The variable of that mangled name that came with `home` (groupOf), or null. With the table's
/// mutex held.
const Variable *findRegistered(std::string_view name, const void *home);

} // namespace heddle::runtime
