// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block of 16x16 threads, 256 lanes, computes what its rows have in common as one vector with an
// element for each row (shapes.h), and needs each element in a register of its own then:
//
//     %scale = fmul <16 x float> %a, %alpha          store <16 x float> %scale, ptr %slot
//     %row.1 = shufflevector %scale, <1, 1, 1 ...>   ->   %1 = load float, ptr %slot + 4
//     %row.2 = shufflevector %scale, <2, 2, 2 ...>        %row.1 = splat %1;  ...
//
// An element comes from one half of a wide register to all lanes by a permutation, of which x86 has
// one a cycle, at a port that also multiplies, with a constant for its indices. Loads that
// broadcast have ports of their own, and are operands of arithmetic instructions (with AVX-512).
// The store is forwarded to them.
//
// Legality (spread-elements): none: the slot is the function's own.
#include "jit/vector/spread_elements.h"

#include "simt/simt.h"
#include "simt/vector/lane_origins.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::jit {

namespace {

constexpr unsigned FewestElements = 4; ///< of a vector, that are worth the way through memory
/// Registers of machines whose arithmetic takes operands that are broadcast from memory.
constexpr unsigned OperandBits = 512;
constexpr unsigned MostSlots = 128;    ///< of a function, some 8 KB of its stack

/// A shuffle that gives one element of another vector in all lanes.
struct Spread {
  ShuffleVectorInst *shuffle;
  unsigned element;
};

bool isWide(const ShuffleVectorInst &shuffle) {
  unsigned bits = shuffle.getType()->getScalarSizeInBits();
  return (bits == 32 || bits == 64) &&
         shuffle.getType()->getPrimitiveSizeInBits() >= OperandBits &&
         !shuffle.isZeroEltSplat() && getSplatIndex(shuffle.getShuffleMask()) >= 0;
}

using Spreads = MapVector<Instruction *, SmallVector<Spread, 16>>;

/// By the vector that the elements are of.
Spreads findSpreads(Function &function) {
  simt::LaneOrigins origins(function);
  Spreads found;
  for (Instruction &instruction : instructions(function)) {
    auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction);
    if (!shuffle || !isWide(*shuffle))
      continue;
    simt::Lane from = origins.of(shuffle).front();
    auto *vector = dyn_cast_or_null<Instruction>(from.value);
    if (vector && simt::lanesOf(vector->getType()) > 1)
      found[vector].push_back({shuffle, from.number});
  }
  found.remove_if([](const auto &each) {
    SmallDenseSet<unsigned, 16> elements;
    for (const Spread &spread : each.second)
      elements.insert(spread.element);
    return elements.size() < FewestElements;
  });
  return found;
}

void goThroughMemory(Instruction &vector, ArrayRef<Spread> spreads) {
  Type *element = vector.getType()->getScalarType();
  IRBuilder<> builder(&*vector.getFunction()->getEntryBlock().getFirstInsertionPt());
  AllocaInst *slot = builder.CreateAlloca(vector.getType());
  builder.SetInsertPoint(*vector.getInsertionPointAfterDef());
  builder.CreateStore(&vector, slot);
  for (const Spread &spread : spreads) {
    builder.SetInsertPoint(spread.shuffle);
    Value *scalar = builder.CreateLoad(
        element, builder.CreateConstInBoundsGEP1_32(element, slot, spread.element));
    unsigned lanes = simt::lanesOf(spread.shuffle->getType());
    spread.shuffle->replaceAllUsesWith(builder.CreateVectorSplat(lanes, scalar));
    spread.shuffle->eraseFromParent();
  }
}

} // namespace

PreservedAnalyses SpreadElements::run(Function &function, FunctionAnalysisManager &analyses) {
  if (simt::vectorRegisters(analyses.getResult<TargetIRAnalysis>(function)).bits < OperandBits)
    return PreservedAnalyses::all();
  Spreads found = findSpreads(function);
  unsigned slots = 0;
  for (auto &[vector, spreads] : found)
    if (vector->getInsertionPointAfterDef() && slots++ < MostSlots)
      goThroughMemory(*vector, spreads);
  return simt::changedInBlocks(slots > 0);
}

} // namespace heddle::jit
