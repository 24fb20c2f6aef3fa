// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests: what a pass makes of a few instructions.
#pragma once

#include "llvm/IR/Module.h"

#include <string>

namespace heddle::jit {

/// The instructions of `run` in the module, with the names of the functions that they call, after
/// `pass`: each and a space. A module that is not valid is a failed expectation.
std::string namesAfter(void (*pass)(llvm::Module &), const std::string &module);

} // namespace heddle::jit
