// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the driver API by their names (runtime API, "Driver Entry Point Access"). Those that
// are not supported are not found; programs that ask go on without.
#include "runtime/driver.h"

#include <algorithm>
#include <string_view>

using namespace heddle::runtime;

namespace {

/// Whether our driver's function of that name and version does what it is for.
bool isSupported(std::string_view name, int version) {
  struct Row {
    std::string_view symbol;
    int since;
    bool isDone;
  };
#define HEDDLE_Done true
#define HEDDLE_Old true
#define HEDDLE_Unsupported false
  static constexpr Row Rows[] = {
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  {#symbol, since, HEDDLE_##state},
#include "driver/driver.def"
  };
  const Row *newest = nullptr;
  for (const Row &row : Rows) {
    const bool hasName = row.symbol == name ||
                         (row.symbol.starts_with(name) && row.symbol.size() == name.size() + 3 &&
                          row.symbol.substr(name.size(), 2) == "_v");
    if (hasName && row.since <= version && (!newest || row.since >= newest->since))
      newest = &row;
  }
  return !newest || newest->isDone;
}

/// `version` is what the program was written for: a function that came later is not found. `status`
/// may be null; then that is an error (cudaGetDriverEntryPointByVersion).
CUresult getEntryPoint(const char *symbol, void **function, unsigned version,
                       unsigned long long flags, cudaDriverEntryPointQueryResult *status) {
  constexpr unsigned long long Known = cudaEnableLegacyStream | cudaEnablePerThreadDefaultStream;
  if (!symbol || !*symbol || !function || (flags & ~Known) || flags == Known)
    return CUDA_ERROR_INVALID_VALUE;
  int newest = 0;
  if (CUresult error = ask<&Cu::cuDriverGetVersion>(&newest))
    return error;
  CUdriverProcAddressQueryResult found;
  const unsigned known = std::min(version, static_cast<unsigned>(newest));
  if (CUresult error = ask<&Cu::cuGetProcAddress_v2>(symbol, function, static_cast<int>(known),
                                                     cuuint64_t(flags), &found))
    return error;
  if (*function && isOwnDriver() && !isSupported(symbol, static_cast<int>(known))) {
    *function = nullptr;
    found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  if (status)
    *status = static_cast<cudaDriverEntryPointQueryResult>(found);
  return *function || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

} // namespace

HEDDLE_API cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
                                                        unsigned version, unsigned long long flags,
                                                        cudaDriverEntryPointQueryResult *status) {
  return translate([&] { return getEntryPoint(symbol, function, version, flags, status); });
}

/// For the version that the program is compiled with.
HEDDLE_API cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function,
                                               unsigned long long flags,
                                               cudaDriverEntryPointQueryResult *status) {
  return named([&] {
    return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, status);
  });
}

HEDDLE_API cudaError_t heddle_11_cudaGetDriverEntryPoint(const char *symbol, void **function,
                                                         unsigned long long flags) {
  return named(
      [&] { return cudaGetDriverEntryPointByVersion(symbol, function, 11080, flags, nullptr); });
}
HEDDLE_API cudaError_t heddle_13_cudaGetDriverEntryPoint(const char *symbol, void **function,
                                                         unsigned long long flags,
                                                         cudaDriverEntryPointQueryResult *status) {
  return named(
      [&] { return cudaGetDriverEntryPointByVersion(symbol, function, 13000, flags, status); });
}

/// Tables of functions that no manual describes; there is none.
HEDDLE_API cudaError_t cudaGetExportTable(const void **table, const cudaUUID_t *id) {
  return translate([&] { return table && id ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_VALUE; });
}
