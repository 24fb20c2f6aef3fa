// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code: images, the kernels and variables in them, their memory on each device, and their
// compiled forms.
#pragma once

#include "driver/state.h"

#include "base/abi/check_abi.h"
#include "base/hash.h"
#include "base/image/module_image.h"

#include <array>
#include <atomic>
#include <map>
#include <string>
#include <unordered_map>

namespace heddle::driver {

/// One image on one device.
struct ModuleInstance {
  Context *device = nullptr;
  uint8_t *globals = nullptr;
};

/// An image ready for use: one translation unit's, or all relocatable ones of an executable linked.
/// Of a library it is a copy, which outlives the library (retired.cpp).
struct Module {
  ImageView image;
  unsigned capability = 0;                    ///< capabilityOf the devices
  uint32_t ptxVersion = 0, binaryVersion = 0; ///< as cudaFuncGetAttributes tells them
  const void *home = nullptr;                ///< the executable or shared library that it came with
  std::vector<uint8_t> bytes;                ///< the image's, if they are not the program's
  const Context *owner = nullptr;            ///< of a module of the driver API
  unsigned users = 0;                        ///< binaries; guarded by the table's mutex
  std::mutex mutex;                          ///< guards what follows
  bool isRetired = false;                    ///< no binary has it any more
  std::map<int, ModuleInstance> instances;   ///< by context
  std::vector<const ImageKernel *> byNumber; ///< by FunctionTag's numbers; null: no kernel's
  /// In the order of the image's kernels, made at first use. Never freed before the module.
  std::vector<std::atomic<struct Function *>> functions;
  Module();
  ~Module();
};

/// Of the allocations that the module's variables and a launch's pointer parameters, in their
/// order, lie in: the same number for the same one; 0: not known, or beyond the last.
inline constexpr size_t MostObjects = 16;
using ObjectNumbers = std::array<uint8_t, MostObjects>;

/// A kernel compiled for one block shape. Never freed: launches may be on their way, and a library
/// that is opened again finds it.
struct Compiled {
  device::KernelInfo info;
  std::array<uint32_t, 3> blockDim;
  ObjectNumbers objects = {};   ///< it is for launches that these fit (launch_objects.h)
  bool forShortObjects = false; ///< ... and in which all objects are short (hasLongObjects)
  std::string objectPath;
  uint64_t compilation = 0;           ///< ns; 0: it was in the cache
  class TunedKernel *tuned = nullptr; ///< its other forms, if there may be any (forms.h)
  Compiled *next = nullptr;
  struct Function *function = nullptr;
  /// Of checked code: the same in the order of blocks of other forms, by their bands.
  std::map<uint32_t, std::unique_ptr<device::KernelInfo>> inBands;
};

/// What cudaFuncSetAttribute sets, for each context.
struct FunctionSettings {
  int maxDynamicShared = -1; ///< -1: the default
  int carveout = -1;
  std::array<uint32_t, 3> requiredCluster = {}; ///< zeros: none
  bool allowsLargeClusters = false;
  int clusterScheduling = 0;
};

/// What cuFuncSetBlockShape, cuFuncSetSharedSize and cuParamSet* set for the next launches.
struct OldLaunch {
  std::array<uint32_t, 3> block = {};
  uint32_t sharedBytes = 0;
  std::vector<uint8_t> params;
};

/// An image, or several for different devices, as the program has it.
struct FatBinary {
  const void *data = nullptr;
  const void *home = nullptr; ///< the executable or shared library that it is part of, or itself
  bool isRegistered = false; ///< by compiled host code: relocatable images of a home are one module
  bool isOfProgram = false;  ///< ... in the executable: it is never unloaded
  const Context *owner = nullptr;    ///< of a module of the driver API: no other context may use it
  struct Library *library = nullptr; ///< that it is of
  std::vector<uint8_t> copy;         ///< of the data, unless the program keeps that
  std::map<unsigned, Module *> modules; ///< by compute capability (capabilityOf), made at first use
};

/// A kernel by its handle, a CUkernel or CUfunction. Devices of different compute capability may have
/// code of their own for it.
struct Kernel {
  FatBinary *binary = nullptr;
  const char *name = ""; ///< mangled
  /// For the first capabilities that it was used on; others are looked for each time.
  std::array<std::atomic<Function *>, 4> functions = {};
};

/// A kernel of a module.
struct Function {
  const char *name = "";   ///< mangled
  unsigned capability = 0; ///< capabilityOf the devices
  Module *module = nullptr;
  /// The kernel's code: the module's image, or one of its own, made of a large text of PTX.
  ImageView image;
  std::vector<uint8_t> ownImage;
  const ImageKernel *kernel = nullptr; ///< of that image
  std::string displayName;
  std::mutex mutex;                          ///< guards compilation and settings
  std::atomic<Compiled *> compiled{nullptr}; ///< a list, newest first
  Compiled *threadwise = nullptr;            ///< likewise, of single threads (carefulForm)
  std::atomic<bool> hasSettings{false};
  std::map<int, FunctionSettings> settings; ///< by context
  std::atomic<bool> warnedOfHostPointer{false};
  std::atomic<bool> reportedUncompiled{false}; ///< it was said why there is no code
  std::atomic<bool> missesLibrary{false};      ///< that is because the system lacks a library

