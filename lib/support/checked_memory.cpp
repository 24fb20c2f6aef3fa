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

static MayAccess check() {
  static const MayAccess check = driversCheck();
  return check;
}

bool isLookedAt() { return check() != nullptr; }

bool mayAccess(std::span<const MemoryRows> all) {
  return !check() || std::all_of(all.begin(), all.end(), [](const MemoryRows &rows) {
    return rows.rows <= 0 || rows.rowBytes <= 0 ||
           check()(rows.first, uint64_t((rows.rows - 1) * rows.pitch + rows.rowBytes));
  });
}

std::vector<MemoryRows> toTell(std::span<const MemoryRows> all) {
  std::vector<MemoryRows> told;
  for (MemoryRows rows : all) {
    if (!check() || rows.use == Use::Some || rows.rows <= 0 || rows.rowBytes <= 0)
      continue;
    if (rows.pitch == rows.rowBytes)
      rows = {rows.first, rows.rowBytes * rows.rows, rows.rowBytes * rows.rows, 1, rows.use};
    told.push_back(rows);
  }
  return told;
}

} // namespace heddle::library
