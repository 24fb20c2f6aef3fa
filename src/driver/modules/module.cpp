// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images of device code, which are read at the first use of something in them.
//
// Relocatable images (-rdc=true) of one executable or shared library form one module. They register
// one by one, and the first object registers all kernels and variables
// (include/heddle/register_linked.h), so a kernel's own binary need not hold it: any image of its
// group leads to the linked module.
#include "driver/modules/module.h"

#include "driver/boards/board.h"
#include "driver/memory/memory.h"
#include "driver/modules/jit_library.h"
#include "driver/modules/library.h"
#include "driver/modules/link_images.h"
#include "driver/modules/module_table.h"

#include "base/image_bundle.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <cxxabi.h>
#include <dlfcn.h>

namespace heddle::driver {

ModuleTable &moduleTable() {
  static ModuleTable *modules = new ModuleTable;
  return *modules;
}

const void *imageGroup(const void *address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : nullptr;
}

const Variable *findRegistered(std::string_view name, const void *home) {
  for (auto &[host, variable] : moduleTable().variables)
    if (name == variable.name && variable.binary->home == home)
      return &variable;
  return nullptr;
}

namespace {

// ---------------------------------------------------------------------------------------------------
// Linking relocatable images.

Result<std::vector<uint8_t>> linkRelocatable(FatBinary &binary, unsigned capability,
                                             std::vector<FatBinary *> &group) {
  std::vector<ImageView> images;
  std::shared_lock guard(moduleTable().mutex);
  for (auto &other : moduleTable().binaries) {
    if (other->home != binary.home)
      continue;
    auto chosen = chooseImage(other->data, capability);
    if (!chosen)
      return Failure{chosen.error()};
    if (!(chosen->image.header().flags & ImageRelocatable))
      continue;
    images.push_back(chosen->image);
    group.push_back(other.get());
  }
  guard.unlock();
  return linkImages(images);
}

Result<std::unique_ptr<Module>> moduleFrom(std::vector<uint8_t> bytes) {
  auto module = std::make_unique<Module>();
  module->bytes = std::move(bytes);
  auto view = ImageView::create(std::span<const uint8_t>(module->bytes));
  if (!view)
    return Failure{view.error()};
  module->image = *view;
  return module;
}

/// The module of the image, or of all that it must be linked with, which is then its `group`.
Result<std::unique_ptr<Module>> makeModule(FatBinary &binary, const ImageView &image,
                                           unsigned capability, std::vector<FatBinary *> &group) {
  if (image.header().flags & ImageRelocatable) {
    auto linked = linkRelocatable(binary, capability, group);
    if (!linked)
      return Failure{linked.error()};
    auto made = moduleFrom(std::move(*linked)); // whose image ends where the cache's file goes on
    if (std::unique_ptr<Module> known =
            made ? takeRetired((*made)->image.bytes(), capability) : nullptr)
      return known;
    return made;
  }
  group = {&binary};
  if (binary.isOfProgram) {
    auto module = std::make_unique<Module>();
    module->image = image;
    return module;
  }
  if (std::unique_ptr<Module> known = takeRetired(image.bytes(), capability))
    return known;
  return moduleFrom(std::vector(image.bytes().begin(), image.bytes().end()));
}

/// Where CUDA would find no code for a device, it fails the launch
/// (CUDA_ERROR_NO_BINARY_FOR_GPU). Here any code runs anywhere; who stands for a board is told.
/// Once in a process, for all binaries are mostly built alike.
void reportUnfit(const ChosenImage &chosen, const cudaDeviceProp &p, bool isBoard) {
  static std::atomic<bool> told = false;
  if (chosen.fits || !isBoard || told.exchange(true))
    return;
  reportFailure("device code", "the program has no device code for " + std::string(p.name) + " (" +
                                   std::to_string(p.major) + "." + std::to_string(p.minor) +
                                   "), and that GPU would not run it; here the code for sm_" +
                                   std::to_string(chosen.binaryVersion) + " runs");
}

/// One more than the highest number of a kernel's address in device code.
size_t mostNumbered(const ImageView &image) {
  size_t most = 0;
  for (const ImageKernel &kernel : image.kernels())
    if (kernel.functionNumber != UINT32_MAX)
      most = std::max<size_t>(most, kernel.functionNumber + 1);
  return most;
}

/// Makes the binary's module for devices like this one. With the load mutex held.
Result<Module *> loadModule(FatBinary &binary, const Context &device) {
  unsigned capability = capabilityOf(device);
  if (auto known = binary.modules.find(capability); known != binary.modules.end())
    return known->second;
  auto chosen = chooseImage(binary.data, capability);
  if (!chosen)
    return Failure{chosen.error()};
  reportUnfit(*chosen, device.board->properties, device.board->key != "cpu");
  std::vector<FatBinary *> group;
  auto made = makeModule(binary, chosen->image, capability, group);
  if (!made)
    return Failure{made.error()};
  Module &module = **made;
  module.capability = capability;
  module.ptxVersion = chosen->ptxVersion;
  module.binaryVersion = chosen->binaryVersion;
  module.home = binary.home;
  if (module.byNumber.empty())
    module.byNumber = std::vector<std::atomic<Function *>>(mostNumbered(module.image));
  std::unique_lock guard(moduleTable().mutex);
  module.users = static_cast<unsigned>(group.size());
  for (FatBinary *member : group)
    member->modules[capability] = &module;
  moduleTable().modules.push_back(std::move(*made));
  return &module;
}

// ---------------------------------------------------------------------------------------------------
// A module on a device.

void *managedStorage(const void *home, std::string_view name) {
  std::shared_lock guard(moduleTable().mutex);
  const Variable *registered = findRegistered(name, home);
  return registered ? registered->host : nullptr;
}

Result<uint8_t *> makeGlobals(Module &module, Context &device) {
  const ImageHeader &header = module.image.header();
  auto *globals = static_cast<uint8_t *>(
      takeModuleMemory(device, std::max<size_t>(header.globalsBytes, 1), false));
  if (!globals)
    return Failure{"no memory for " + std::to_string(header.globalsBytes) +
                   " bytes of device variables"};
  std::span<const uint8_t> init = module.image.globalsInit();
  std::memcpy(globals, init.data(), init.size());
  for (const ImageRelocation &relocation : module.image.relocations()) {
    uint64_t value = reinterpret_cast<uint64_t>(globals) + relocation.addend;
    std::memcpy(globals + relocation.at, &value, sizeof(value));
  }
  for (const ImageVariable &variable : module.image.variables()) {
    if (variable.space != VariableSpace::Managed)
      continue;
    void *host = managedStorage(module.home, module.image.string(variable.name));
    if (!host)
      host = globals + variable.initOffset; // used by device code only
    std::memcpy(globals + variable.offset, &host, sizeof(host));
  }
  return globals;
}

} // namespace

Result<Module *> moduleOf(FatBinary &binary, const Context &device) {
  std::lock_guard loading(moduleTable().loadMutex);
  return loadModule(binary, device);
}

Result<uint8_t *> globalsOf(Module &module, Context &device) {
  std::lock_guard guard(module.mutex);
  if (module.isRetired)
    return Failure{"the library with its variables has been closed"};
  ModuleInstance &instance = module.instances[device.index];
  if (!instance.globals) {
    auto globals = makeGlobals(module, device);
    if (!globals)
      return globals;
    instance = {&device, *globals};
  }
  return instance.globals;
}

namespace {

/// The function for a capability in the list that begins with `head`; null if it was not used yet.
Function *findIn(Function &head, unsigned capability) {
  for (Function *f = &head; f; f = f->other.load(std::memory_order_acquire))
    if (__atomic_load_n(&f->kernel, __ATOMIC_ACQUIRE) && f->capability == capability)
      return f;
  return nullptr;
}

/// An unused member of the list.
Function &unusedIn(Function &head) {
  Function *last = &head;
  for (; last->kernel; last = last->other.load(std::memory_order_relaxed)) {
    if (last->owned)
      continue;
    last->owned = std::make_unique<Function>();
    last->owned->binary = head.binary;
    last->owned->name = head.name;
    last->owned->stub = head.stub;
    last->other.store(last->owned.get(), std::memory_order_release);
  }
  return *last;
}

/// Puts one that is ready for use at the list's end.
Function &addTo(Function &head, std::unique_ptr<Function> known) {
  Function *last = &head;
  while (last->owned)
    last = last->owned.get();
  known->binary = head.binary;
  known->stub = head.stub;
  last->owned = std::move(known);
  last->other.store(last->owned.get(), std::memory_order_release);
  return *last->owned;
}

CUresult resolve(Function &head, const Context &device, Function *&result) {
  unsigned capability = capabilityOf(device);
  std::lock_guard loading(moduleTable().loadMutex);
  result = findIn(head, capability);
  if (result)
    return CUDA_SUCCESS;
  auto module = loadModule(*head.binary, device);
  if (!module)
    return reportNoCode(device, "device code", module.error(), CUDA_ERROR_INVALID_IMAGE);
  if (std::unique_ptr<Function> known = takeIdle(**module, head.name)) {
    result = &addTo(head, std::move(known));
    return CUDA_SUCCESS;
  }
  const ImageKernel *kernel = (*module)->image.findKernel(head.name);
  if (!kernel)
    return CUresult(cudaErrorInvalidDeviceFunction);
  Function &function = unusedIn(head);
  result = &function;
  function.capability = capability;
  function.name = (*module)->image.string(kernel->name).data();
  function.module = *module;
  function.displayName = std::string((*module)->image.string(kernel->displayName));
  std::atomic_thread_fence(std::memory_order_release);
  __atomic_store_n(&function.kernel, kernel, __ATOMIC_RELEASE);
  return CUDA_SUCCESS;
}

} // namespace

CUresult reportNoCode(const Context &device, const char *what, const std::string &message,
                      CUresult error) {
  if (isCompilerClosed()) // who still runs then is not in the way of the end
    return CUDA_ERROR_DEINITIALIZED;
  static std::atomic<bool> told = false; // it is missing for all kernels
  if (!isCompilerMissing() || !told.exchange(true))
    reportFailure(what, message);
  if (!isCompilerMissing())
    return error;
  device.backend->lose(device::Fault::NoCompiler);
  return CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
}

unsigned capabilityOf(const Context &device) {
  const cudaDeviceProp &p = device.board->properties;
  return static_cast<unsigned>(p.major * 10 + p.minor);
}

CUresult findFunction(const void *stub, const Context &device, Function *&function) {
  std::shared_lock guard(moduleTable().mutex);
  auto found = moduleTable().functions.find(stub);
  if (found == moduleTable().functions.end())
    return CUresult(cudaErrorInvalidDeviceFunction);
  Function &head = *found->second;
  if (head.binary->owner && head.binary->owner != &device)
    return CUresult(cudaErrorInvalidDeviceFunction);
  unsigned capability = capabilityOf(device);
  function = findIn(head, capability);
  if (function)
    return CUDA_SUCCESS;
  guard.unlock();
  return resolve(head, device, function);
}

Function *findHead(const void *stub) {
  std::shared_lock guard(moduleTable().mutex);
  auto found = moduleTable().functions.find(stub);
  return found == moduleTable().functions.end() ? nullptr : found->second.get();
}

Module::Module() = default;
Module::~Module() = default;

namespace {

/// The function of the module's kernel of that name that the program has registered, or null.
Function *findRegistered(const char *name, Module &module, const Context &device) {
  const void *stub = nullptr;
  {
    std::shared_lock guard(moduleTable().mutex);
    for (auto &[key, function] : moduleTable().functions)
      if (std::strcmp(function->name, name) == 0 && function->binary->home == module.home)
        stub = key;
  }
  Function *found = nullptr;
  if (!stub || findFunction(stub, device, found) != CUDA_SUCCESS || found->module != &module)
    return nullptr;
  return found;
}

std::unique_ptr<Function> makeDeviceOnly(const ImageKernel &kernel, Module &module,
                                         const Context &device) {
  auto function = std::make_unique<Function>();
  function->name = module.image.string(kernel.name).data();
  function->capability = capabilityOf(device);
  function->module = &module;
  function->displayName = std::string(module.image.string(kernel.displayName));
  function->kernel = &kernel;
  return function;
}

} // namespace

Function *findFunction(Module &module, uint64_t address, const Context &device) {
  uint64_t number = (address - FunctionTag) / 16;
  if (number >= module.byNumber.size())
    return nullptr;
  std::atomic<Function *> &entry = module.byNumber[number];
  if (Function *known = entry.load(std::memory_order_acquire))
    return known;
  std::span<const ImageKernel> kernels = module.image.kernels();
  auto kernel = std::find_if(kernels.begin(), kernels.end(), [&](const ImageKernel &candidate) {
    return candidate.functionNumber == number;
  });
  if (kernel == kernels.end())
    return nullptr;
  const char *name = module.image.string(kernel->name).data();
  Function *registered = findRegistered(name, module, device);
  std::lock_guard guard(module.mutex);
  if (Function *known = entry.load(std::memory_order_relaxed))
    return known;
  if (!registered) {
    module.deviceOnly.push_back(makeDeviceOnly(*kernel, module, device));
    registered = module.deviceOnly.back().get();
  }
  entry.store(registered, std::memory_order_release);
  return registered;
}

Result<uint8_t *> globalsOf(Function &function, Context &device) {
  return globalsOf(*function.module, device);
}

bool hasGlobals(Module &module, const Context &context) {
  std::lock_guard guard(module.mutex);
  return module.instances.contains(context.index);
}

CUresult findVariable(const void *symbol, Context &device, VariableAddress &result) {
  Variable variable;
  {
    std::shared_lock guard(moduleTable().mutex);
    auto found = moduleTable().variables.find(symbol);
    if (found == moduleTable().variables.end())
      return CUresult(cudaErrorInvalidSymbol);
    variable = found->second;
  }
  Module *module;
  {
    auto loaded = moduleOf(*variable.binary, device);
    if (!loaded)
      return reportNoCode(device, "device code", loaded.error(), CUDA_ERROR_INVALID_IMAGE);
    module = *loaded;
  }
  const ImageVariable *entry = module->image.findVariable(variable.name);
  if (!entry)
    return CUresult(cudaErrorInvalidSymbol);
  result.bytes = entry->size;
  result.space = entry->space;
  if (entry->space == VariableSpace::Managed) {
    result.address = variable.host;
    return CUDA_SUCCESS;
  }
  auto globals = globalsOf(*module, device);
  if (!globals) {
    reportFailure("device code", globals.error());
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  result.address = *globals + entry->offset;
  return CUDA_SUCCESS;
}

CUresult findReference(const void *reference, Context &device, ReferencePlace &result) {
  {
    std::shared_lock guard(moduleTable().mutex);
    auto found = moduleTable().variables.find(reference);
    if (found == moduleTable().variables.end() || !found->second.isReference)
      return CUresult(cudaErrorInvalidTexture);
    result.readsNormalized = found->second.readsNormalized;
  }
  VariableAddress place;
  if (CUresult error = findVariable(reference, device, place))
    return error == CUresult(cudaErrorInvalidSymbol) ? CUresult(cudaErrorInvalidTexture) : error;
  result.object = static_cast<uint64_t *>(place.address);
  return CUDA_SUCCESS;
}

bool findManagedVariable(const void *p, void *&base, size_t &bytes) {
  ModuleTable &table = moduleTable();
  if (!table.managedCount.load(std::memory_order_acquire))
    return false;
  std::shared_lock guard(table.mutex);
  auto next = table.managed.upper_bound(reinterpret_cast<uintptr_t>(p));
  if (next == table.managed.begin())
    return false;
  auto [start, size] = *std::prev(next);
  if (reinterpret_cast<uintptr_t>(p) - start >= size)
    return false;
  base = reinterpret_cast<void *>(start);
  bytes = size;
  return true;
}

namespace {

/// They stay where they are also when they are retired.
std::vector<Module *> liveModules() {
  std::shared_lock guard(moduleTable().mutex);
  std::vector<Module *> modules;
  for (auto &module : moduleTable().modules)
    modules.push_back(module.get());
  return modules;
}

std::string demangled(const std::string &name) {
  char *text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr);
  std::string result = text ? text : name;
  std::free(text);
  return result;
}

std::string describeVariables(const ImageView &image, int64_t at) {
  constexpr size_t Most = 4;
  std::vector<std::pair<int64_t, const ImageVariable *>> byDistance;
  for (const ImageVariable &variable : image.variables()) {
    if (variable.space == VariableSpace::Managed || variable.isExtern)
      continue;
    auto begin = static_cast<int64_t>(variable.offset),
         end = begin + static_cast<int64_t>(variable.size);
    byDistance.push_back({at < begin ? begin - at : std::max<int64_t>(at - end, 0), &variable});
  }
  std::sort(byDistance.begin(), byDistance.end());
  std::string text;
  for (size_t i = 0; i < byDistance.size() && i < Most; ++i) {
    const ImageVariable &variable = *byDistance[i].second;
    text += (i ? ", " : "") + demangled(std::string(image.string(variable.name))) + " (" +
            std::to_string(variable.size) + " bytes)";
  }
  return byDistance.size() > Most ? text + ", ..." : text;
}

} // namespace

std::string variablesNear(const void *globals, const void *address) {
  for (Module *module : liveModules()) {
    std::lock_guard guard(module->mutex);
    for (auto &[device, instance] : module->instances)
      if (instance.globals == globals)
        return describeVariables(module->image,
                                 static_cast<const uint8_t *>(address) - instance.globals);
  }
  return "";
}

void resetModules(Context &device) {
  for (Module *module : liveModules()) {
    std::lock_guard guard(module->mutex);
    auto found = module->instances.find(device.index);
    if (found == module->instances.end())
      continue;
    giveModuleMemory(found->second.globals);
    module->instances.erase(found);
  }
  unloadModules(device);
  if (!device.isPrimary)
    dropSettings(device);
}

} // namespace heddle::driver
