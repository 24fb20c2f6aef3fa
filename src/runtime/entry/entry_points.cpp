// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cudaGetDriverEntryPoint: functions of the driver API by their names. Of those that driver.def
// lacks no name is found; programs that ask go on without.
#include "driver/functions.h"
#include "runtime/state.h"

#include <string_view>

using namespace heddle::runtime;

namespace {

struct EntryPoint {
  std::string_view name;
  unsigned since;
  void *function;
};

const EntryPoint *findEntryPoint(std::string_view name) {
  static const EntryPoint table[] = {
#define HEDDLE_DRIVER(name, since) {#name, since, reinterpret_cast<void *>(&heddle::driver::name)},
#include "runtime/entry/driver.def"
  };
  for (const EntryPoint &entry : table)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

/// `version` is what the program was written for: a function that came later is not found. `status`
/// may be null; then that is an error (CUDA runtime API, cudaGetDriverEntryPointByVersion).
cudaError_t getEntryPoint(const char *symbol, void **function, unsigned version,
                          unsigned long long flags, cudaDriverEntryPointQueryResult *status) {
  constexpr unsigned long long Known = cudaEnableLegacyStream | cudaEnablePerThreadDefaultStream;
  if (!symbol || !*symbol || !function || (flags & ~Known) || flags == Known)
    return cudaErrorInvalidValue;
  const EntryPoint *found = findEntryPoint(symbol);
  bool isTooNew = found && found->since > version;
  *function = found && !isTooNew ? found->function : nullptr;
  if (status)
    *status = *function  ? cudaDriverEntryPointSuccess
              : isTooNew ? cudaDriverEntryPointVersionNotSufficent
                         : cudaDriverEntryPointSymbolNotFound;
  return *function || status ? cudaSuccess : cudaErrorSymbolNotFound;
}

} // namespace

HEDDLE_API cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function,
                                               unsigned long long flags,
                                               cudaDriverEntryPointQueryResult *status) {
  return enter([&] { return getEntryPoint(symbol, function, CUDART_VERSION, flags, status); });
}

HEDDLE_API cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
                                                        unsigned int version,
                                                        unsigned long long flags,
                                                        cudaDriverEntryPointQueryResult *status) {
  return enter([&] { return getEntryPoint(symbol, function, version, flags, status); });
}

/// Tables of functions that no manual describes; there is none.
HEDDLE_API cudaError_t cudaGetExportTable(const void **table, const cudaUUID_t *id) {
  return enter([&] { return table && id ? cudaErrorSymbolNotFound : cudaErrorInvalidValue; });
}
