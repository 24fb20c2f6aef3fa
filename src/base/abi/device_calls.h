// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call of the device runtime, between the device library, which writes it into the calling
// thread's local memory (src/devlib/device_runtime.cpp), and the runtime, which reads it
// (src/driver/children). Both sides have the same layout: 64-bit and little-endian.
#pragma once

namespace heddle {

enum class DeviceFunction : unsigned {
#define HEDDLE_DEVICE_FUNCTION(NAME) NAME,
#include "base/abi/device_functions.def"
};

/// Who calls, and the operands in the order of the function's parameters: integers and pointers
/// extended to 64 bits, each member of a dim3 for itself, other structures by address.
struct DeviceCall {
  static constexpr unsigned MostOperands = 12;
  unsigned long long block;  ///< number of the block in its grid, x fastest
  unsigned thread;           ///< number of the thread in its block, x fastest
  unsigned perThreadDefault; ///< not 0: a null stream is the thread's own (--default-stream)
  unsigned long long operands[MostOperands];
  unsigned long long result; ///< of functions that return no cudaError_t: a pointer
};

/// The one function of the compiler's that all of these call: (DeviceFunction, DeviceCall *).
inline constexpr char DeviceCallName[] = "__heddle_device_call";

} // namespace heddle
