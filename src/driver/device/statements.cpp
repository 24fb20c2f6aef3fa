// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way of other languages' runtime libraries to what their kernels print
// (lib/fortran/output.cpp).
#include "device/statements.h"

extern "C" __attribute__((visibility("default"))) void
heddle_driver_set_statement_formatter(heddle::device::FormatStatement format) {
  heddle::device::setStatementFormatter(format);
}
