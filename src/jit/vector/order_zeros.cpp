// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fminf(-0, +0) is -0 on a GPU, whatever the order of the two (PTX ISA, "min": +0.0 > -0.0). LLVM's
// minnum leaves it open, and vminps gives the second operand. vrangeps is the minimum of IEEE:
// zeros are ordered, and a NaN gives the other operand, for which vminps needs a comparison and a
// blend behind it:
//
//     vminps, vcmpunordps, vblendmps   ->   vrangeps
//
// So the right answer is the faster one. Done at the end, since every other pass knows minnum and
// none vrange. Machines without it keep minnum: two more instructions would order the zeros there.
//
// Legality (order-zeros): none: minnum and maxnum leave the order of zeros open, and vrange is one
// that does not.
#include "jit/vector/order_zeros.h"

#include "simt/analysis/launch_facts.h"

#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/MC/MCSubtargetInfo.h"

using namespace llvm;

namespace heddle::jit {

namespace {

// vrange's immediate operand (Intel SDM, "VRANGEPS"): bits 0 and 1 choose, 4 takes the sign of what
// is chosen.
constexpr unsigned Minimum = 4, Maximum = 5;
constexpr unsigned CurrentDirection = 4; ///< no embedded rounding

Intrinsic::ID rangeOf(bool isDouble, unsigned bits) {
  switch (bits) {
  case 128:
    return isDouble ? Intrinsic::x86_avx512_mask_range_pd_128
                    : Intrinsic::x86_avx512_mask_range_ps_128;
  case 256:
    return isDouble ? Intrinsic::x86_avx512_mask_range_pd_256
                    : Intrinsic::x86_avx512_mask_range_ps_256;
  default:
    return isDouble ? Intrinsic::x86_avx512_mask_range_pd_512
                    : Intrinsic::x86_avx512_mask_range_ps_512;
  }
}

/// One instruction: operands of 128, 256 or 512 bits.
Value *rangeOfRegister(IRBuilder<> &builder, Value *a, Value *b, unsigned choice) {
  auto *type = cast<FixedVectorType>(a->getType());
  bool isDouble = type->getElementType()->isDoubleTy();
  unsigned lanes = type->getNumElements(), bits = lanes * type->getScalarSizeInBits();
  SmallVector<Value *, 6> operands = {a, b, builder.getInt32(choice), PoisonValue::get(type),
                                      builder.getIntN(std::max(lanes, 8u), -1)};
  if (bits == 512)
    operands.push_back(builder.getInt32(CurrentDirection));
  return builder.CreateIntrinsic(rangeOf(isDouble, bits), operands);
}

SmallVector<int, 16> consecutive(unsigned first, unsigned count) {
  SmallVector<int, 16> lanes;
  for (unsigned i = 0; i < count; ++i)
    lanes.push_back(int(first + i));
  return lanes;
}

/// A vector of any length register by register; the last one may have lanes that mean nothing.
Value *rangeOfVector(IRBuilder<> &builder, Value *a, Value *b, unsigned choice) {
  auto *type = cast<FixedVectorType>(a->getType());
  unsigned lanes = type->getNumElements(), size = type->getScalarSizeInBits();
  unsigned bits = std::clamp<unsigned>(PowerOf2Ceil(lanes * size), 128, 512), count = bits / size;
  unsigned padded = alignTo(lanes, count);
  SmallVector<int, 16> widened = consecutive(0, lanes);
  widened.resize(padded, PoisonMaskElem);
  if (padded != lanes) {
    a = builder.CreateShuffleVector(a, widened);
    b = builder.CreateShuffleVector(b, widened);
  }
  if (padded == count) {
    Value *result = rangeOfRegister(builder, a, b, choice);
    return padded == lanes ? result : builder.CreateShuffleVector(result, consecutive(0, lanes));
  }
  Value *all = PoisonValue::get(a->getType());
  for (unsigned first = 0; first < padded; first += count) {
    SmallVector<int, 16> part = consecutive(first, count);
    Value *result = rangeOfRegister(builder, builder.CreateShuffleVector(a, part),
                                    builder.CreateShuffleVector(b, part), choice);
    SmallVector<int, 16> spread(padded, PoisonMaskElem), merged = consecutive(0, padded);
    for (unsigned i = 0; i < count; ++i) {
      spread[first + i] = int(i);
      merged[first + i] = int(padded + first + i);
    }
    all = builder.CreateShuffleVector(all, builder.CreateShuffleVector(result, spread), merged);
  }
  return padded == lanes ? all : builder.CreateShuffleVector(all, consecutive(0, lanes));
}

void orderZeros(IntrinsicInst &call) {
  IRBuilder<> builder(&call);
  Value *a = call.getArgOperand(0), *b = call.getArgOperand(1);
  unsigned choice = call.getIntrinsicID() == Intrinsic::minnum ? Minimum : Maximum;
  Value *result;
  if (call.getType()->isVectorTy()) {
    result = rangeOfVector(builder, a, b, choice);
  } else {
    auto *type = FixedVectorType::get(call.getType(), 128 / call.getType()->getScalarSizeInBits());
    auto inFirst = [&](Value *value) {
      return builder.CreateInsertElement(PoisonValue::get(type), value, uint64_t(0));
    };
    result = builder.CreateExtractElement(rangeOfRegister(builder, inFirst(a), inFirst(b), choice),
                                          uint64_t(0));
  }
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

} // namespace

PreservedAnalyses OrderZeros::run(Function &function, FunctionAnalysisManager &analyses) {
  TargetMachine &machine = analyses.getResult<simt::LaunchFactsAnalysis>(function).machine;
  if (!machine.getTargetTriple().isX86() ||
      !machine.getSubtargetImpl(function)->checkFeatures("+avx512dq,+avx512vl"))
    return PreservedAnalyses::all();
  bool isChanged = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (!call || !is_contained({Intrinsic::minnum, Intrinsic::maxnum}, call->getIntrinsicID()))
      continue;
    Type *element = call->getType()->getScalarType();
    if ((!element->isFloatTy() && !element->isDoubleTy()) || call->hasNoSignedZeros())
      continue;
    orderZeros(*call);
    isChanged = true;
  }
  return simt::changedInBlocks(isChanged);
}

} // namespace heddle::jit
