// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/references.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace heddle::frontend {

using namespace llvm;

namespace {

/// Where a handle's call gets the reference from.
Value *referenceOf(const CallInst &call) { return call.getArgOperand(call.arg_size() - 1); }

void loadReference(CallInst &call) {
  Value *reference = referenceOf(call);
  if (auto *variable = dyn_cast<GlobalVariable>(reference->stripPointerCasts()))
    variable->setAlignment(std::max(variable->getAlign().valueOrOne(), Align(8)));
  IRBuilder<> builder(&call);
  LoadInst *load = builder.CreateAlignedLoad(call.getType(), reference, Align(8));
  load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(call.getContext(), {}));
  load->takeName(&call);
  call.replaceAllUsesWith(load);
  call.eraseFromParent();
}

} // namespace

void loadReferences(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    if (function.getIntrinsicID() != Intrinsic::nvvm_texsurf_handle_internal)
      continue;
    for (User *user : make_early_inc_range(function.users()))
      loadReference(*cast<CallInst>(user));
    function.eraseFromParent();
  }
}

} // namespace heddle::frontend
