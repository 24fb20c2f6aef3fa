// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of CUDA Fortran's device library share. It is freestanding C++, compiled to
// bitcode for nvptx64, of which heddle-fortran takes into a device module what that calls.
#pragma once

#include <stdint.h>

/// For long functions that stay functions when kernels are compiled
/// (src/simt/lower/lower_device.cpp). Their names begin with "__heddle_".
#define HEDDLE_RARE extern "C" __attribute__((cold, noinline))

extern "C" {
int vprintf(const char *format, const void *arguments);
void *malloc(uint64_t bytes);
void free(void *);
}

namespace heddle::fortran {

/// Ends the launch with cudaErrorLaunchFailure, and says why.
[[noreturn]] inline void endProgram(const char *why) {
  vprintf("error: %s\n", &why);
  __builtin_trap();
}

} // namespace heddle::fortran
