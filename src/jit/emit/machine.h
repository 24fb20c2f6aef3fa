// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace heddle::jit {

/// The machine that kernels are compiled for. `cpu` is an LLVM CPU name; null is this machine with
/// all it has. 512-bit vectors are used where there are any. `optimize` is false for -G; without it,
/// or with HEDDLE_BACK_END=quick, LLVM's back end does as little as it can. Passes over IR are none
/// of its business. Fails for another value of HEDDLE_BACK_END.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createMachine(const char *cpu, bool optimize);

} // namespace heddle::jit
