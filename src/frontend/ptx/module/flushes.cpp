// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc's fast math writes .ftz at all instructions of floats. Done one by one, with a comparison for
// each operand and result, that takes several times as long as what it is done for:
//
//     mul.ftz.f32 %f1, %f2, %f3;      ->   fmul(ftz(%f2), ftz(%f3)), flushed again
//
// so a module in which all have it becomes one that -ftz=true has compiled, for which the processor has a
// mode (simt/lower). Where some have it, and others not, each says for itself, but what is the result of
// another is not flushed again.
#include "frontend/ptx/module/flushes.h"

#include "frontend/analyses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Scalar/SROA.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::frontend::ptx {

namespace {

constexpr StringRef FlushName = "heddle.ptx.flush", BitsName = "heddle.ptx.flush_bits",
                    KeepsName = "heddle.ptx.keeps";

Value *mark(IRBuilder<> &b, StringRef name, Value *value) {
  Type *type = b.getFloatTy();
  if (const auto *number = dyn_cast<ConstantFP>(value))
    return number->getValueAPF().isDenormal() ? ConstantFP::getZero(type, number->isNegative())
                                              : value;
  auto *function = cast<Function>(
      b.GetInsertBlock()->getModule()->getOrInsertFunction(name, type, type).getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->addFnAttr(Attribute::WillReturn);
  return b.CreateCall(function, {value});
}

bool isMark(const Value *value) {
  const auto *call = dyn_cast<CallInst>(value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && (callee->getName() == FlushName || callee->getName() == BitsName);
}

/// It is no denormal number: marks, constants, what integers become, and choices of these. What a loop
/// brings back is taken for one of them until something else is found.
bool isFlushed(const Value *value, SmallPtrSetImpl<const Value *> &seen) {
  if (isMark(value) || isa<SIToFPInst, UIToFPInst>(value))
    return true;
  if (const auto *number = dyn_cast<ConstantFP>(value))
    return !number->getValueAPF().isDenormal();
  constexpr size_t Most = 64;
  if (!seen.insert(value).second)
    return true;
  if (seen.size() > Most)
    return false;
  auto isOne = [&](const Value *operand) { return isFlushed(operand, seen); };
  if (const auto *phi = dyn_cast<PHINode>(value))
    return all_of(phi->incoming_values(), [&](const Use &use) { return isOne(use.get()); });
  if (const auto *select = dyn_cast<SelectInst>(value))
    return isOne(select->getTrueValue()) && isOne(select->getFalseValue());
  const auto *bits = dyn_cast<BitCastInst>(value); // registers are integers
  if (!bits)
    return false;
  const Value *from = bits->getOperand(0);
  if (const auto *number = dyn_cast<ConstantInt>(from))
    return !APFloat(APFloat::IEEEsingle(), number->getValue()).isDenormal();
  return isOne(from);
}

/// x * 1, x / 1, x + 0: LLVM makes x of them, which the mode has not flushed.
bool isFolded(const Value *value) {
  const auto *operation = dyn_cast<BinaryOperator>(value);
  if (!operation)
    return false;
  auto isOne = [](const ConstantFP &number) {
    return number.isExactlyValue(1) || number.isExactlyValue(-1);
  };
  const bool isSum =
      operation->getOpcode() == Instruction::FAdd || operation->getOpcode() == Instruction::FSub;
  for (const Use &use : operation->operands())
    if (const auto *number = dyn_cast<ConstantFP>(use.get()))
      if (isSum ? number->isZero()
                : isOne(*number) &&
                      (operation->getOpcode() != Instruction::FDiv || use.getOperandNo() == 1))
        return true;
  return false;
}

/// Nobody sees whether the mark's number was flushed: all that read it flush what they read. Chains are
/// of what moves bits.
bool isFlushedByReaders(const Value *value, SmallPtrSetImpl<const Value *> &seen) {
  constexpr size_t Most = 64;
  if (!seen.insert(value).second)
    return true;
  return seen.size() <= Most && all_of(value->uses(), [&](const Use &use) {
           const auto *reader = cast<Instruction>(use.getUser());
           if (const auto *call = dyn_cast<CallInst>(reader)) {
             const Function *callee = call->getCalledFunction();
             if (callee && callee->getName() == FlushName)
               return true;
             const auto *intrinsic = dyn_cast<IntrinsicInst>(call);
             const bool movesBits = (callee && callee->getName() == BitsName) ||
                                    (intrinsic && intrinsic->getIntrinsicID() == Intrinsic::fabs);
             return movesBits && isFlushedByReaders(call, seen);
           }
           return (isa<BitCastInst, PHINode>(reader) || reader->getOpcode() == Instruction::FNeg ||
                   (isa<SelectInst>(reader) && use.getOperandNo() > 0)) &&
                  isFlushedByReaders(reader, seen);
         });
}

/// The processor's mode has flushed it.
bool isComputed(const Value *value) {
  const auto *instruction = dyn_cast<Instruction>(value);
  return instruction && !isFolded(value) &&
         (instruction->getOpcode() == Instruction::FAdd ||
          instruction->getOpcode() == Instruction::FSub ||
          instruction->getOpcode() == Instruction::FMul ||
          instruction->getOpcode() == Instruction::FDiv ||
          (isa<IntrinsicInst>(instruction) &&
           cast<IntrinsicInst>(instruction)->getIntrinsicID() == Intrinsic::fma));
}

using Marks = SmallPtrSet<const Value *, 32>;

/// Those of numbers that are flushed already, or, under the mode, when they are read.
Marks findNeedless(Module &module, bool usesMode) {
  Marks needless;
  for (StringRef name : {FlushName, BitsName})
    if (Function *function = module.getFunction(name))
      for (User *user : function->users()) {
        SmallPtrSet<const Value *, 16> seen;
        if (isFlushed(cast<CallInst>(user)->getArgOperand(0), seen))
          needless.insert(user);
        seen.clear();
        if (usesMode && name == BitsName && isFlushedByReaders(user, seen))
          needless.insert(user);
      }
  return needless;
}

/// Small functions become part of their callers, and memory of functions becomes values, through
/// which numbers can be followed.
void bringTogether(Module &module) {
  constexpr size_t MostInstructions = 40;
  for (Function &function : module)
    if (function.hasLocalLinkage() && !function.isDeclaration() &&
        function.getInstructionCount() <= MostInstructions &&
        !function.hasFnAttribute(Attribute::NoInline))
      function.addFnAttr(Attribute::AlwaysInline);
  Analyses analyses;
  FunctionPassManager values;
  values.addPass(SROAPass(SROAOptions::PreserveCFG));
  ModulePassManager passes;
  passes.addPass(AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(values)));
  passes.run(module, analyses.modules);
  for (Function &function : module) {
    function.removeFnAttr(Attribute::AlwaysInline);
    for (Instruction &instruction : make_early_inc_range(instructions(function)))
      if (Value *whole; match(&instruction, m_LShr(m_Value(whole), m_Zero()))) { // SROA's
        instruction.replaceAllUsesWith(whole);
        instruction.eraseFromParent();
      }
  }
}

void expand(Module &module, StringRef name, bool isLeftOut, const Marks &needless) {
  Function *function = module.getFunction(name);
  if (!function)
    return;
  for (User *user : make_early_inc_range(function->users())) {
    auto *call = cast<CallInst>(user);
    Value *value = call->getArgOperand(0);
    const bool isNeedless =
        (isLeftOut && (name == FlushName ? !isFolded(value) : isComputed(value))) ||
        needless.contains(call);
    IRBuilder<> builder(call);
    call->replaceAllUsesWith(isNeedless ? value : emitFlush(builder, value));
    call->eraseFromParent();
  }
  function->eraseFromParent();
}

} // namespace

Value *markFlush(IRBuilder<> &b, Value *value) { return mark(b, FlushName, value); }
Value *markFlushOfBits(IRBuilder<> &b, Value *value) { return mark(b, BitsName, value); }
void markKeeps(Module &module) { module.getOrInsertNamedMetadata(KeepsName); }

Value *emitFlush(IRBuilder<> &b, Value *value) {
  Type *type = value->getType();
  const unsigned bits = type->getPrimitiveSizeInBits();
  Value *least = ConstantFP::get(type, APFloat::getSmallestNormalized(type->getFltSemantics()));
  Value *isSmall = b.CreateFCmpOLT(b.CreateUnaryIntrinsic(Intrinsic::fabs, value), least);
  Value *sign = b.CreateAnd(b.CreateBitCast(value, b.getIntNTy(bits)),
                            ConstantInt::get(b.getContext(), APInt::getSignMask(bits)));
  return b.CreateSelect(isSmall, b.CreateBitCast(sign, type), value);
}

bool expandFlushes(Module &module, bool mayUseMode) {
  NamedMDNode *keeps = module.getNamedMetadata(KeepsName);
  const bool usesMode = mayUseMode && !keeps && module.getFunction(FlushName);
  if (keeps)
    keeps->eraseFromParent();
  if (module.getFunction(FlushName) || module.getFunction(BitsName))
    bringTogether(module);
  const Marks needless = findNeedless(module, usesMode); // of marks that are all still there
  expand(module, FlushName, usesMode, needless);
  expand(module, BitsName, usesMode, needless);
  return usesMode;
}

} // namespace heddle::frontend::ptx
