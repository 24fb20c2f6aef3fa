// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/compilation.h"

#include "base/switches.h"
#include "simt/canonical/distribute_extensions.h"
#include "simt/canonical/normalize.h"

#include "llvm/Analysis/TargetTransformInfo.h"

using namespace llvm;

namespace heddle::simt {

VectorRegisters vectorRegisters(const Function &function, TargetMachine &machine) {
  return vectorRegisters(machine.getTargetTransformInfo(function));
}

VectorRegisters vectorRegisters(const TargetTransformInfo &target) {
  auto bits = unsigned(
      target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue());
  unsigned count = target.getNumberOfRegisters(target.getRegisterClassForType(/*Vector=*/true));
  return {std::max(128u, bits), std::max(8u, count)};
}

Compilation::Compilation(Module &module, Function &kernel, const Options &options,
                         TargetMachine &machine)
    : module(module), kernel(kernel), options(options), machine(machine) {
  // What is known of the allocations that parameters point into.
  if (!options.isOptimised() || !options.isEnabled("noalias-arguments"))
    this->options.objects.clear();
}

void Compilation::fail(Error error) {
  failure_ = joinErrors(std::move(failure_), std::move(error));
  hasFailed_ = true;
}

void Compilation::distributeExtensions(const Options &options) {
  if (!options.isFast() || !options.isEnabled("distribute-extensions"))
    return;
  for (Function &function : module)
    if (!function.isDeclaration())
      thread.trustsShortObjects |= simt::distributeExtensions(function, options);
}

void Compilation::cleanThread() {
  fold(*thread.body, machine);
  renormalize(module, machine);
  distributeExtensions(options);
}

PreservedAnalyses LowerDevice::run(Compilation &kernel, FunctionAnalysisManager &) {
  Expected<ThreadProgram> lowered =
      lowerDevice(kernel.module, kernel.kernel, kernel.options, kernel.machine);
  if (lowered) {
    kernel.thread = std::move(*lowered);
    kernel.options.registers = vectorRegisters(*kernel.thread.body, kernel.machine);
  } else {
    kernel.fail(lowered.takeError());
  }
  return PreservedAnalyses::none();
}

PreservedAnalyses DistributeExtensions::run(Compilation &kernel, FunctionAnalysisManager &) {
  kernel.distributeExtensions(kernel.options);
  return PreservedAnalyses::none();
}

PreservedAnalyses SimplifyPrograms::run(Compilation &kernel, FunctionAnalysisManager &) {
  bool packs = kernel.warp.hasStructs && kernel.options.isEnabled("pack-structs");
  if (!packs && !kernel.splits())
    return PreservedAnalyses::all();
  simplify(kernel.module, kernel.machine);
  return PreservedAnalyses::none();
}

bool Options::isEnabled(StringRef pass) const { return heddle::isEnabled(pass, disabled); }

} // namespace heddle::simt
