// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/canonical/expand_reductions.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace heddle::simt {

namespace {

Value *combine(IRBuilder<> &builder, Intrinsic::ID reduction, Value *left, Value *right) {
  switch (reduction) {
  case Intrinsic::vector_reduce_add:
  case Intrinsic::vector_reduce_mul:
  case Intrinsic::vector_reduce_and:
  case Intrinsic::vector_reduce_or:
  case Intrinsic::vector_reduce_xor:
  case Intrinsic::vector_reduce_fadd:
  case Intrinsic::vector_reduce_fmul:
    return builder.CreateBinOp(
        static_cast<Instruction::BinaryOps>(getArithmeticReductionInstruction(reduction)), left,
        right);
  default:
    return builder.CreateBinaryIntrinsic(getMinMaxReductionIntrinsicOp(reduction), left, right);
  }
}

bool isReduction(const IntrinsicInst &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::vector_reduce_add:
  case Intrinsic::vector_reduce_mul:
  case Intrinsic::vector_reduce_and:
  case Intrinsic::vector_reduce_or:
  case Intrinsic::vector_reduce_xor:
  case Intrinsic::vector_reduce_fadd:
  case Intrinsic::vector_reduce_fmul:
  case Intrinsic::vector_reduce_smax:
  case Intrinsic::vector_reduce_smin:
  case Intrinsic::vector_reduce_umax:
  case Intrinsic::vector_reduce_umin:
  case Intrinsic::vector_reduce_fmax:
  case Intrinsic::vector_reduce_fmin:
  case Intrinsic::vector_reduce_fmaximum:
  case Intrinsic::vector_reduce_fminimum:
    return true;
  default:
    return false;
  }
}

} // namespace

void expandReductions(Function &function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (!call || !isReduction(*call))
      continue;
    IRBuilder<> builder(call);
    if (isa<FPMathOperator>(call))
      builder.setFastMathFlags(call->getFastMathFlags());
    Value *vector = call->getArgOperand(call->arg_size() - 1);
    Value *result = call->arg_size() == 2 ? call->getArgOperand(0) : nullptr; // of floats: a start
    for (unsigned i = 0; i != cast<FixedVectorType>(vector->getType())->getNumElements(); ++i) {
      Value *element = builder.CreateExtractElement(vector, i);
      result = result ? combine(builder, call->getIntrinsicID(), result, element) : element;
    }
    call->replaceAllUsesWith(result);
    call->eraseFromParent();
  }
}

} // namespace heddle::simt
