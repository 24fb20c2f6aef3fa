// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/ptx/module/tidy_module.h"

#include "frontend/analyses.h"
#include "frontend/kernels.h"
#include "frontend/ptx/module/plain_addresses.h"
#include "frontend/ptx/module/plain_loops.h"
#include "frontend/ptx/module/recover_pointers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

struct RecoverPointers : PassInfoMixin<RecoverPointers> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    recoverPointers(function);
    return PreservedAnalyses::none();
  }
};

struct MakeLoopsPlain : PassInfoMixin<MakeLoopsPlain> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    makeLoopsPlain(analyses.getResult<LoopAnalysis>(function));
    return PreservedAnalyses::none();
  }
};

/// Nothing but its number is asked for.
bool isNumber(const Argument &argument) {
  return argument.getType()->isPointerTy() && !argument.hasByValAttr() &&
         all_of(argument.users(), [](const User *user) { return isa<PtrToIntInst>(user); });
}

/// Gives a kernel numbers for the parameters that are no pointers.
void retype(Function &kernel) {
  SmallVector<Type *, 8> types;
  for (Argument &argument : kernel.args())
    types.push_back(isNumber(argument) ? Type::getInt64Ty(kernel.getContext())
                                       : argument.getType());
  if (ArrayRef(types) == kernel.getFunctionType()->params())
    return;
  auto *type = FunctionType::get(kernel.getReturnType(), types, false);
  auto *made = Function::Create(type, kernel.getLinkage(), "", kernel.getParent());
  made->copyAttributesFrom(&kernel);
  made->copyMetadata(&kernel, 0);
  made->splice(made->begin(), &kernel);
  for (auto [from, to] : zip_equal(kernel.args(), made->args())) {
    if (from.getType() == to.getType()) {
      from.replaceAllUsesWith(&to);
      continue;
    }
    for (User *user : make_early_inc_range(from.users())) {
      auto *cast = llvm::cast<PtrToIntInst>(user);
      cast->replaceAllUsesWith(&to);
      cast->eraseFromParent();
    }
  }
  made->takeName(&kernel);
  kernel.replaceAllUsesWith(made);
  kernel.eraseFromParent();
}

} // namespace

void tidyModule(Module &module) {
  Analyses analyses;
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(RecoverPointers());
  passes.addPass(SROAPass(SROAOptions::ModifyCFG)); // of the frame
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(LoopSimplifyPass());
  passes.addPass(MakeLoopsPlain());
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  for (Function &function : module)
    if (!function.isDeclaration()) {
      removeUnreachableBlocks(function);
      passes.run(function, analyses.functions);
      makeAddressesPlain(function);
    }
  for (Function &function : make_early_inc_range(module))
    if (isKernel(function))
      retype(function);
}

} // namespace heddle::frontend::ptx
