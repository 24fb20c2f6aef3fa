// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/tile_copies.h"

#include "simt/lower_device.h"
#include "simt/memory_space.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr size_t LongestTable = 1 << 18; ///< threads times rounds of an inner loop

/// Of a phi whose other values nobody sees (unused_inputs.h) the one that is.
Value *onlyValue(Value *value) {
  auto *phi = dyn_cast<PHINode>(value);
  if (!phi)
    return value;
  Value *only = nullptr;
  for (Value *incoming : phi->incoming_values()) {
    if (isa<UndefValue>(incoming))
      continue;
    if (only)
      return nullptr;
    only = incoming;
  }
  return only;
}

} // namespace

bool TileCopies::findCopies() {
  for (Instruction *access : tiles_.accesses) {
    auto *store = dyn_cast<StoreInst>(access);
    if (!store)
      continue;
    std::optional<TilePlace> place = placeOf(*store->getPointerOperand());
    if (!place || !facts_.dominators.dominates(store, tiles_.filled))
      return false;
    TileCopy copy;
    copy.store = store;
    copy.place = std::move(*place);
    findSource(copy);
    copies.push_back(std::move(copy));
  }
  return !copies.empty() && findWriters();
}

bool TileCopies::isReadable(const LoadInst &load) const {
  const DataLayout &layout = thread_.getDataLayout();
  return load.isSimple() && isGivenMemory(load.getPointerOperand()) &&
         layout.getTypeStoreSize(load.getType()) == layout.getTypeAllocSize(load.getType());
}

void TileCopies::setAddress(TileCopy &copy, LoadInst &load) {
  const DataLayout &layout = thread_.getDataLayout();
  APInt offset(64, 0);
  copy.load = &load;
  copy.align = load.getAlign();
  copy.base = load.getPointerOperand()->stripAndAccumulateConstantOffsets(
      layout, offset, /*AllowNonInbounds=*/true);
  copy.offset = offset.getSExtValue();
}

/// Loaded in this round, or in the round before while the last tile was used.
void TileCopies::findSource(TileCopy &copy) {
  Value *value = copy.store->getValueOperand();
  if (auto *load = dyn_cast<LoadInst>(value)) {
    if (!tiles_.contains(*load) || facts_.loops.getLoopFor(load->getParent()) != tiles_.loop ||
        !isReadable(*load))
      return;
    setAddress(copy, *load);
    copy.step = stepOf(*copy.base);
    return;
  }
  auto *phi = dyn_cast<PHINode>(value);
  if (!phi || phi->getParent() != tiles_.loop->getHeader())
    return;
  auto *first = dyn_cast<LoadInst>(phi->getIncomingValueForBlock(tiles_.loop->getLoopPreheader()));
  auto *next = dyn_cast_or_null<LoadInst>(
      onlyValue(phi->getIncomingValueForBlock(tiles_.loop->getLoopLatch())));
  if (!first || !next || tiles_.contains(*first) || !tiles_.contains(*next) ||
      !isReadable(*first) || !isReadable(*next))
    return;
  std::optional<int64_t> step = stepAhead(*first, *next);
  if (!step || *step == 0)
    return;
  setAddress(copy, *first);
  copy.align = std::min(first->getAlign(), next->getAlign());
  copy.ahead = true;
  copy.step = step;
}

/// `next` reads in each round what lies a step behind what was read for it, starting with `first`.
std::optional<int64_t> TileCopies::stepAhead(LoadInst &first, LoadInst &next) {
  ScalarEvolution &evolution = recurrences_.evolution;
  const SCEV *from = evolution.getSCEV(first.getPointerOperand()),
             *to = evolution.getSCEV(next.getPointerOperand());
  auto *distance = dyn_cast<SCEVAddRecExpr>(evolution.getMinusSCEV(to, from));
  if (!distance || !distance->isAffine() || distance->getLoop() != tiles_.loop)
    return std::nullopt;
  auto *step = dyn_cast<SCEVConstant>(distance->getStepRecurrence(evolution));
  return step && step == distance->getStart() ? std::optional(step->getAPInt().getSExtValue())
                                              : std::nullopt;
}

/// Of a counter of the loop over tiles.
std::optional<int64_t> TileCopies::countedStep(Instruction &value) {
  ScalarEvolution &evolution = recurrences_.evolution;
  auto *counted = value.getType()->isIntegerTy()
                      ? dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&value))
                      : nullptr;
  auto *step = counted && counted->isAffine() && counted->getLoop() == tiles_.loop
                   ? dyn_cast<SCEVConstant>(counted->getStepRecurrence(evolution))
                   : nullptr;
  return step ? std::optional(step->getAPInt().getSExtValue()) : std::nullopt;
}

