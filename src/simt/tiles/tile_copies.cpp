// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/tiles/tile_copies.h"

#include "simt/analysis/memory_space.h"
#include "simt/analysis/recompute.h"
#include "simt/lower/lower_device.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
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

/// The first round's address can be made in front of the loop, which may be left before a load in
/// it.
bool TileCopies::isFirstKnown(Value &value) const {
  return canRecompute(value, [&](Value &input) {
    auto *phi = dyn_cast<PHINode>(&input);
    return tiles_.loop->isLoopInvariant(&input) || block_.tables.of(&input) ||
           (phi && phi->getParent() == tiles_.loop->getHeader());
  });
}

/// How many bytes an address moves from a round of the loop over tiles to the next. Nothing if that
/// is no constant.
std::optional<int64_t> TileCopies::stepOf(Value &address) {
  if (!isFirstKnown(address))
    return std::nullopt;
  ScalarEvolution &evolution = recurrences_.evolution;
  const SCEV *walk = evolution.getSCEV(&address);
  if (evolution.isLoopInvariant(walk, tiles_.loop))
    return 0;
  auto *counted = dyn_cast<SCEVAddRecExpr>(walk);
  auto *step = counted && counted->isAffine() && counted->getLoop() == tiles_.loop
                   ? dyn_cast<SCEVConstant>(counted->getStepRecurrence(evolution))
                   : nullptr;
  return step ? std::optional(step->getAPInt().getSExtValue()) : std::nullopt;
}

/// Each place has one writer.
bool TileCopies::findWriters() {
  const DataLayout &layout = thread_.getDataLayout();
  size_ = layout.getTypeStoreSize(copies[0].store->getValueOperand()->getType());
  for (const TileCopy &copy : copies) {
    if (int64_t(layout.getTypeStoreSize(copy.store->getValueOperand()->getType())) != size_ ||
        copy.place.common != copies[0].place.common)
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
  for (auto &[product, factor] : copies[0].place.common)
    common[product] -= factor;
  int64_t step = 0;
  for (auto &[product, factor] : common)
    if (factor != 0)
      if (step = factor;
          read.variable || product.size() != 1 || !findVariable(read, *product.front()))
        return false;
  read.copier.reserve(read.rounds * block_.tables.threads());
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

/// The variable of a loop within the loop over tiles: 0, 1, 2 and so on. It may be extended: see
/// the end.
bool TileCopies::findVariable(TileRead &read, Value &value) {
  auto *extension = isa<SExtInst, ZExtInst>(value) ? cast<CastInst>(&value) : nullptr;
  auto *phi = dyn_cast<PHINode>(extension ? extension->getOperand(0) : &value);
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
  return read.rounds != 0 && size_t(read.rounds) * block_.tables.threads() <= LongestTable &&
         !first->getAPInt().isNegative() &&
         (first->getAPInt().zext(64) + (read.rounds - 1))
             .ule(APInt::getSignedMaxValue(phi->getType()->getIntegerBitWidth()).zext(64));
}

std::optional<TilePlace> TileCopies::placeOf(Value &pointer) {
  std::optional<ThreadSum> sum = block_.sums.modular(pointer);
  if (!sum || sum->products.erase({thread_.getArg(ParamShared)}) == 0)
    return std::nullopt;
  TilePlace place{ThreadTable(block_.tables.threads(), 0), {}};
  for (auto &[product, numbers] : sum->products) {
    if (product.empty()) {
      place.bytes = numbers;
      continue;
    }
    if (!all_equal(numbers) ||
        !all_of(product, [&](const Value *factor) { return block_.isCommon(*factor); }))
      return std::nullopt;
    place.common[product] = numbers.front();
  }
  return place;
}

} // namespace heddle::simt
