// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/ptx/module/tidy_module.h"

#include "frontend/analyses.h"
#include "frontend/kernels.h"
#include "frontend/ptx/module/plain_addresses.h"
#include "frontend/ptx/module/plain_arms.h"
#include "frontend/ptx/module/plain_loops.h"
#include "frontend/ptx/module/recover_pointers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
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

/// The float that a choice of .b32 and .b64 registers is of, or null: of one at least, and of what
/// may be read as such.
Type *floatOf(PHINode &phi) {
  Type *type = nullptr;
  for (Value *value : phi.incoming_values()) {
    auto *cast = dyn_cast<BitCastInst>(value);
    auto *load = dyn_cast<LoadInst>(value);
    if (isa<Constant>(value) || (load && load->isSimple() && load->hasOneUse()))
      continue;
    if (!cast || !cast->getSrcTy()->isFloatingPointTy() || (type && type != cast->getSrcTy()))
      return nullptr;
    type = cast->getSrcTy();
  }
  return type;
}

/// Registers without a type that hold floats where paths meet are floats.
struct TypeChoices : PassInfoMixin<TypeChoices> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    for (BasicBlock &block : function)
      for (PHINode &phi : make_early_inc_range(block.phis()))
        if (Type *type = phi.getType()->isIntegerTy() ? floatOf(phi) : nullptr) {
          PHINode *typed = IRBuilder<>(&phi).CreatePHI(type, phi.getNumIncomingValues());
          SmallDenseMap<BasicBlock *, Value *, 4> made; // a block may come in by several edges
          for (auto [value, from] : zip_equal(phi.incoming_values(), phi.blocks())) {
            Value *&cast = made[from];
            if (!cast)
              cast = IRBuilder<>(from->getTerminator()).CreateBitCast(value, type);
            typed->addIncoming(cast, from);
          }
          for (User *user : make_early_inc_range(phi.users()))
            if (auto *store = dyn_cast<StoreInst>(user); store && store->getValueOperand() == &phi)
              store->setOperand(0, typed);
          IRBuilder<> builder(&block, block.getFirstInsertionPt());
          phi.replaceAllUsesWith(builder.CreateBitCast(typed, phi.getType()));
          phi.eraseFromParent();
        }
    return PreservedAnalyses::none();
  }
};

struct MakeLoopsPlain : PassInfoMixin<MakeLoopsPlain> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    makeLoopsPlain(analyses.getResult<LoopAnalysis>(function));
    return PreservedAnalyses::none();
  }
};

struct MakeArmsPlain : PassInfoMixin<MakeArmsPlain> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    makeArmsPlain(function, analyses.getResult<DominatorTreeAnalysis>(function),
                  analyses.getResult<LoopAnalysis>(function));
    return PreservedAnalyses::none();
  }
};

/// `max(a, b) < c` is what LLVM's back end makes of `a < c && b < c`. Of two conditions each is known
/// to go regularly over the threads, or to be the same in them.
void splitComparisons(Function &function) {
  SmallVector<ICmpInst *, 16> all;
  for (Instruction &instruction : instructions(function))
    if (auto *compare = dyn_cast<ICmpInst>(&instruction))
      all.push_back(compare);
  while (!all.empty()) {
    ICmpInst *compare = all.pop_back_val();
    auto *choice = dyn_cast<MinMaxIntrinsic>(compare->getOperand(0));
    if (!choice || compare->isEquality() || compare->isSigned() != choice->isSigned())
      continue;
    const bool isOfMost =
        choice->getPredicate() == CmpInst::ICMP_SGT || choice->getPredicate() == CmpInst::ICMP_UGT;
    const CmpInst::Predicate predicate = compare->getPredicate();
    const bool isBelow = ICmpInst::isLT(predicate) || ICmpInst::isLE(predicate);
    IRBuilder<> builder(compare);
    SmallVector<Value *, 2> parts;
    for (Value *part : {choice->getLHS(), choice->getRHS()})
      parts.push_back(builder.CreateICmp(predicate, part, compare->getOperand(1)));
    compare->replaceAllUsesWith(isOfMost == isBelow ? builder.CreateLogicalAnd(parts[0], parts[1])
                                                    : builder.CreateLogicalOr(parts[0], parts[1]));
    compare->eraseFromParent();
    if (choice->use_empty())
      choice->eraseFromParent();
    for (Value *part : parts)
      if (auto *again = dyn_cast<ICmpInst>(part))
        all.push_back(again);
  }
}

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
  passes.addPass(TypeChoices());
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(MakeArmsPlain());
  passes.addPass(SimplifyCFGPass(SimplifyCFGOptions().sinkCommonInsts(true)));
  passes.addPass(InstCombinePass());
  for (Function &function : module)
    if (!function.isDeclaration()) {
      removeUnreachableBlocks(function);
      passes.run(function, analyses.functions);
      splitComparisons(function);
      makeAddressesPlain(function);
    }
  for (Function &function : make_early_inc_range(module))
    if (isKernel(function))
      retype(function);
}

} // namespace heddle::frontend::ptx
