// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stays of a shared library that is closed, or of one that is unloaded by the API. A program
// with plug-ins may open and close the same ones for weeks, so nothing may pile up:
//
//   - The variables' memory goes back, behind the work that the devices have been given so far.
//     Nothing waits for that work where it need not: the dynamic linker calls with its lock held,
//     which a kernel's fault (a form of single threads is loaded) and launches by kernels need, and
//     at the program's end a kernel may run for ever.
//   - Kernels that have been compiled stay. Launches, graphs and trials of other forms may hold
//     them, and they are the costly part. They hang on the module, a copy of the image that needs
//     nothing of the library any more. A library with the same image finds all of it again.
//
// So what is kept is as much as there are different images.
#include "driver/memory/memory.h"
#include "driver/modules/library.h"
#include "driver/modules/loader.h"
#include "driver/modules/module_table.h"
#include "driver/streams/device_order.h"

#include "check/check.h"
#include "driver/streams/stream.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace heddle::driver {

namespace {

/// Gives a module's memory back when what the device has been given so far is over. Its managed
/// variables lie in the library itself: for them, waits.
void giveWhenIdle(Context &device, void *memory, bool waits) {
  device::Device &backend = *device.backend;
  Stream behind = {};
  behind.device = &device;
  behind.queue = backend.createQueue(device::QueueKind::NonBlocking, 0);
  waitForAll(behind, device);
  device::Marker *marker = backend.record(behind.queue);
  // A host function cannot wait for what comes after it, and the library stays when the program
  // ends.
  waits = waits && !isThreadOver() && !thread().runsHostFunction;
  while (waits && !backend.isDone(marker) && !isLoaderWanted())
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  if (backend.isDone(marker))
    giveModuleMemory(memory);
  else
    backend.enqueueHostFunction(behind.queue, [memory] { giveModuleMemory(memory); });
  backend.drop(marker);
  backend.destroyQueue(behind.queue);
}

bool hasManaged(const ImageView &image) {
  return std::ranges::any_of(image.variables(), [](const ImageVariable &variable) {
    return variable.space == VariableSpace::Managed;
  });
}

/// Leaves of a kernel what has been compiled.
void forgetSettings(Function &function) {
  std::lock_guard guard(function.mutex);
  function.settings.clear();
  function.hasSettings.store(false, std::memory_order_release);
  function.oldLaunch = {};
  function.warnedOfHostPointer = false;
  function.reportedUncompiled = false;
}

} // namespace

std::unique_ptr<Module> takeRetired(std::span<const uint8_t> image, unsigned capability) {
  ModuleTable &table = moduleTable();
  std::unique_lock guard(table.mutex);
  auto found = std::ranges::find_if(table.retiredModules, [&](const std::unique_ptr<Module> &m) {
    return m->capability == capability && std::ranges::equal(m->image.bytes(), image);
  });
  if (found == table.retiredModules.end())
    return nullptr;
  std::unique_ptr<Module> module = std::move(*found);
  table.retiredModules.erase(found);
  guard.unlock();
  std::lock_guard moduleGuard(module->mutex);
  module->isRetired = false;
  for (auto &place : module->functions)
    if (Function *function = place.load(std::memory_order_relaxed))
      forgetSettings(*function);
  return module;
}

std::vector<Module *> leaveModules(FatBinary &binary) {
  std::vector<Module *> left;
  for (auto &[capability, module] : binary.modules)
    if (--module->users == 0)
      left.push_back(module);
  return left;
}

void retire(Module &module) {
  std::map<int, ModuleInstance> instances;
  {
    std::lock_guard guard(module.mutex);
    module.isRetired = true;
    instances.swap(module.instances);
  }
  for (auto &[ordinal, instance] : instances)
    giveWhenIdle(*instance.device, instance.globals, hasManaged(module.image));
  ModuleTable &table = moduleTable();
  std::unique_lock guard(table.mutex);
  auto found = std::ranges::find(table.modules, &module, &std::unique_ptr<Module>::get);
  if (found == table.modules.end())
    return;
  table.retiredModules.push_back(std::move(*found));
  table.modules.erase(found);
}

void unregister(FatBinary &binary) {
  ModuleTable &table = moduleTable();
  std::unique_lock guard(table.mutex);
  auto place = std::ranges::find(table.binaries, &binary, &std::unique_ptr<FatBinary>::get);
  if (place == table.binaries.end())
    return;
  std::erase_if(table.variables, [&](auto &entry) {
    if (entry.second.binary != &binary)
      return false;
    if (table.managed.erase(reinterpret_cast<uintptr_t>(entry.first)))
      check::unregistered(entry.first);
    return true;
  });
  table.managedCount = table.managed.size();
  std::vector<Module *> left = leaveModules(binary);
  Library &library = *binary.library;
  table.binaries.erase(place);
  guard.unlock();
  for (Module *module : left)
    retire(*module);
  forgetLibrary(library);
}

} // namespace heddle::driver
