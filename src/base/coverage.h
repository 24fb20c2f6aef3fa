// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HEDDLE_COVERAGE=FILE: what compilations have used, as tools/tests_cover.py counts it. Each is a
// line of the file, once for each process:
//
//   pass NAME LANES      a pass that has changed a kernel, with lanes of its programs if they are known
//   lanes LANES CPU      a kernel was compiled for so many lanes and for that processor
//   function NAME        a kernel calls that function of the device library
//   opcode NAME          an instruction of PTX was read
#pragma once

#include <string>

namespace heddle {

/// Whether anybody wants to know.
bool logsCoverage();

/// Writes a line, if it is wanted and new. Threads may call it at the same time.
void logCovered(const std::string &line);

} // namespace heddle
