// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of a library's table that are not done: they exist, say so once on stderr, and return
// the library's status for it. A library has one file that defines them and includes no header of
// CUDA's:
//
//   #include "support/unsupported.h"
//   #define HEDDLE_FUNCTION(group, name, state) HEDDLE_LIBRARY_##state(name, 15) //
//   CUBLAS_STATUS_NOT_SUPPORTED #include "blas/cublas.def"
//
// They ignore their arguments, so they are defined without any: the calling conventions of the
// machines that we run on let a caller pass more than a function takes.
#pragma once

#include <atomic>

namespace heddle::library {
/// Says once that `name` is not supported.
void reportUnsupported(const char *name, std::atomic<bool> &said);
} // namespace heddle::library

#define HEDDLE_LIBRARY_Done(name, status)
#define HEDDLE_LIBRARY_Unsupported(name, status)                                                   \
  extern "C" __attribute__((visibility("default"))) int name() {                                   \
    static std::atomic<bool> said{false};                                                          \
    heddle::library::reportUnsupported(#name, said);                                               \
    return status;                                                                                 \
  }
