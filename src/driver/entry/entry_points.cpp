// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cudaGetDriverEntryPoint: functions of the driver API by their names. Those that are not supported
// are not found; programs that ask go on without.
#include "driver/entry_points.h"
#include "driver/state.h"

using namespace heddle::driver;

namespace {

/// `version` is what the program was written for: a function that came later is not found. `status`
/// may be null; then that is an error (CUDA runtime API, cudaGetDriverEntryPointByVersion).
CUresult getEntryPoint(const char *symbol, void **function, unsigned version,
                       unsigned long long flags, cudaDriverEntryPointQueryResult *status) {
  constexpr unsigned long long Known = cudaEnableLegacyStream | cudaEnablePerThreadDefaultStream;
  if (!symbol || !*symbol || !function || (flags & ~Known) || flags == Known)
    return CUDA_ERROR_INVALID_VALUE;
  Found found =
      findEntryPoint(symbol, static_cast<int>(version), flags == cudaEnablePerThreadDefaultStream);
  *function = found.isSupported ? found.function : nullptr;
  if (status)
    *status = *function        ? cudaDriverEntryPointSuccess
              : found.isTooNew ? cudaDriverEntryPointVersionNotSufficent
                               : cudaDriverEntryPointSymbolNotFound;
  return *function || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

} // namespace

CUresult heddle::driver::cudaGetDriverEntryPoint(const char *symbol, void **function,
                                                 unsigned long long flags,
                                                 cudaDriverEntryPointQueryResult *status) {
  return enter([&] { return getEntryPoint(symbol, function, Version, flags, status); });
}

CUresult heddle::driver::cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
                                                          unsigned int version,
                                                          unsigned long long flags,
                                                          cudaDriverEntryPointQueryResult *status) {
  return enter([&] { return getEntryPoint(symbol, function, version, flags, status); });
}

/// Tables of functions that no manual describes; there is none.
CUresult heddle::driver::cudaGetExportTable(const void **table, const cudaUUID_t *id) {
  return enter([&] { return table && id ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_VALUE; });
}
