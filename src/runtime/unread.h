// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For `heddle check` (driver/call.cpp): errors that a program can learn of by asking only. A launch by
// kernel<<<...>>>(...) begins, in the compiler's function for it; it has failed; the thread asks for
// its last error.
#pragma once

extern "C" void heddle_arrows_launch(const void *stub);
extern "C" void heddle_launch_refused(int code);
extern "C" void heddle_error_read();

namespace heddle::runtime {

/// The compiler's function for kernel<<<...>>>(...) has taken the configuration, and launches next;
/// what that returns nobody sees. In a program of CUDA 13 an impossible shape is an invalid value, and
/// what is no kernel an invalid handle (majors.def).
enum class Arrows : unsigned char { None, Usual, Of13 };

/// Without a destructor, as lastError.
inline thread_local Arrows launchesBy = Arrows::None;

} // namespace heddle::runtime
