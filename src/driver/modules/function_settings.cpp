// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is set on kernels, for each context.
#include "driver/modules/module_table.h"

namespace heddle::driver {

/// A library's kernel that has none of its own in a created context has those of the device's primary
/// one: they are set for devices (cuKernelSetAttribute).
FunctionSettings Function::settingsFor(const Context &context) const {
  auto found = settings.find(context.index);
  if (found == settings.end() && !module->owner)
    found = settings.find(context.ordinal);
  return found == settings.end() ? FunctionSettings() : found->second;
}

FunctionSettings Function::settingsOn(const Context &context) {
  if (!hasSettings.load(std::memory_order_acquire))
    return {};
  std::lock_guard guard(mutex);
  return settingsFor(context);
}

void dropSettings(const Context &context) {
  std::shared_lock guard(moduleTable().mutex);
  for (auto &module : moduleTable().modules)
    for (auto &place : module->functions)
      if (Function *f = place.load(std::memory_order_acquire)) {
        std::lock_guard settingsGuard(f->mutex);
        f->settings.erase(context.index);
      }
}

} // namespace heddle::driver
