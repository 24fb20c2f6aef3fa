// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function for both sides may call the host's as long as no kernel reaches it there. Its code for
// the device is made all the same, and what it names must not be missing when images are packed and
// linked:
//
//     declare i32 @_Z4hosti(i32) "dontcall-error"="heddle: a function of the host"
//  -> define internal i32 @_Z4hosti(i32) { call void @llvm.trap() unreachable }
//
// heddle-clang puts the attribute there (src/frontend/cuda/halves.cpp).
#include "plugin/host_functions.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle::plugin {

PreservedAnalyses HostFunctionsPass::run(Module &module, ModuleAnalysisManager &) {
  constexpr StringRef Attribute = "dontcall-error", Mark = "heddle: a function of the host";
  bool isChanged = false;
  for (Function &function : module) {
    if (!function.isDeclaration() || function.getFnAttribute(Attribute).getValueAsString() != Mark)
      continue;
    function.removeFnAttr(Attribute);
    function.setLinkage(GlobalValue::InternalLinkage);
    function.setVisibility(GlobalValue::DefaultVisibility);
    IRBuilder<> builder(BasicBlock::Create(module.getContext(), "", &function));
    builder.CreateIntrinsic(Intrinsic::trap, {});
    builder.CreateUnreachable();
    isChanged = true;
  }
  return isChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::plugin
