// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: scalarize_gathers.h.
//
// Lanes that lie close to each other, in a few registers' width of a variable of the program's, are
// loaded with all that is between them, and a shuffle picks them. Warps exchange values so whose
// lanes were not known before loops were unrolled (simt/widen/warp/warp_operations.cpp), as in
// products of matrices by warps.
//
// Rejected: the same for scatters, which gained nothing.
//
// Legality (scalarize-gathers):
//  1. Which lanes are active is known, and only those load. [known mask]
//  2. All lanes count from one base, by constants and by what is the same in all of them.
//     [distances]
//  3. What is read whole is a variable's, or the program's frame's: what lies between and beside
//     the lanes of any other memory may be out of its bounds. [window]
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
constexpr unsigned MostRegisters = 4;   ///< of what is read whole
constexpr unsigned LanesOfRegister = 2; ///< that a register of it serves at least, on average

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

/// A part of a variable, in registers' widths.
struct Window {
  int64_t begin, end; ///< bytes from the base
};

/// What holds all active lanes, if all of it may be read and it is small.
std::optional<Window> windowOf(const FixedAddresses &addresses, const Constant &mask, int64_t size,
                               int64_t registerSize, const DataLayout &layout) {
  int64_t lowest = INT64_MAX, highest = INT64_MIN, active = 0;
  for (auto [lane, offset] : enumerate(addresses.offsets))
    if (!mask.getAggregateElement(lane)->isNullValue()) {
      lowest = std::min(lowest, offset);
      highest = std::max(highest, offset);
      ++active;
    }
  if (active == 0 || registerSize < size || !addresses.moves.empty() ||
      highest - lowest >= MostRegisters * registerSize)
    return {};
  APInt place(layout.getIndexTypeSizeInBits(addresses.base->getType()), 0);
  const Value *variable =
      addresses.base->stripAndAccumulateConstantOffsets(layout, place, /*AllowNonInbounds=*/true);
  bool canBeNull = false, canBeFreed = false; // not before the gather, which reads from it
  int64_t bytes = variable->getPointerDereferenceableBytes(layout, canBeNull, canBeFreed);
  int64_t base = place.getSExtValue();
  if (canBeNull || base + lowest < 0)
    return {};
  Window window = {int64_t(alignDown(base + lowest, registerSize)) - base,
                   int64_t(alignTo(base + highest + size, registerSize)) - base};
  int64_t registers = (window.end - window.begin) / registerSize;
  bool isWhole = all_of(addresses.offsets,
                        [&](int64_t offset) { return (offset - window.begin) % size == 0; });
  if (base + window.end > bytes || registers > MostRegisters ||
      active < registers * LanesOfRegister || !isWhole)
    return {};
  return window;
}

Value *loadWindow(IRBuilder<> &builder, const IntrinsicInst &gather,
                  const FixedAddresses &addresses, Constant &mask, Window window) {
  Type *element = gather.getType()->getScalarType();
  int64_t size = gather.getDataLayout().getTypeAllocSize(element);
  auto *type = FixedVectorType::get(element, (window.end - window.begin) / size);
  Value *whole = builder.CreateAlignedLoad(
      type, builder.CreatePtrAdd(addresses.base, builder.getInt64(window.begin)),
      gather.getParamAlign(0).valueOrOne());
  SmallVector<int, 32> picks;
  for (auto [lane, offset] : enumerate(addresses.offsets))
    picks.push_back(mask.getAggregateElement(lane)->isNullValue() ? PoisonMaskElem
                                                                  : (offset - window.begin) / size);
  Value *result = builder.CreateShuffleVector(whole, picks);
  return mask.isAllOnesValue() ? result
                               : builder.CreateSelect(&mask, result, gather.getArgOperand(2));
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
  int64_t registerSize =
      target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue() / 8;
  bool isChanged = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *gather = dyn_cast<IntrinsicInst>(&instruction);
    if (!gather || gather->getIntrinsicID() != Intrinsic::masked_gather)
      continue;
    auto *type = dyn_cast<FixedVectorType>(gather->getType());
    auto *mask = dyn_cast<Constant>(gather->getArgOperand(1));
    if (!type || !mask || type->getNumElements() > MostLanes ||
        !isKnown(*mask, type->getNumElements()))
      continue;
    std::optional<FixedAddresses> addresses = fixedAddresses(gather->getArgOperand(0), layout);
    if (!addresses)
      continue;
    Type *element = type->getElementType();
    std::optional<Window> window =
        layout.getTypeAllocSizeInBits(element) == layout.getTypeSizeInBits(element)
            ? windowOf(*addresses, *mask, layout.getTypeAllocSize(element), registerSize, layout)
            : std::nullopt; // elements of a vector lie elsewhere than those of an array
    bool isFast =
        !isSlow && target.isLegalMaskedGather(type, gather->getParamAlign(0).valueOrOne());
    if (!window && isFast)
      continue;
    IRBuilder<> builder(gather);
    gather->replaceAllUsesWith(window ? loadWindow(builder, *gather, *addresses, *mask, *window)
                                      : loadInTurn(builder, *gather, *addresses, *mask));
    gather->eraseFromParent();
    isChanged = true;
  }
  return simt::changedInBlocks(isChanged);
}

} // namespace heddle::jit
