// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuGetProcAddress, versions, and tables of functions that no manual describes. The twins for the
// per-thread default stream came with CUDA 7.0.
#include "driver/entry_points.h"
#include "driver/functions.h"
#include "driver/launch/stream_makers.h"
#include "driver/rooms.h"
#include "driver/state.h"

#include "base/messages/messages.h"
#include "device/checks.h"

#include <atomic>
#include <cstring>

namespace heddle::driver {

Found findEntryPoint(std::string_view name, int version, bool isPerThread) {
  constexpr int FirstTwins = 7000;
  const Entry *best = nullptr;
  bool exists = false;
  if (version < 0) // any
    version = Version;
  for (const Entry &entry : ownEntries()) {
    if (entry.name != name)
      continue;
    exists = true;
    if (entry.since <= version && (!best || best->since < entry.since))
      best = &entry;
  }
  if (!best)
    return {nullptr, exists};
  if (makesStreams(name))
    device::noteStreams();
  bool takesTwin = isPerThread && best->twin;
  if (takesTwin && version < FirstTwins)
    return {nullptr, true};
  void *function;
  auto *table = reinterpret_cast<const char *>(&programsTable());
  std::memcpy(&function, table + (takesTwin ? best->twin : best->place), sizeof function);
  return {function, false, best->isSupported};
}

/// What is not found is no error but null and a status, as on an H200; without a status it is one.
CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status) {
  constexpr cuuint64_t Both =
      CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  if (!symbol || !function || flags > Both)
    return CUDA_ERROR_INVALID_VALUE;
  *function = nullptr;
  if (version > Version)
    return CUDA_ERROR_INVALID_VALUE;
  Found found =
      findEntryPoint(symbol, version, flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
  *function = found.function;
  if (status)
    *status = found.function   ? CU_GET_PROC_ADDRESS_SUCCESS
              : found.isTooNew ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                               : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return found.function || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}

CUresult cuDriverGetVersion(int *version) {
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = Version;
  return CUDA_SUCCESS;
}

/// NVIDIA's static runtime asks for such tables first, and goes on with nothing else.
CUresult cuGetExportTable(const void **table, const CUuuid *id) {
  if (!table || !id)
    return CUDA_ERROR_INVALID_VALUE;
  *table = nullptr;
  if (rooms().toldOfStaticRuntime.isFirst())
    tell("heddle: cuGetExportTable: this program has NVIDIA's static runtime inside, which runs on "
         "NVIDIA's driver only; link it with -cudart shared\n");
  return CUDA_ERROR_NOT_SUPPORTED;
}

} // namespace heddle::driver
