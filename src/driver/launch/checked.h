// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle::driver {

/// Starts the checks that HEDDLE_CHECK asks for (src/check), and tells at the program's end what
/// they found.
void startChecks();

struct Function;
/// The function itself, or, where this launch is not to be checked (--kernel-regex, --launch-skip,
/// --launch-count), the one whose code is plain.
Function &functionToRun(Function &);

} // namespace heddle::driver
