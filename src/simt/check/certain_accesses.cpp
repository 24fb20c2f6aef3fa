// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/check/certain_accesses.h"

#include "frontend/variable_note.h"
#include "simt/simt.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using heddle::frontend::VariableNote;

namespace heddle::simt {

namespace {

constexpr unsigned Depth = 8;         ///< of computations looked at
constexpr uint64_t LeastAligned = 16; ///< where shared memory, variables and parameters begin

unsigned dimensionOf(const Value *value) { return threadDimension(value).value_or(3); }

/// The values of a number over all threads.
ConstantRange rangeOf(Value *value, const Options &options, ScalarEvolution &scev,
                      unsigned depth = Depth) {
  unsigned width = value->getType()->getIntegerBitWidth(), dimension = dimensionOf(value);
  if (dimension < 3)
    return {APInt(width, 0), APInt(width, options.blockDim[dimension])};
  if (depth)
    if (auto *cast = dyn_cast<CastInst>(value);
        cast && cast->getSrcTy()->isIntegerTy() && !isa<BitCastInst>(cast))
      return rangeOf(cast->getOperand(0), options, scev, depth - 1)
          .castOp(cast->getOpcode(), width);
  if (depth)
    if (auto *binary = dyn_cast<BinaryOperator>(value))
      return rangeOf(binary->getOperand(0), options, scev, depth - 1)
          .binaryOp(binary->getOpcode(), rangeOf(binary->getOperand(1), options, scev, depth - 1))
          .intersectWith(computeConstantRange(value, /*ForSigned=*/false));
  ConstantRange range = computeConstantRange(value, /*ForSigned=*/false);
  if (isa<PHINode>(value)) // of a loop
    return range.intersectWith(scev.getUnsignedRange(scev.getSCEV(value)));
  return range;
}

} // namespace

bool isSurelyInside(const Value *pointer, uint64_t bytes, uint64_t align, const Options &options,
                    ScalarEvolution &scev, const DataLayout &layout) {
  ConstantRange offset(APInt(64, 0));
  APInt before(64, 0); // of the variable, in the memory that it lies in
  uint64_t most = LeastAligned, size = 0;
  for (;;) {
    while (const auto *cast = dyn_cast<AddrSpaceCastInst>(pointer))
      pointer = cast->getPointerOperand();
    const auto *place = dyn_cast<GetElementPtrInst>(pointer);
    if (const auto *local = dyn_cast<AllocaInst>(pointer)) {
      std::optional<TypeSize> known = local->getAllocationSize(layout);
      size = known ? known->getFixedValue() : 0;
      most = local->getAlign().value();
      break;
    }
    if (!place)
      return false;
    std::optional<VariableNote> variable = VariableNote::get(*place);
    SmallMapVector<Value *, APInt, 4> terms;
    APInt constant(64, 0);
    if (!place->collectOffset(layout, 64, terms, constant))
      return false;
    if (variable) {
      if (!terms.empty() || variable->isDynamic)
        return false;
      place->stripAndAccumulateConstantOffsets(layout, before, /*AllowNonInbounds=*/true);
      size = variable->bytes;
      break;
    }
    offset = offset.add(ConstantRange(constant));
    for (auto &[index, scale] : terms) {
      if (scale.countr_zero() < Log2_64(align) || !index->getType()->isIntegerTy())
        return false;
      ConstantRange range = rangeOf(index, options, scev).sextOrTrunc(64);
      if (range.isFullSet() || !range.getSignedMin().isSignedIntN(40) ||
          !range.getSignedMax().isSignedIntN(40))
        return false;
      offset = offset.add(range.multiply(ConstantRange(scale)));
    }
    if (constant.urem(align))
      return false;
    pointer = place->getPointerOperand();
  }
  if (align > most || before.urem(align) || size < bytes)
    return false;
  return offset.getSignedMin().isNonNegative() && offset.getSignedMax().ule(size - bytes);
}

} // namespace heddle::simt
