// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/checked_memory.h"

#include <algorithm>
#include <cstdlib>

#include <dlfcn.h>

namespace heddle::library {

namespace {

using MayAccess = bool (*)(const void *, uint64_t);

/// The driver's (driver/memory/explain.cpp); null where nothing is checked.
MayAccess driversCheck() {
  const char *checks = std::getenv("HEDDLE_CHECK");
  void *driver =
      checks && *checks ? dlopen("libheddle_driver.so", RTLD_NOW | RTLD_NOLOAD) : nullptr;
  return driver ? reinterpret_cast<MayAccess>(dlsym(driver, "heddle_may_access")) : nullptr;
}

} // namespace

bool mayAccess(std::initializer_list<Rows> all) {
  static const MayAccess check = driversCheck();
  return !check || std::all_of(all.begin(), all.end(), [](const Rows &rows) {
    return rows.rows <= 0 || rows.rowBytes <= 0 ||
           check(rows.first, uint64_t((rows.rows - 1) * rows.pitch + rows.rowBytes));
  });
}

} // namespace heddle::library