/// How far a value of n bits moves from a round of the loop over tiles to the next, modulo 2^n.
/// Nothing if that is no constant.
std::optional<int64_t> TileCopies::stepOf(Value &value) {
  Loop &loop = *tiles_.loop;
  if (loop.isLoopInvariant(&value))
    return 0;
  auto *instruction = cast<Instruction>(&value);
  if (isa<PHINode>(instruction))
    return instruction->getParent() == loop.getHeader() ? countedStep(*instruction) : std::nullopt;
  if (instruction->getType()->isIntegerTy() && tables_.of(instruction))
    return 0;
  // The first round's address is made in front of the loop, which may be left before a load in it.
  if (instruction->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(instruction))
    return std::nullopt;
  SmallVector<int64_t, 3> steps;
  for (Value *operand : instruction->operands()) {
    std::optional<int64_t> step = stepOf(*operand);
    if (!step)
      return std::nullopt;
    steps.push_back(*step);
  }
  if (auto *address = dyn_cast<GetElementPtrInst>(instruction))
    return address->getNumIndices() == 1
               ? std::optional(steps[0] +
                               steps[1] * int64_t(thread_.getDataLayout().getTypeAllocSize(
                                              address->getSourceElementType())))
               : std::nullopt;
  auto *binary = dyn_cast<BinaryOperator>(instruction);
  bool isPlain = all_of(steps, [](int64_t step) { return step == 0; });
  if (!binary && isPlain)
    return steps.empty() ? std::nullopt : std::optional<int64_t>(0);
  if (!binary) // the extension of a counter that does not wrap around
    return isa<SExtInst, ZExtInst>(instruction) ? countedStep(*instruction) : std::nullopt;
  auto *either = dyn_cast<PossiblyDisjointInst>(binary);
  if (binary->getOpcode() == Instruction::Add || (either && either->isDisjoint()))
    return steps[0] + steps[1];
  if (binary->getOpcode() == Instruction::Sub)
    return steps[0] - steps[1];
  auto *factor = dyn_cast<ConstantInt>(binary->getOperand(1));
  bool isSmall = factor && factor->getValue().abs().ult(1 << 20);
  if (binary->getOpcode() == Instruction::Mul && isSmall)
    return steps[0] * factor->getSExtValue();
  if (binary->getOpcode() == Instruction::Shl && isSmall && factor->getZExtValue() < 20)
    return steps[0] << factor->getZExtValue();
  return isPlain ? std::optional<int64_t>(0) : std::nullopt;
}

/// Each place has one writer.
bool TileCopies::findWriters() {
  const DataLayout &layout = thread_.getDataLayout();
  size_ = layout.getTypeStoreSize(copies[0].store->getValueOperand()->getType());
  for (const TileCopy &copy : copies) {
    if (int64_t(layout.getTypeStoreSize(copy.store->getValueOperand()->getType())) != size_ ||
        copy.place.common.getArrayRef() != copies[0].place.common.getArrayRef())
      return false;
    for (auto [thread, place] : enumerate(copy.place.bytes))
      if (place % size_ != 0 || !writers_.try_emplace(place, &copy, unsigned(thread)).second)
        return false;
  }
  return true;
}

bool TileCopies::findReads() {
  SmallVector<LoadInst *, 64> loads; // in the order in which they run
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&thread_))
    for (Instruction &instruction : *block)
      if (auto *load = dyn_cast<LoadInst>(&instruction);
          load && is_contained(tiles_.accesses, load))
        loads.push_back(load);
  for (LoadInst *load : loads) {
    std::optional<TilePlace> place = placeOf(*load->getPointerOperand());
    if (!place || int64_t(thread_.getDataLayout().getTypeStoreSize(load->getType())) != size_ ||
        !facts_.dominators.dominates(tiles_.filled, load) ||
        (tiles_.read && facts_.dominators.dominates(tiles_.read, load)))
      return false;
    TileRead read;
    read.load = load;
    if (!findCopiers(read, *place))
      return false;
    reads.push_back(std::move(read));
  }
  return !reads.empty();
}

bool TileCopies::findCopiers(TileRead &read, const TilePlace &place) {
  auto common = place.common;
  for (auto [value, factor] : copies[0].place.common)
    common[value] -= factor;
  int64_t step = 0;
  for (auto [value, factor] : common)
    if (factor != 0)
      if (read.variable || !findVariable(read, *value, step = factor))
        return false;
  read.copier.reserve(read.rounds * tables_.threads());
  for (unsigned round = 0; round < read.rounds; ++round)
    for (int64_t bytes : place.bytes) {
      auto writer = writers_.find(bytes + step * (read.first + round));
      if (writer == writers_.end() || (read.copy && read.copy != writer->second.first))
        return false;
      read.copy = writer->second.first;
      read.copier.push_back(writer->second.second);
    }
  return true;
}

