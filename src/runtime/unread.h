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
/// what that returns nobody sees. Without a destructor, as lastError.
inline thread_local bool launchesByArrows = false;

/// The launch that follows is a program's of CUDA 13, for which an impossible shape is an invalid value,
/// and what is no kernel an invalid handle (majors.def).
inline thread_local bool launchesAs13 = false;

} // namespace heddle::runtime
