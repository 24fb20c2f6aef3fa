// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/kernel_abi.h"

namespace heddle::driver {

/// Starts the checks that HEDDLE_CHECK asks for (src/check), and tells at the program's end what
/// they found.
void startChecks();

struct Function;
/// The function itself, or, where this launch is not to be checked (--kernel-regex, --launch-skip,
/// --launch-count), the one whose code is plain.
Function &functionToRun(Function &);
/// Null, or the function whose code is plain: initcheck, and no other check, would look at the
/// launch, and all memory that it would look at was written. `code`: that of functionToRun.
Function *plainInstead(Function &, const KernelCode &code, const uint8_t *packed);

} // namespace heddle::driver
