// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which driver the runtime calls: ours, or the library that HEDDLE_DRIVER names, which exports the
// driver API under its symbols' names.
#include "runtime/driver.h"

#include "base/messages/messages.h"

#include <cstdlib>

#include <dlfcn.h>

/// Our driver's table (driver/table.cpp).
extern "C" const heddle::driver::Table *
heddle_driver_table(const heddle::driver::Table *exportedOrNull);

namespace heddle::runtime {

std::atomic<const Cu *> driverTable = nullptr;

namespace {

/// In the place of a function that the library lacks.
CUresult tellAbsent(const char *symbol) {
  tellf("heddle: %s: the driver that HEDDLE_DRIVER names does not have it\n", symbol);
  return CUDA_ERROR_NOT_SUPPORTED;
}

/// In the place of all functions, where there is no driver.
template <class Function> struct Missing;
template <class... Parameters> struct Missing<CUresult (*)(Parameters...)> {
  static CUresult answer(Parameters...) {
    return static_cast<CUresult>(cudaErrorInsufficientDriver);
  }
};

#define HEDDLE_TWIN_None(symbol, parameters)
#define HEDDLE_TWIN_ptds(symbol, parameters) HEDDLE_TAKE(symbol##_ptds, parameters)
#define HEDDLE_TWIN_ptsz(symbol, parameters) HEDDLE_TAKE(symbol##_ptsz, parameters)
#define HEDDLE_ROW(symbol, twin, parameters)                                                       \
  HEDDLE_TAKE(symbol, parameters) HEDDLE_TWIN_##twin(symbol, parameters)

Cu tableOf(void *library) {
  Cu table;
  if (!library) {
#define HEDDLE_TAKE(name, parameters) table.name = Missing<decltype(table.name)>::answer;
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  HEDDLE_ROW(symbol, twin, parameters)
#include "driver/driver.def"
#undef HEDDLE_TAKE
    return table;
  }
#define HEDDLE_TAKE(name, parameters)                                                              \
  table.name = reinterpret_cast<decltype(table.name)>(dlsym(library, #name));                      \
  if (!table.name)                                                                                 \
    table.name = [] parameters -> CUresult { return tellAbsent(#name); };
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  HEDDLE_ROW(symbol, twin, parameters)
#include "driver/driver.def"
#undef HEDDLE_TAKE
  return table;
}

const Cu &chooseDriver() {
  const char *path = std::getenv("HEDDLE_DRIVER");
  if (!path || !*path)
    return *heddle_driver_table(nullptr);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    tellf("heddle: HEDDLE_DRIVER: %s\n", dlerror());
  static const Cu table = tableOf(library);
  return table;
}

} // namespace

const Cu &openDriver() {
  static const Cu &chosen = chooseDriver();
  driverTable.store(&chosen, std::memory_order_release);
  return chosen;
}

bool isOwnDriver() { return &cu() == heddle_driver_table(nullptr); }

} // namespace heddle::runtime
