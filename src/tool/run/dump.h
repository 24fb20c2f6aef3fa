// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/result.h"
#include "jit/client/jit_library.h"
#include "tool/compile/device_code.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::tool {

/// `heddle dump`: what device code a file holds.
int runDump(const std::vector<std::string> &words);

/// The toolkit's cuobjdump.
int runCuobjdump(const std::vector<std::string> &words);

/// The machine code that a kernel becomes here for a block of 256 threads, beside its source lines, to the
/// standard output.
std::optional<Failure> printMachineCode(const JitLibrary &, const FoundImage &,
                                        const std::string &kernel);

} // namespace heddle::tool
