// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts by their handles.
#pragma once

#include "driver/state.h"

namespace heddle::driver {

inline CUcontext handleOf(const Context &context) {
  return reinterpret_cast<CUcontext>(const_cast<Context *>(&context));
}

/// The primary context of a device; null if there is no such device.
inline Context *primaryAt(int ordinal) {
  return isDevice(ordinal) ? state().devices[ordinal].get() : nullptr;
}

/// Runs `body(primary context)` for a device.
template <typename F> CUresult withPrimary(int ordinal, F &&body) {
  Context *primary = primaryAt(ordinal);
  return primary ? body(*primary) : CUDA_ERROR_INVALID_DEVICE;
}

/// The green context that a stream was made in, or null.
CUgreenCtx greenContextOf(const struct Stream &);

/// The live context of a handle, or null.
Context *findContext(CUcontext);

/// Flags of contexts: known ones, and at most one way of waiting.
bool areValidFlags(unsigned flags);

/// A new context on a device, active. Errors: there are MostContexts, the device's mode forbids it,
/// the system has no threads.
CUresult createContext(int ordinal, unsigned flags, Context *&made);
/// Ends a context that createContext made, after its work.
void destroyContext(Context &);

} // namespace heddle::driver
