// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/emit/machine.h"

#include "frontend/error.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include <cstdlib>
#include <mutex>

namespace heddle::jit {

using namespace llvm;

namespace {

void initializeOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser(); // for Barriers::emitStatement
  });
}

std::string featuresOf(const char *cpu, const Triple &triple) {
  SubtargetFeatures features;
  if (!cpu)
    for (const auto &[name, isOn] : sys::getHostCPUFeatures())
      features.AddFeature(name, isOn);
  if (triple.isX86())
    features.AddFeature("prefer-256-bit", false);
  return features.getString();
}

bool isCpu(const Target &target, const Triple &triple, const std::string &name) {
  std::unique_ptr<MCSubtargetInfo> info(target.createMCSubtargetInfo(triple, "", ""));
  return info && info->isCPUStringValid(name);
}

Expected<CodeGenOptLevel> backEndLevel(bool optimize) {
  const char *text = std::getenv("HEDDLE_BACK_END");
  StringRef value = text ? text : "";
  if (value != "" && value != "full" && value != "quick")
    return frontend::fail("HEDDLE_BACK_END is '" + value + "'; expected full or quick");
  return optimize && value != "quick" ? CodeGenOptLevel::Default : CodeGenOptLevel::None;
}

} // namespace

Expected<std::unique_ptr<TargetMachine>> createMachine(const char *cpu, bool optimize) {
  initializeOnce();
  Triple triple(sys::getProcessTriple());
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return frontend::fail(error);
  std::string name = cpu ? cpu : sys::getHostCPUName().str();
  if (!isCpu(*target, triple, name))
    return frontend::fail("unknown CPU '" + name + "'");
  Expected<CodeGenOptLevel> level = backEndLevel(optimize);
  if (!level)
    return level.takeError();
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Standard; // only where fast math allows it
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, name, featuresOf(cpu, triple), options, Reloc::PIC_, CodeModel::Small, *level));
  if (!machine)
    return frontend::fail("cannot generate code for " + triple.str());
  return machine;
}

} // namespace heddle::jit
