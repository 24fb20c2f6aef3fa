// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines at the head of the PTX of one kernel alone (jit/load/gpu_pointers.cpp), which say what its
// driver part sets (driver/gpu/gpu_again.cpp). Each ends with a variable's name.
#pragma once

namespace heddle {

/// The pointer of that name is to the variable of that name in the whole module's code.
inline constexpr char GpuAddressNote[] = "// address of ";
/// It is a pointer there, too, and has the same value.
inline constexpr char GpuValueNote[] = "// value of ";

} // namespace heddle
