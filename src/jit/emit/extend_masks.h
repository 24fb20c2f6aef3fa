// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/CodeGen/TargetPassConfig.h"

namespace heddle::jit {

/// Has the masks of AVX-512 that LLVM extends with zeros extended by an instruction that it does
/// not take for a copy. Nothing happens on other machines.
void addMaskExtensions(llvm::TargetPassConfig &config);

} // namespace heddle::jit