/// The variable of a loop within the loop over tiles: 0, 1, 2 and so on.
bool TileCopies::findVariable(TileRead &read, Value &value, int64_t factor) {
  auto *phi = dyn_cast<PHINode>(&value);
  Loop *inner = phi ? facts_.loops.getLoopFor(phi->getParent()) : nullptr;
  if (!inner || inner == tiles_.loop || !tiles_.loop->contains(inner) ||
      phi->getParent() != inner->getHeader() || !inner->contains(read.load))
    return false;
  ScalarEvolution &evolution = recurrences_.evolution;
  auto *counted = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(phi));
  auto *first = counted ? dyn_cast<SCEVConstant>(counted->getStart()) : nullptr;
  if (!first || !counted->isAffine() || !counted->getStepRecurrence(evolution)->isOne())
    return false;
  read.variable = phi;
  read.before = inner->getLoopPreheader();
  read.first = first->getAPInt().getSExtValue();
  read.rounds = evolution.getSmallConstantMaxTripCount(inner);
  // However it is extended, it is the same number as long as it does not reach its sign.
  return read.rounds != 0 && size_t(read.rounds) * tables_.threads() <= LongestTable &&
         !first->getAPInt().isNegative() &&
         (first->getAPInt().zext(64) + (read.rounds - 1))
             .ule(APInt::getSignedMaxValue(phi->getType()->getIntegerBitWidth()).zext(64));
}

std::optional<TilePlace> TileCopies::placeOf(Value &pointer) {
  if (&pointer == thread_.getArg(ParamShared))
    return TilePlace{ThreadTable(tables_.threads(), 0), {}};
  if (auto *cast = dyn_cast<AddrSpaceCastInst>(&pointer))
    return placeOf(*cast->getPointerOperand());
  auto *address = dyn_cast<GetElementPtrInst>(&pointer);
  std::optional<TilePlace> place = address ? placeOf(*address->getPointerOperand()) : std::nullopt;
  SmallMapVector<Value *, APInt, 4> indices;
  APInt constant(64, 0);
  if (!place || !address->collectOffset(thread_.getDataLayout(), 64, indices, constant))
    return std::nullopt;
  for (int64_t &bytes : place->bytes)
    bytes += constant.getSExtValue();
  for (auto &[index, scale] : indices)
    if (!addTerm(*index, scale.getSExtValue(), /*isSigned=*/true, /*isUnsigned=*/true, *place))
      return std::nullopt;
  return place;
}

/// Adds factor * value to the place. The value is to be extended to 64 bits as a signed or an
/// unsigned number; what both hold of it is one.
bool TileCopies::addTerm(Value &value, int64_t factor, bool isSigned, bool isUnsigned,
                         TilePlace &place) {
  unsigned bits = value.getType()->getIntegerBitWidth();
  if (const ThreadTable *table = tables_.of(&value)) {
    for (auto [bytes, number] : zip(place.bytes, *table)) {
      if (!isSigned && number < 0 && bits < 64)
        return false;
      bytes += factor * number;
    }
    return true;
  }
  if (auto *extension = dyn_cast<ZExtInst>(&value); extension && bits == 64)
    return addTerm(*extension->getOperand(0), factor, extension->hasNonNeg(), true, place);
  if (auto *extension = dyn_cast<SExtInst>(&value); extension && bits == 64)
    return addTerm(*extension->getOperand(0), factor, true, false, place);
  auto *binary = dyn_cast<BinaryOperator>(&value);
  auto *wraps = dyn_cast_or_null<OverflowingBinaryOperator>(binary);
  bool isWhole = binary && (bits == 64 || (wraps && ((isSigned && wraps->hasNoSignedWrap()) ||
                                                     (isUnsigned && wraps->hasNoUnsignedWrap()))));
  if (wraps && bits < 64) {
    isSigned &= wraps->hasNoSignedWrap();
    isUnsigned &= wraps->hasNoUnsignedWrap();
  }
  auto *either = dyn_cast_or_null<PossiblyDisjointInst>(binary);
  if ((isWhole && binary->getOpcode() == Instruction::Add) || (either && either->isDisjoint()))
    return addTerm(*binary->getOperand(0), factor, isSigned, isUnsigned, place) &&
           addTerm(*binary->getOperand(1), factor, isSigned, isUnsigned, place);
  auto *constant = isWhole ? dyn_cast<ConstantInt>(binary->getOperand(1)) : nullptr;
  if (constant && binary->getOpcode() == Instruction::Mul)
    return addTerm(*binary->getOperand(0), factor * constant->getSExtValue(), isSigned, isUnsigned,
                   place);
  if (constant && binary->getOpcode() == Instruction::Shl && constant->getValue().ult(32))
    return addTerm(*binary->getOperand(0), factor << constant->getZExtValue(), isSigned, isUnsigned,
                   place);
  // How it is extended does not matter if it is the same value at the store and the load, or if it
  // counts up from 0.
  if (!shapes_.isUniform(&value))
    return false;
  place.common[&value] += factor;
  return true;
}

} // namespace heddle::simt
