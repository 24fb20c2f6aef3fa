// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs around each function of the driver API.
#pragma once

#include "base/per_thread_scope.h"
#include "driver/state.h"
#include "driver/table.h"

namespace heddle::driver {

/// What must hold before a function runs. Otherwise it returns CUDA's code for what does not.
enum class Needs : uint8_t {
  Always,      ///< nothing: it works before cuInit, too
  Initialized, ///< cuInit was called
  Anywhere,    ///< the same, and the thread's current context, if it has one, is not lost
  Current,     ///< the thread has a current context, which is not lost
  Lost,        ///< the thread has a current context, which may be lost
  Unsafe,      ///< as Current; it may synchronise, so captures of streams may forbid it
  Give,        ///< as Current; it gives memory back, and so runs also where there is none left
  Free,        ///< as Give and Unsafe
};

/// CUDA_SUCCESS if what the function needs holds.
CUresult before(FunctionNumber, Needs);

/// The driver's code where what lies below gave one that only the runtime API has.
CUresult driverCode(CUresult);

/// The program is checked (check/check.h).
extern bool isChecked;
/// What `heddle check` has to tell of a call that returned this code.
void afterCheckedCall(FunctionNumber, CUresult);

/// Runs the body of an exported function. What is to happen at every call hangs here.
template <class Body> CUresult call(FunctionNumber function, Needs needs, Body &&body) {
  CancellationGuard guard;
  CUresult error = before(function, needs);
  if (error == CUDA_SUCCESS)
    error = body();
  if (isChecked) [[unlikely]]
    afterCheckedCall(function, error);
  return error == CUDA_SUCCESS ? error : driverCode(error);
}

/// For functions that driver.def calls Unsupported: says so once, returns CUDA_ERROR_NOT_SUPPORTED.
CUresult refuse(FunctionNumber);

} // namespace heddle::driver
