// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests: a module of text, after a pass.
#pragma once

#include "jit/emit/machine.h"
#include "simt/analysis/analyses.h"
#include "simt/pass_control.h"

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

/// A pass alone, verified.
template <class Pass> void runPass(llvm::Module &module, llvm::TargetMachine &machine) {
  simt::Options options;
  options.verifies = true;
  simt::Analyses analyses(machine, options);
  const simt::PassInfo pass = {"pass", "", simt::When::Always, AllModes, true, simt::runPass<Pass>};
  simt::PassControl(options, pass).run(module, analyses.modules);
}
/// One that does the same for all machines.
template <class Pass> void runPass(llvm::Module &module) {
  runPass<Pass>(module, *llvm::cantFail(createMachine("x86-64-v3", /*optimize=*/true)));
}

/// How often `what` stands in `text`.
size_t count(const std::string &text, const std::string &what);

} // namespace heddle::jit
