// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images of device code, which are read at the first use of something in them.
//
// Relocatable images (-rdc=true) of one executable or shared library form one module. They are
// loaded one by one, and the first object registers all kernels and variables
// (include/heddle/register_linked.h), so a kernel's own binary need not hold it: any image of its
// group leads to the linked module.
#include "driver/modules/module.h"

#include "driver/boards/board.h"
#include "driver/memory/memory.h"
#include "driver/modules/jit_library.h"
#include "driver/modules/library.h"
#include "driver/modules/link_images.h"
#include "driver/modules/module_table.h"
#include "driver/modules/ptx.h"
#include "driver/rooms.h"

#include "base/image/image_bundle.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <cxxabi.h>

namespace heddle::driver {

ModuleTable &moduleTable() { return rooms().modules.get(); }

const ManagedVariable *findManaged(std::string_view name, const void *home) {
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
  if (chosen.fits || !isBoard || !rooms().toldOfUnfitCode.isFirst())
    return;
  reportFailure("device code", "the program has no device code for " + std::string(p.name) + " (" +
                                   std::to_string(p.major) + "." + std::to_string(p.minor) +
                                   "), and that GPU would not run it; here the code for sm_" +
                                   std::to_string(chosen.binaryVersion) + " runs");
}

/// For a module whose image is new.
void listKernels(Module &module) {
  std::span<const ImageKernel> kernels = module.image.kernels();
  module.functions = std::vector<std::atomic<Function *>>(kernels.size());
  for (const ImageKernel &kernel : kernels) {
    if (kernel.functionNumber == UINT32_MAX)
      continue;
    if (module.byNumber.size() <= kernel.functionNumber)
      module.byNumber.resize(kernel.functionNumber + size_t(1));
    module.byNumber[kernel.functionNumber] = &kernel;
  }
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
  module.owner = binary.owner;
  if (module.functions.empty())
    listKernels(module);
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
  const ManagedVariable *variable = findManaged(name, home);
  return variable ? variable->host : nullptr;
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

/// The kernel's function for a capability; null if it was not used yet, or if there are too many.
Function *findIn(const Kernel &kernel, unsigned capability) {
  for (auto &place : kernel.functions) {
    Function *function = place.load(std::memory_order_acquire);
    if (!function || function->capability == capability)
      return function;
  }
  return nullptr;
}

} // namespace

CUresult reportNoCode(const Context &device, const char *what, const std::string &message,
                      CUresult error) {
  if (isCompilerClosed()) // who still runs then is not in the way of the end
    return CUDA_ERROR_DEINITIALIZED;
  // It is missing for all kernels.
  if (!isCompilerMissing() || rooms().toldOfNoCompiler.isFirst())
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

Module::Module() = default;
Module::~Module() {
  for (auto &function : functions)
    delete function.load(std::memory_order_relaxed);
}

namespace {

Result<std::unique_ptr<Function>> makeFunction(Module &module, const ImageKernel &kernel,
                                               CUresult &error) {
  auto function = std::make_unique<Function>();
  function->name = module.image.string(kernel.name).data();
  function->capability = module.capability;
  function->module = &module;
  function->displayName = std::string(module.image.string(kernel.displayName));
  function->image = module.image;
  function->kernel = &kernel;
  if (!(module.image.header().flags & ImagePtx))
    return function;
  auto own = readPtxKernel(module.image, function->name, error);
  if (!own)
    return Failure{own.error()};
  function->ownImage = std::move(*own);
  auto view = ImageView::create(std::span<const uint8_t>(function->ownImage));
  if (!view)
    return Failure{view.error()};
  function->image = *view;
  function->kernel = view->findKernel(function->name);
  if (!function->kernel)
    return Failure{"the code of a kernel does not hold it"};
  return function;
}

/// The kernel's function, made at first use.
Result<Function *> functionOf(Module &module, const ImageKernel &kernel, CUresult &error) {
  std::atomic<Function *> &place =
      module.functions[static_cast<size_t>(&kernel - module.image.kernels().data())];
  if (Function *known = place.load(std::memory_order_acquire))
    return known;
  error = CUDA_ERROR_INVALID_IMAGE;
  auto made = makeFunction(module, kernel, error);
  if (!made)
    return Failure{made.error()};
  std::lock_guard guard(module.mutex);
  if (Function *known = place.load(std::memory_order_relaxed))
    return known;
  place.store(made->get(), std::memory_order_release);
  return made->release();
}

CUresult resolve(Kernel &kernel, const Context &device, Function *&result) {
  std::lock_guard loading(moduleTable().loadMutex);
  auto module = loadModule(*kernel.binary, device);
  if (!module)
    return reportNoCode(device, "device code", module.error(), CUDA_ERROR_INVALID_IMAGE);
  const ImageKernel *found = (*module)->image.findKernel(kernel.name);
  if (!found)
    return CUresult(cudaErrorInvalidDeviceFunction);
  CUresult error;
  auto made = functionOf(**module, *found, error);
  if (!made)
    return reportNoCode(device, "device code", made.error(), error);
  result = *made;
  for (auto &place : kernel.functions) {
    Function *known = place.load(std::memory_order_relaxed);
    if (!known)
      place.store(result, std::memory_order_release);
    if (!known || known == result)
      break;
  }
  return CUDA_SUCCESS;
}

} // namespace

Function *findFunction(Module &module, uint64_t address) {
  const uint64_t number = (address - FunctionTag) / 16;
  const ImageKernel *kernel = number < module.byNumber.size() ? module.byNumber[number] : nullptr;
  if (!kernel)
    return nullptr;
  CUresult error;
  auto function = functionOf(module, *kernel, error);
  if (!function)
    reportFailure("device code", function.error());
  return function ? *function : nullptr;
}

CUresult findFunction(const void *handle, const Context &device, Function *&function) {
  Kernel *kernel = kernelOf(handle);
  if (!kernel || (kernel->binary->owner && kernel->binary->owner != &device))
    return CUDA_ERROR_INVALID_HANDLE;
  function = findIn(*kernel, capabilityOf(device));
  return function ? CUDA_SUCCESS : resolve(*kernel, device, function);
}

Result<uint8_t *> globalsOf(Function &function, Context &device) {
  return globalsOf(*function.module, device);
}

bool hasGlobals(Module &module, const Context &context) {
  std::lock_guard guard(module.mutex);
  return module.instances.contains(context.index);
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
