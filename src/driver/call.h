// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs around each function of the driver API.
#pragma once

#include "base/per_thread_scope.h"
#include "driver/state.h"
#include "driver/table.h"

#include <cerrno>
#include <csignal>

namespace heddle::driver {

/// What must hold before a function runs. Otherwise it returns CUDA's code for what does not.
enum class Needs : uint8_t {
  Always,      ///< nothing: it works before cuInit, too
  Initialized, ///< cuInit was called
  Anywhere,    ///< the same, and the thread's current context, if it has one, is not lost
  Current,     ///< the thread has a current context, which is not lost
  Lost,        ///< the current context may be lost, or none: what ends knows its own
  Unsafe,      ///< as Current; it may synchronise, so captures of streams may forbid it
  Give,        ///< as Current; it gives memory back, and so runs also where there is none left
  Free,        ///< as Give and Unsafe
  Owner,       ///< as Free; or the thread has no context: the function finds its argument's
};

/// What must hold, and the codes of arguments that are looked at before it. Rows of driver.def say
/// `Current | given(a, b)`: the driver of a GPU looks at these arguments first, even before cuInit,
/// or, with givenOnce and handleOnce, once it is initialised.
///
/// `Current | of(stream)`: where the thread has no context, that of the stream is current while the
/// function runs, as on an H200; null and the other names of default streams have none.
struct Home {
  const void *handle = nullptr;
  Context *(*find)(const void *handle) = nullptr; ///< null for what is no live object
};
struct Start {
  constexpr Start(Needs needs, CUresult first = CUDA_SUCCESS, CUresult once = CUDA_SUCCESS,
                  Home home = {})
      : needs(needs), first(first), once(once), home(home) {}
  Needs needs;
  CUresult first, once;
  Home home;
};
struct First {
  CUresult code;
};
struct Second {
  CUresult code;
};
constexpr Start operator|(Start s, First f) {
  return {s.needs, s.first ? s.first : f.code, s.once, s.home};
}
constexpr Start operator|(Start s, Second o) {
  return {s.needs, s.first, s.once ? s.once : o.code, s.home};
}
constexpr Start operator|(Start s, Home home) { return {s.needs, s.first, s.once, home}; }

template <class... A> First given(A... arguments) {
  return {(... && arguments) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE};
}
template <class... A> First handle(A... arguments) {
  return {(... && arguments) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE};
}
inline First green(CUgreenCtx context) {
  return {context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT};
}
/// The number of a process that lives.
inline First livingProcess(int number) {
  const bool lives = number > 0 && (kill(number, 0) == 0 || errno == EPERM);
  return {lives ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM};
}
/// A stream of the program's own: not the legacy one, which null stands for.
inline First givenStream(CUstream stream) { return given(stream || PerThreadScope::isActive()); }
template <class... A> Second givenOnce(A... arguments) { return {given(arguments...).code}; }
template <class... A> Second handleOnce(A... arguments) { return {handle(arguments...).code}; }
Context *contextOfStream(const void *); ///< streams/stream.cpp
Context *contextOfEvent(const void *);  ///< streams/event.cpp
inline Home of(CUstream stream) { return {stream, contextOfStream}; }
inline Home of(CUevent event) { return {event, contextOfEvent}; }

/// CUDA_SUCCESS if what the function needs holds. `home`: the context that it runs in instead of the
/// thread's, which has none; or null.
CUresult before(FunctionNumber, Start, Context *&home);

/// The driver's code where what lies below gave one that only the runtime API has.
CUresult driverCode(CUresult);

/// The program is checked (check/check.h).
extern bool isChecked;
/// What `heddle check` has to tell of a call that returned this code.
void afterCheckedCall(FunctionNumber, CUresult);

/// The program is profiled (profiling.h), from its beginning or from the time when CUPTI is asked to.
extern bool isProfiled;
void beginProfiledCall(FunctionNumber);
void endProfiledCall(CUresult);

/// Runs the body of an exported function. What is to happen at every call hangs here.
template <class Body> CUresult call(FunctionNumber function, Start start, Body &&body) {
  CancellationGuard guard;
  if (isProfiled) [[unlikely]]
    beginProfiledCall(function);
  Context *home = nullptr;
  CUresult error = before(function, start, home);
  if (error == CUDA_SUCCESS && home) [[unlikely]] {
    ContextScope scope(*home);
    error = body();
  } else if (error == CUDA_SUCCESS) {
    error = body();
  }
  if (isChecked) [[unlikely]]
    afterCheckedCall(function, error);
  if (isProfiled) [[unlikely]]
    endProfiledCall(error);
  return error == CUDA_SUCCESS ? error : driverCode(error);
}

/// For functions that driver.def calls Unsupported: says so once, returns CUDA_ERROR_NOT_SUPPORTED.
CUresult refuse(FunctionNumber);

} // namespace heddle::driver
