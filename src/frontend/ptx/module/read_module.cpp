// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/ptx/module/read_module.h"

#include "frontend/pack.h"
#include "frontend/ptx/module/build_module.h"
#include "frontend/ptx/module/tidy_module.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

constexpr StringRef DeviceTriple = "nvptx64-nvidia-cuda";
/// As clang writes it for that target.
constexpr StringRef DeviceLayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64";

void checkUndefined(const Module &module, Problems &problems) {
  for (const Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
        !isLibraryFunction(function.getName()))
      problems.fatal("Unresolved extern function '" + function.getName() + "'");
  for (const GlobalVariable &variable : module.globals())
    if (variable.isDeclaration() && !variable.use_empty() && variable.getAddressSpace() != 3)
      problems.fatal("Unresolved extern variable '" + variable.getName() + "'");
}

} // namespace

std::vector<uint8_t> readModule(StringRef text, bool isRelocatable, Problems &problems) {
  ModuleText declared = readModuleText(text, problems);
  if (problems.any())
    return {};
  LLVMContext context;
  Module module("ptx", context);
  module.setTargetTriple(Triple(DeviceTriple));
  module.setDataLayout(DeviceLayout);
  ModuleBuilder(module, declared, text, problems).run();
  if (!problems.any() && !isRelocatable)
    checkUndefined(module, problems);
  if (problems.any())
    return {};
  tidyModule(module);
  Expected<std::vector<uint8_t>> image =
      packModule(module, {isRelocatable ? uint32_t(ImageRelocatable) : 0, declared.sm, 0, 0});
  if (image)
    return std::move(*image);
  problems.fatal(toString(image.takeError()));
  return {};
}

} // namespace heddle::frontend::ptx
