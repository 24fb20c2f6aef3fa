// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/cut_shuffles.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::jit {

namespace {

constexpr unsigned MostSources = 2; ///< registers that one register of the result is made of

class Cutter {
public:
  Cutter(ShuffleVectorInst &shuffle, unsigned lanes)
      : shuffle_(shuffle), builder_(&shuffle), lanes_(lanes) {}

  /// False if the shuffle is one that needs no cutting, or would not gain by it.
  bool run() {
    ArrayRef<int> mask = shuffle_.getShuffleMask();
    unsigned count = mask.size();
    unsigned sources = cast<FixedVectorType>(shuffle_.getOperand(0)->getType())->getNumElements();
    if (sources % lanes_ != 0 || count % lanes_ != 0)
      return false;
    for (unsigned first = 0; first < count; first += lanes_)
      if (sourcesOf(mask.slice(first, lanes_)).size() > MostSources)
        return false;
    SmallVector<Value *, 32> pieces;
    for (unsigned first = 0; first < count; first += lanes_)
      pieces.push_back(piece(mask.slice(first, lanes_)));
    shuffle_.replaceAllUsesWith(concatenateVectors(builder_, pieces));
    shuffle_.eraseFromParent();
    return true;
  }

private:
  /// The registers of both operands, by number, that these lanes come from.
  SmallVector<int, 4> sourcesOf(ArrayRef<int> picks) const {
    SmallVector<int, 4> sources;
    for (int pick : picks)
      if (pick >= 0 && !is_contained(sources, pick / int(lanes_)))
        sources.push_back(pick / int(lanes_));
    return sources;
  }

  Value *source(int number) {
    Value *&value = sources_[number];
    if (value)
      return value;
    unsigned perOperand =
        cast<FixedVectorType>(shuffle_.getOperand(0)->getType())->getNumElements() / lanes_;
    Value *operand = shuffle_.getOperand(number / perOperand);
    if (perOperand == 1)
      return value = operand;
    return value = builder_.CreateShuffleVector(
               operand, createSequentialMask(number % perOperand * lanes_, lanes_, 0));
  }

  Value *piece(ArrayRef<int> picks) {
    SmallVector<int, 4> sources = sourcesOf(picks);
    Type *element = cast<FixedVectorType>(shuffle_.getType())->getElementType();
    if (sources.empty())
      return PoisonValue::get(FixedVectorType::get(element, lanes_));
    // The first source's lanes, then those of each further one put among them.
    Value *result = nullptr;
    for (auto [i, number] : enumerate(sources)) {
      if (i == 0 && sources.size() > 1)
        continue; // together with the second
      SmallVector<int, 64> choice;
      for (unsigned lane = 0; lane < lanes_; ++lane) {
        int pick = picks[lane], from = pick < 0 ? -1 : pick / int(lanes_);
        int inside = pick < 0 ? PoisonMaskElem : pick % int(lanes_);
        if (sources.size() == 1 || (i == 1 && from == sources[0]))
          choice.push_back(inside);
        else if (from == number)
          choice.push_back(lanes_ + inside);
        else
          choice.push_back(i > 1 ? int(lane) : PoisonMaskElem);
      }
      if (sources.size() == 1)
        result = isIdentity(choice) ? source(number)
                                    : builder_.CreateShuffleVector(source(number), choice);
      else
        result = builder_.CreateShuffleVector(i == 1 ? source(sources[0]) : result, source(number),
                                              choice);
    }
    return result;
  }

  static bool isIdentity(ArrayRef<int> choice) {
    return all_of(enumerate(choice), [](auto lane) { return lane.value() == int(lane.index()); });
  }

  ShuffleVectorInst &shuffle_;
  IRBuilder<> builder_;
  unsigned lanes_; ///< of a register
  DenseMap<int, Value *> sources_;
};

/// A part of a register's alignment, parts put together, one lane everywhere: what the back end
/// takes as it is.
bool isPlain(const ShuffleVectorInst &shuffle, unsigned lanes) {
  int index = 0;
  if (shuffle.isExtractSubvectorMask(index) && index % lanes == 0)
    return true;
  return shuffle.isConcat() || shuffle.isZeroEltSplat();
}

} // namespace

void cutShuffles(Module &module, TargetMachine &machine) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    TargetTransformInfo info = machine.getTargetTransformInfo(function);
    unsigned bits =
        info.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
    SmallVector<ShuffleVectorInst *, 32> wide;
    for (Instruction &instruction : instructions(function))
      if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction)) {
        auto *type = cast<FixedVectorType>(shuffle->getType());
        unsigned size = type->getScalarSizeInBits();
        unsigned lanes = size < 8 ? 0 : bits / size;
        if (lanes > 1 && type->getNumElements() > lanes && isPowerOf2_32(type->getNumElements()) &&
            !isPlain(*shuffle, lanes))
          wide.push_back(shuffle);
      }
    for (ShuffleVectorInst *shuffle : wide)
      Cutter(*shuffle, bits / shuffle->getType()->getScalarSizeInBits()).run();
  }
}

} // namespace heddle::jit
