// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::jit {

/// An attribute of functions whose instructions must stay in their order.
inline constexpr const char *InOrder = "heddle-in-order";

/// Once in a process, before the first kernel: limits in LLVM's back end that keep the time for
/// large kernels in proportion to their size.
void limitBackEnd();

/// Adds the passes that turn `module` into an ELF object on `stream`. False if the machine's back
/// end cannot write objects.
bool addBackEnd(llvm::legacy::PassManager &passes, const llvm::Module &module,
                llvm::TargetMachine &machine, llvm::raw_pwrite_stream &stream);

} // namespace heddle::jit
