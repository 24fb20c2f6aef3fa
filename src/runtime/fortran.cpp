// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What CUDA Fortran's library asks of our driver beyond CUDA's API. It links the runtime only.
#include "runtime/thread.h"

using AppendText = void (*)(void *to, const char *text, size_t bytes);
using FormatStatement = void (*)(const void *statement, AppendText append, void *to);

extern "C" void heddle_driver_set_statement_formatter(FormatStatement);
extern "C" void heddle_driver_unify_memory();

/// How statements that kernels print become text (src/device/statements.h).
HEDDLE_API void heddle_set_statement_formatter(FormatStatement format) {
  heddle_driver_set_statement_formatter(format);
}

/// For -gpu=mem:unified: kernels may be given host memory (src/driver/launch/host_pointers.cpp).
HEDDLE_API void heddle_unify_memory() { heddle_driver_unify_memory(); }
