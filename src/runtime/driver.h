// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver below the runtime API. A function of the runtime is a translation: it makes the
// driver's parameters of its own, calls the driver through the table, and makes the driver's code
// its own.
//
//     HEDDLE_API cudaError_t cudaEventQuery(cudaEvent_t event) {
//       return translate([&] { return ask<&Cu::cuEventQuery>(event); });
//     }
//
// Nothing below the table is named here, so that another driver may lie there: a test's, or that of
// a real GPU.
#pragma once

#include "runtime/thread.h"

#include "base/per_thread_scope.h"
#include "driver/table.h"

#include <atomic>
#include <cstdlib>
#include <utility>

namespace heddle::runtime {

using Cu = driver::Table;

/// The driver's functions (driver_library.cpp).
extern std::atomic<const Cu *> driverTable; ///< null before the first call
const Cu &openDriver();
bool isOwnDriver(); ///< it is ours
inline const Cu &cu() {
  const Cu *table = driverTable.load(std::memory_order_acquire);
  return table ? *table : openDriver();
}

/// The twin of a function of the table, or the function itself if it has none.
template <auto Function> inline constexpr auto twinOf = Function;
#define HEDDLE_TWIN_None(symbol)
#define HEDDLE_TWIN_ptds(symbol)                                                                   \
  template <> inline constexpr auto twinOf<&Cu::symbol> = &Cu::symbol##_ptds;
#define HEDDLE_TWIN_ptsz(symbol)                                                                   \
  template <> inline constexpr auto twinOf<&Cu::symbol> = &Cu::symbol##_ptsz;
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  HEDDLE_TWIN_##twin(symbol)
#include "driver/driver.def"
#undef HEDDLE_TWIN_None
#undef HEDDLE_TWIN_ptds
#undef HEDDLE_TWIN_ptsz

/// Calls a function of the driver; in a twin of the runtime's, the driver's twin.
template <auto Function, class... Arguments> CUresult ask(Arguments... arguments) {
  const auto function = PerThreadScope::isActive() ? twinOf<Function> : Function;
  return (cu().*function)(arguments...);
}

/// Gives the thread a context, where the driver has said by `error` that it has none: initialises
/// the driver, and makes current the primary context of the device that the thread has chosen, or
/// of the first that it may use. Returns `error` where that is no remedy.
CUresult remedy(CUresult error);

/// Binaries wait to be loaded, whose managed variables the driver is to know before it is asked of
/// them (registration.cpp).
extern std::atomic<bool> awaitsLoad;
void loadAwaited();

/// Whether a context for the thread may help.
inline bool wantsContext(CUresult error) {
  return error == CUDA_ERROR_NOT_INITIALIZED || error == CUDA_ERROR_INVALID_CONTEXT ||
         error == CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/// Runs `body`, which calls the driver and returns its code, with a current context. It runs again
/// from the start if the thread had none: what it does before its first call may happen twice.
template <class Body> CUresult withContext(Body &&body) {
  if (awaitsLoad.load(std::memory_order_relaxed)) [[unlikely]]
    loadAwaited();
  CUresult error = body();
  if (wantsContext(error)) [[unlikely]]
    if ((error = remedy(error)) == CUDA_SUCCESS)
      error = body();
  return error;
}

/// Of the driver: it wants to hear of calls.
extern "C" __attribute__((visibility("default"))) bool heddle_calls_are_told;

/// Runs `body`, which is what the function of the runtime does that calls this.
template <class Body> cudaError_t named(Body &&body, const char *name = __builtin_FUNCTION()) {
  if (heddle_calls_are_told) [[unlikely]]
    heddle_call_begins(name);
  cudaError_t error = body();
  if (heddle_calls_are_told) [[unlikely]]
    heddle_call_ends(error);
  return error;
}

/// The same as withContext in a function of the runtime: its code is kept as the thread's last error.
/// Most codes have the same number in both APIs; `body` may return others of the runtime's as
/// CUresult(code).
template <class Body> cudaError_t translate(Body &&body, const char *name = __builtin_FUNCTION()) {
  return named([&] { return keep(withContext(std::forward<Body>(body))); }, name);
}

/// As translate, where the driver's function needs no current context: the runtime's makes one.
template <class Body>
cudaError_t translateCurrent(Body &&body, const char *name = __builtin_FUNCTION()) {
  return translate(
      [&]() -> CUresult {
        CUcontext current = nullptr;
        if (CUresult error = ask<&Cu::cuCtxGetCurrent>(&current))
          return error;
        return current ? body() : CUDA_ERROR_INVALID_CONTEXT;
      },
      name);
}

/// The runtime's code in the place of one of the driver's: where the driver says "invalid value" of
/// what the runtime has a name for.
inline CUresult as(CUresult error, CUresult from, cudaError_t to) {
  return error == from ? static_cast<CUresult>(to) : error;
}

} // namespace heddle::runtime
