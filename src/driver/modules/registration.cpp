// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clang's host code calls, all of it before main or in dlopen: it must be cheap, and only
// notes pointers. An image is read at the first use of something in it, except for managed
// variables, which the host reads without a call.
#include "driver/modules/library.h"
#include "driver/modules/module_table.h"

#include "base/image_bundle.h"

#include <algorithm>
#include <cstring>

#include <sys/auxv.h>

namespace heddle::driver {

namespace {

constexpr int WrapperMagic = 0x466243b1;

const void *programGroup() {
  static const void *group = imageGroup(reinterpret_cast<const void *>(getauxval(AT_ENTRY)));
  return group;
}

/// What clang emits for a translation unit.
struct FatBinaryWrapper {
  int magic, version;
  const void *data;
  void *unused;
};

} // namespace

void initializeManaged(const FatBinary &binary) {
  auto chosen = chooseImage(binary.data, AnyCapability);
  if (!chosen)
    return; // said at first use
  const ImageView *image = &chosen->image;
  std::span<const uint8_t> init = image->globalsInit();
  ModuleTable &table = moduleTable();
  std::unique_lock guard(table.mutex);
  for (const ImageVariable &variable : image->variables()) {
    if (variable.space != VariableSpace::Managed || variable.isExtern)
      continue;
    const Variable *registered = findRegistered(image->string(variable.name), binary.home);
    if (!registered)
      continue;
    table.managed[reinterpret_cast<uintptr_t>(registered->host)] = variable.size;
    table.managedCount = table.managed.size();
    std::memset(registered->host, 0, variable.size);
    if (variable.initOffset < init.size())
      std::memcpy(registered->host, init.data() + variable.initOffset,
                  std::min<size_t>(variable.size, init.size() - variable.initOffset));
  }
}

void unregister(FatBinary &binary) {
  ModuleTable &table = moduleTable();
  std::unique_lock guard(table.mutex);
  auto place = std::ranges::find(table.binaries, &binary, &std::unique_ptr<FatBinary>::get);
  if (place == table.binaries.end())
    return;
  for (auto at = table.functions.begin(); at != table.functions.end();) {
    if (at->second->binary == &binary) {
      putAside(std::move(at->second));
      at = table.functions.erase(at);
    } else {
      ++at;
    }
  }
  std::erase_if(table.variables, [&](auto &entry) {
    if (entry.second.binary != &binary)
      return false;
    table.managed.erase(reinterpret_cast<uintptr_t>(entry.first));
    return true;
  });
  table.managedCount = table.managed.size();
  std::vector<Module *> left = leaveModules(binary);
  Library *library = binary.library;
  table.binaries.erase(place);
  guard.unlock();
  for (Module *module : left)
    retire(*module);
  if (library)
    forgetLibrary(*library);
}

} // namespace heddle::driver

using namespace heddle::driver;

// A forked process has the tables, but maybe as another thread was changing them: it leaves them
// alone.

extern "C" __attribute__((visibility("default"))) void **
__cudaRegisterFatBinary(void *wrapperAddress) {
  if (heddle::device::isForkedCopy())
    return nullptr;
  thread(); // the main thread's, which ends the program (endCompilingForOthers)
  auto *wrapper = static_cast<FatBinaryWrapper *>(wrapperAddress);
  auto binary = std::make_unique<FatBinary>();
  if (wrapper->magic == WrapperMagic)
    binary->data = wrapper->data;
  else
    reportFailure("__cudaRegisterFatBinary", "device code of an unknown format");
  binary->home = imageGroup(binary->data);
  binary->isOfProgram = binary->home && binary->home == programGroup();
  std::unique_lock guard(moduleTable().mutex);
  moduleTable().binaries.push_back(std::move(binary));
  return reinterpret_cast<void **>(moduleTable().binaries.back().get());
}

extern "C" __attribute__((visibility("default"))) void __cudaRegisterFatBinaryEnd(void **handle) {
  if (heddle::device::isForkedCopy())
    return;
  initializeManaged(*reinterpret_cast<FatBinary *>(handle));
}

extern "C" __attribute__((visibility("default"))) void __cudaUnregisterFatBinary(void **handle) {
  if (heddle::device::isForkedCopy())
    return;
  unregister(*reinterpret_cast<FatBinary *>(handle));
}

extern "C" __attribute__((visibility("default"))) int
__cudaRegisterFunction(void **handle, const char *stub, char *, const char *name, int, void *,
                       void *, void *, void *, int *) {
  if (heddle::device::isForkedCopy())
    return 0;
  auto function = std::make_unique<Function>();
  function->binary = reinterpret_cast<FatBinary *>(handle);
  function->name = name;
  function->stub = stub;
  std::unique_lock guard(moduleTable().mutex);
  moduleTable().functions[stub] = std::move(function);
  return 0;
}

extern "C" __attribute__((visibility("default"))) void
__cudaRegisterVar(void **handle, char *host, char *, const char *name, int, size_t, int, int) {
  if (heddle::device::isForkedCopy())
    return;
  std::unique_lock guard(moduleTable().mutex);
  moduleTable().variables[host] = {reinterpret_cast<FatBinary *>(handle), name, host};
}

extern "C" __attribute__((visibility("default"))) void
__cudaRegisterManagedVar(void **handle, void **host, char *, const char *name, int, size_t, int,
                         int) {
  if (heddle::device::isForkedCopy())
    return;
  std::unique_lock guard(moduleTable().mutex);
  moduleTable().variables[host] = {reinterpret_cast<FatBinary *>(handle), name, host};
}

namespace {

void registerReference(void **handle, const void *host, const char *name, bool readsNormalized) {
  if (heddle::device::isForkedCopy())
    return;
  std::unique_lock guard(moduleTable().mutex);
  moduleTable().variables[host] = {reinterpret_cast<FatBinary *>(handle), name,
                                   const_cast<void *>(host), true, readsNormalized};
}

} // namespace

extern "C" __attribute__((visibility("default"))) void
__cudaRegisterTexture(void **handle, const void *host, const void *, const char *name, int,
                      int normalized, int) {
  registerReference(handle, host, name, normalized != 0);
}

extern "C" __attribute__((visibility("default"))) void
__cudaRegisterSurface(void **handle, const void *host, const void *, const char *name, int, int) {
  registerReference(handle, host, name, false);
}

extern "C" __attribute__((visibility("default"))) char __cudaInitModule(void **) { return 1; }
