// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program has registered, between registration.cpp, which fills it, and module.cpp.
#pragma once

#include "driver/modules/module.h"

#include <atomic>
#include <map>
#include <shared_mutex>
#include <string_view>

namespace heddle::driver {

struct ModuleTable {
  std::shared_mutex mutex; ///< guards all that follows
  std::vector<std::unique_ptr<FatBinary>> binaries;
  std::unordered_map<const void *, std::unique_ptr<Function>> functions;
  std::unordered_map<const void *, Variable> variables;
  std::map<uintptr_t, size_t> managed; ///< managed variables of the program: start, bytes
  std::atomic<size_t> managedCount{0}; ///< of these; read without the mutex
  std::vector<std::unique_ptr<Module>> modules, retiredModules;
  /// One image is loaded at a time. Taken before `mutex`, and not where the dynamic linker calls
  /// us, for it holds a lock of its own that loading takes.
  std::mutex loadMutex;
};

ModuleTable &moduleTable();

/// Managed variables are the same in the code for all architectures.
inline constexpr unsigned AnyCapability = 90;

/// Forgets what was set on kernels in a context that ends.
void dropSettings(const Context &);

/// The executable or shared library that an address lies in.
const void *imageGroup(const void *address);

/// Gives managed host variables the initial values in this binary. They may have been registered
/// with another one of the group.
void initializeManaged(const FatBinary &);
/// The program can name nothing of the binary any more, which is freed. Does not wait.
void unregister(FatBinary &);

// retired.cpp

/// A retired module of the same image, for use again; or null.
std::unique_ptr<Module> takeRetired(std::span<const uint8_t> image, unsigned capability);
/// A kernel that an earlier binary with this module had; or null.
std::unique_ptr<Function> takeIdle(Module &, std::string_view name);
/// What a stub led to goes back to its modules. With the table's mutex held, exclusively.
void putAside(std::unique_ptr<Function>);
/// The binary's share in its modules ends. Gives those that nobody has any more, to be retired
/// without the lock. With the table's mutex held, exclusively.
std::vector<Module *> leaveModules(FatBinary &);
void retire(Module &);

/// The variable of that mangled name that came with `home`, or null. With the table's mutex held.
const Variable *findRegistered(std::string_view name, const void *home);

} // namespace heddle::driver
