// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
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

/// While one lives, no other thread lists the passes of a back end. With `keepsCounters` the lists that
/// are made meanwhile have no LoopStrengthReduce, which makes counters of loops that fit a processor's
/// addresses: nvcc's compiler counts as the program does.
class BackEndList {
public:
  explicit BackEndList(bool keepsCounters);
  ~BackEndList();
  BackEndList(const BackEndList &) = delete;
  BackEndList &operator=(const BackEndList &) = delete;

private:
  llvm::cl::Option *set_ = nullptr; ///< by us
};

/// Adds the passes that turn `module` into an ELF object on `stream`. False if the machine's back
/// end cannot write objects.
bool addBackEnd(llvm::legacy::PassManager &passes, const llvm::Module &module,
                llvm::TargetMachine &machine, llvm::raw_pwrite_stream &stream);

} // namespace heddle::jit
