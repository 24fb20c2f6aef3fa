// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: scalarize_gathers.h.
//
// Rejected: the same for scatters, which gained nothing.
//
// Legality (scalarize-gathers):
//  1. Which lanes are active is known, and only those load. [known mask]
//  2. All lanes count from one base, by constants and by what is the same in all of them.
//     [distances]
#include "jit/memory/scalarize_gathers.h"

#include "simt/analysis/launch_facts.h"
#include "simt/vector/word_places.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include <optional>

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr unsigned MostLanes = 64; ///< of longer ones the loads are more than the rest of a kernel

/// base + the sum of scale * index for all lanes, + offset[lane].
struct FixedAddresses {
  Value *base = nullptr;
  SmallVector<std::pair<Value *, uint64_t>, 4> moves; ///< index and scale, bytes
  SmallVector<int64_t, 32> offsets;                   ///< bytes
};

/// Adds one index of a GEP; false if lanes differ by what is not known here.
bool addIndex(FixedAddresses &addresses, Value *index, uint64_t scale) {
  if (!index->getType()->isVectorTy()) {
    addresses.moves.push_back({index, scale});
    return true;
  }
  if (Value *one = getSplatValue(index)) {
    addresses.moves.push_back({one, scale});
    return true;
  }
  auto *constant = dyn_cast<Constant>(index);
  if (!constant)
    return false;
  for (auto [lane, offset] : enumerate(addresses.offsets)) {
    auto *number = dyn_cast_or_null<ConstantInt>(constant->getAggregateElement(lane));
    if (!number)
      return false;
    offset += number->getSExtValue() * int64_t(scale);
  }
  return true;
}

std::optional<FixedAddresses> fixedAddresses(Value *vector, const DataLayout &layout) {
  FixedAddresses addresses;
  addresses.offsets.resize(cast<FixedVectorType>(vector->getType())->getNumElements());
  while (auto *gep = dyn_cast<GetElementPtrInst>(vector)) {
    Type *element = gep->getSourceElementType();
    bool isArray = gep->getNumIndices() == 1 && !element->isVectorTy();
    if (!isArray || !addIndex(addresses, gep->getOperand(1), layout.getTypeAllocSize(element)))
      return {};
    vector = gep->getPointerOperand();
    if (!vector->getType()->isVectorTy()) {
      addresses.base = vector;
      return addresses;
    }
  }
  addresses.base = getSplatValue(vector);
  return addresses.base ? std::optional(addresses) : std::nullopt;
}

Value *loadInTurn(IRBuilder<> &builder, const IntrinsicInst &gather,
                  const FixedAddresses &addresses, const Constant &mask) {
  Value *base = addresses.base;
  for (auto [index, scale] : addresses.moves) {
    Value *bytes = builder.CreateMul(builder.CreateSExtOrTrunc(index, builder.getInt64Ty()),
                                     builder.getInt64(scale));
    base = builder.CreatePtrAdd(base, bytes);
  }
  Type *element = gather.getType()->getScalarType();
  Align align = gather.getParamAlign(0).valueOrOne();
  Value *result = gather.getArgOperand(2);
  for (auto [lane, offset] : enumerate(addresses.offsets)) {
    if (mask.getAggregateElement(lane)->isNullValue())
      continue;
    Value *address = builder.CreatePtrAdd(base, builder.getInt64(offset));
    result = builder.CreateInsertElement(result, builder.CreateAlignedLoad(element, address, align),
                                         uint64_t(lane));
  }
  return result;
}

bool isKnown(const Constant &mask, unsigned lanes) {
  return all_of(seq(lanes), [&](unsigned i) {
    return isa_and_nonnull<ConstantInt>(mask.getAggregateElement(i));
  });
}

} // namespace

PreservedAnalyses ScalarizeGathers::run(Function &function, FunctionAnalysisManager &analyses) {
  const DataLayout &layout = function.getDataLayout();
  const TargetTransformInfo &target = analyses.getResult<TargetIRAnalysis>(function);
  bool isSlow =
      simt::hasSlowGathers(analyses.getResult<simt::LaunchFactsAnalysis>(function).machine);
  bool isChanged = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *gather = dyn_cast<IntrinsicInst>(&instruction);
    if (!gather || gather->getIntrinsicID() != Intrinsic::masked_gather)
      continue;
    auto *type = dyn_cast<FixedVectorType>(gather->getType());
    auto *mask = dyn_cast<Constant>(gather->getArgOperand(1));
    if (!type || !mask || type->getNumElements() > MostLanes ||
        !isKnown(*mask, type->getNumElements()) ||
        !(isSlow || !target.isLegalMaskedGather(type, gather->getParamAlign(0).valueOrOne())))
      continue;
    std::optional<FixedAddresses> addresses = fixedAddresses(gather->getArgOperand(0), layout);
    if (!addresses)
      continue;
    IRBuilder<> builder(gather);
    gather->replaceAllUsesWith(loadInTurn(builder, *gather, *addresses, *mask));
    gather->eraseFromParent();
    isChanged = true;
  }
  return simt::changedInBlocks(isChanged);
}

} // namespace heddle::jit
