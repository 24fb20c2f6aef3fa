// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cudaGetDriverEntryPoint: functions of the driver API by their names. There is no library of the
// driver API, so no name is found; programs that ask go on without.
#include "runtime/state.h"

using namespace heddle::runtime;

namespace {

/// `status` may be null; then a name that is not found is an error.
cudaError_t findEntryPoint(const char *symbol, void **function, unsigned long long flags,
                           cudaDriverEntryPointQueryResult *status) {
  constexpr unsigned long long Known = cudaEnableLegacyStream | cudaEnablePerThreadDefaultStream;
  if (!symbol || !*symbol || !function || (flags & ~Known) || flags == Known)
    return cudaErrorInvalidValue;
  *function = nullptr;
  if (!status)
    return cudaErrorSymbolNotFound;
  *status = cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

} // namespace

HEDDLE_API cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function,
                                               unsigned long long flags,
                                               cudaDriverEntryPointQueryResult *status) {
  return enter([&] { return findEntryPoint(symbol, function, flags, status); });
}

HEDDLE_API cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
                                                        unsigned int, unsigned long long flags,
                                                        cudaDriverEntryPointQueryResult *status) {
  return enter([&] { return findEntryPoint(symbol, function, flags, status); });
}

/// Tables of functions that no manual describes; there is none.
HEDDLE_API cudaError_t cudaGetExportTable(const void **table, const cudaUUID_t *id) {
  return enter([&] { return table && id ? cudaErrorSymbolNotFound : cudaErrorInvalidValue; });
}
