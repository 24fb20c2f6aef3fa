// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace heddle::jit {

/// Runs `action` so that LLVM's fatal errors (report_fatal_error: an instruction the back end
/// cannot select,
/// ...) do not end the process. False, and LLVM's words in `message`, if one happened; what
/// `action` had allocated is then lost.
bool survive(llvm::function_ref<void()> action, std::string &message);

} // namespace heddle::jit
