// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code of the program: images registered at start-up, the kernels and variables in them,
// their memory on each device, and their compiled forms.
#pragma once

#include "driver/state.h"

#include "base/hash.h"
#include "base/module_image.h"

#include <array>
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
  const void *home = nullptr;              ///< the executable or shared library that it came with
  std::vector<uint8_t> bytes;              ///< the image's, if they are not the program's
  unsigned users = 0;                      ///< registered binaries; guarded by the table's mutex
  std::mutex mutex;                        ///< guards what follows
  bool isRetired = false;                  ///< no binary has it any more
  std::map<int, ModuleInstance> instances; ///< by context
  /// Kernels by the numbers that stand for their addresses in device code, as they are used.
  std::vector<std::atomic<struct Function *>> byNumber;
  std::vector<std::unique_ptr<Function>> deviceOnly; ///< kernels that only device code launches
  /// Kernels that no stub leads to any more; guarded by the table's mutex.
  std::vector<std::unique_ptr<Function>> idle;
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

/// What __cudaRegisterFatBinary or cudaLibraryLoadData was given.
struct FatBinary {
  const void *data = nullptr;
  const void *home =
      nullptr;              ///< what is linked with it: its executable or shared library, or itself
  bool isOfProgram = false; ///< it is never unloaded
  const Context *owner = nullptr;    ///< of a module of the driver API: no other context may use it
  struct Library *library = nullptr; ///< that it is of, or that stands for it
  std::vector<uint8_t> copy;         ///< of a library's data, unless the program keeps that
  std::map<unsigned, Module *> modules; ///< by compute capability (capabilityOf), made at first use
};

/// A registered kernel, for devices of one compute capability: they may have code of their own.
struct Function {
  FatBinary *binary = nullptr;
  const char *name = ""; ///< mangled
  const void *stub = nullptr;
  std::unique_ptr<Function> owned;        ///< what `other` points to
  std::atomic<Function *> other{nullptr}; ///< the same kernel for devices of another capability
  // From here on set at first use:
  unsigned capability = 0; ///< capabilityOf the devices
  Module *module = nullptr;
  const ImageKernel *kernel = nullptr;
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

/// A registered __device__, __constant__ or __managed__ variable, or a texture or surface
/// reference.
struct Variable {
  FatBinary *binary = nullptr;
  const char *name = "";
  void *host = nullptr;
  bool isReference = false;
  bool readsNormalized = false; ///< a texture reference of cudaReadModeNormalizedFloat
};

/// 35 for a device of compute capability 3.5.
unsigned capabilityOf(const Context &);

/// The kernel of a host stub (what `kernel` is in `kernel<<<>>>`) for a device, with its image
/// loaded. Errors: CUresult(cudaErrorInvalidDeviceFunction), or why the image cannot be used.
CUresult findFunction(const void *stub, const Context &, Function *&function);
/// What a host stub leads to, or null. Its capability, module and so on may not be set.
Function *findHead(const void *stub);

/// The kernel that device code of the module has the address of; null if it is no kernel's.
Function *findFunction(Module &, uint64_t address, const Context &);

/// Where a variable lies on a device (managed: for all devices), by its host shadow's address.
struct VariableAddress {
  void *address;
  size_t bytes;
  VariableSpace space;
};
/// Error: CUresult(cudaErrorInvalidSymbol).
CUresult findVariable(const void *symbol, Context &, VariableAddress &);

/// Where a texture or surface reference's object lies on a device, and whether it reads normalized
/// floats. Error: CUresult(cudaErrorInvalidTexture) (`reference` is none).
struct ReferencePlace {
  uint64_t *object;
  bool readsNormalized;
};
CUresult findReference(const void *reference, Context &, ReferencePlace &);

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
