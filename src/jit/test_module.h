// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests: a module of text, after a pass.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace heddle::jit {

/// `source` for a CPU (LLVM's name), changed by `pass`. A text that is no module, and a pass that
/// leaves none that is valid, is a failed expectation; null after the first.
std::unique_ptr<llvm::Module>
moduleAfter(llvm::LLVMContext &context, const std::string &source, const char *cpu,
            llvm::function_ref<void(llvm::Module &, llvm::TargetMachine &)> pass);

/// How often `what` stands in `text`.
size_t count(const std::string &text, const std::string &what);

} // namespace heddle::jit
