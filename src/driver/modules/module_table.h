// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device code that the process has loaded.
#pragma once

#include "driver/modules/module.h"

#include <atomic>
#include <map>
#include <shared_mutex>
#include <string_view>
#include <unordered_map>

namespace heddle::driver {

struct ModuleTable {
  std::shared_mutex mutex; ///< guards all that follows
  std::vector<std::unique_ptr<FatBinary>> binaries;
  std::unordered_map<const void *, ManagedVariable> variables; ///< by their storage
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

/// The module's kernel, made at its first use.
Function &functionOf(Module &, const ImageKernel &);

/// The program can name nothing of the binary any more, which is freed. Does not wait.
void unregister(FatBinary &);

// retired.cpp

/// A retired module of the same image, for use again; or null.
std::unique_ptr<Module> takeRetired(std::span<const uint8_t> image, unsigned capability);
/// The binary's share in its modules ends. Gives those that nobody has any more, to be retired
/// without the lock. With the table's mutex held, exclusively.
std::vector<Module *> leaveModules(FatBinary &);
void retire(Module &);

/// The managed variable of that mangled name that came with `home`, or null. With the table's mutex
/// held.
const ManagedVariable *findManaged(std::string_view name, const void *home);

} // namespace heddle::driver
