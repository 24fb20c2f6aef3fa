// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// STOP and ERROR STOP in device code. STOP ends the thread: the compiler does that behind the call.
// ERROR STOP ends the launch with cudaErrorLaunchFailure. The messages are those of the host's
// statements.
#include "fortran/device/device.h"

using namespace heddle::fortran;

namespace {

struct Code {
  const char *name;
  int32_t code;
};

const char *nameOf(bool isError) { return isError ? "Fortran ERROR STOP" : "Fortran STOP"; }

} // namespace

extern "C" {

/// Without a code the code is 0, or 1 of ERROR STOP: that is not told.
void _FortranAStopStatement(int32_t code, bool isError, bool isQuiet) {
  if (!isQuiet && code != isError) {
    Code arguments = {nameOf(isError), code};
    vprintf("%s: code %d\n", &arguments);
  } else if (!isQuiet && isError) {
    const char *name = nameOf(true);
    vprintf("%s\n", &name);
  }
  if (isError)
    __builtin_trap();
}

HEDDLE_RARE void __heddle_fortran_stop_text(const char *text, uint64_t length, bool isError) {
  struct {
    const char *name;
    int32_t length;
    const char *text;
  } arguments = {nameOf(isError), static_cast<int32_t>(length), text};
  vprintf("%s: %.*s\n", &arguments);
}

void _FortranAStopStatementText(const char *text, uint64_t length, bool isError, bool isQuiet) {
  if (!isQuiet)
    __heddle_fortran_stop_text(text, length, isError);
  if (isError)
    __builtin_trap();
}
}
