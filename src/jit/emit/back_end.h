// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::jit {

/// An attribute of functions whose instructions must stay in their order.
inline constexpr const char *InOrder = "heddle-in-order";

/// While one lives, limits hold in LLVM's back end that keep the time for large kernels in proportion
/// to their size. They are LLVM's own options, which the program may have set and others may use: those
/// that are set stay, and all are what they were when the last one goes.
class BackEndLimits {
public:
  BackEndLimits();
  ~BackEndLimits();
  BackEndLimits(const BackEndLimits &) = delete;
  BackEndLimits &operator=(const BackEndLimits &) = delete;
};

/// Adds the passes that turn `module` into an ELF object on `stream`. False if the machine's back
/// end cannot write objects.
bool addBackEnd(llvm::legacy::PassManager &passes, const llvm::Module &module,
                llvm::TargetMachine &machine, llvm::raw_pwrite_stream &stream);

} // namespace heddle::jit