  OldLaunch oldLaunch; ///< guarded by `mutex`

  /// Of a checked program (launch/checked.h): the same function for launches that are not checked, and
  /// for those in which some checks have nothing to find, by the others; whether this is such a one,
  /// and what it is checked for; whether launches may be checked at all, -1 if nobody has asked.
  std::atomic<Function *> unchecked{nullptr};
  std::array<std::atomic<Function *>, AllChecks + 1> lessChecked{};
  std::atomic<Function *> uncounted{nullptr}; ///< the same with plain code (src/profile)
  bool isUncounted = false;
  bool hasOwnChecks = false;
  uint32_t ownChecks = 0;
  std::atomic<int> isChosen{-1};

  FunctionSettings settingsOn(const Context &);
  template <typename F> void changeSettings(const Context &context, F &&change) {
    std::lock_guard guard(mutex);
    FunctionSettings changed = settingsFor(context);
    change(changed);
    settings[context.index] = changed;
    hasSettings.store(true, std::memory_order_release);
  }

private:
  FunctionSettings settingsFor(const Context &) const; ///< with the mutex held
};

/// The storage of a managed variable.
struct ManagedVariable {
  FatBinary *binary = nullptr;
  const char *name = "";
  void *host = nullptr;
};

/// 35 for a device of compute capability 3.5.
unsigned capabilityOf(const Context &);

/// A kernel for a device, with its image loaded. Errors: CUDA_ERROR_INVALID_HANDLE, also for what is
/// another context's; CUresult(cudaErrorInvalidDeviceFunction): the device's code has no such kernel;
/// or why the image cannot be used.
CUresult findFunction(const void *handle, const Context &, Function *&function);
/// The live one of a handle, or null.
Kernel *kernelOf(const void *handle);

/// The kernel that device code of the module has the address of; null if it is no kernel's.
Function *findFunction(Module &, uint64_t address);

/// If `p` lies in a managed variable of the program: its start and size.
bool findManagedVariable(const void *p, void *&base, size_t &bytes);

/// The variables of the globals block `globals`, those nearest to an address first, as a report
/// names them: "table (400 bytes), count (4 bytes)".
std::string variablesNear(const void *globals, const void *address);

/// The binary's module for devices like this one, made at first use.
Result<Module *> moduleOf(FatBinary &, const Context &);
/// The module's globals block on a device, made at first use.
Result<uint8_t *> globalsOf(Module &, Context &);
Result<uint8_t *> globalsOf(Function &, Context &);
/// Whether it was.
bool hasGlobals(Module &, const Context &);

/// The kernel's code for a block shape and the allocations of a launch: from memory, the cache or
/// the compiler.
Result<Compiled *> compiledFor(Function &, const std::array<uint32_t, 3> &blockDim,
                               const ObjectNumbers &);
/// The same if it is in memory, or null.
Compiled *findCompiled(const Function &, const std::array<uint32_t, 3> &blockDim,
                       const ObjectNumbers &);
/// The same kernel for the same launches, with `width` lanes at most. In no list.
Result<std::unique_ptr<Compiled>> compileLike(const Compiled &, uint32_t width);
/// Under which the cache holds what is known of a kernel's forms.
Hash128 formsKey(const Compiled &);
/// The only code that there is for a block shape, if it is right for all allocations; or null.
Compiled *compiledForAll(const Function &, const std::array<uint32_t, 3> &blockDim);
/// Says why there is no code for `what`. Gives `error`; but where the reason is that no compiler
/// can be loaded, the device is lost with CUDA_ERROR_JIT_COMPILER_NOT_FOUND, so that the next
/// synchronisation shows it too: the program's results are wrong. That is said once in a process.
CUresult reportNoCode(const Context &, const char *what, const std::string &message,
                      CUresult error);
/// The form that looks at the address of each access (KernelCode::alignedParams).
const device::KernelInfo *carefulForm(Compiled &);
/// The same if it is in memory, or null.
const device::KernelInfo *findCarefulForm(Compiled &);

/// For cudaDeviceReset and contexts that end: variables get their initial values at the next use, and
/// the context's own modules end.
void resetModules(Context &);

} // namespace heddle::driver
