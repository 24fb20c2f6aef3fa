// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/vector/shuffle_legalizer.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/VectorUtils.h"

using namespace llvm;

namespace heddle::jit {

constexpr unsigned MostMixed = 2;    ///< registers that one is made of, whose lanes lie anyhow
constexpr unsigned MostBlended = 16; ///< whose lanes lie apart, of at least so many bits
constexpr unsigned BlendedBits = 32;

Value *ShuffleLegalizer::run() {
  ArrayRef<int> mask = shuffle_.getShuffleMask();
  unsigned count = mask.size();
  unsigned sources = cast<FixedVectorType>(shuffle_.getOperand(0)->getType())->getNumElements();
  if (sources % lanes_ != 0 || count % lanes_ != 0)
    return nullptr;
  bool blends = shuffle_.getType()->getScalarSizeInBits() >= BlendedBits;
  for (unsigned first = 0; first < count; first += lanes_) {
    ArrayRef<int> picks = mask.slice(first, lanes_);
    if (sourcesOf(picks).size() > (blends && lieApart(picks) ? MostBlended : MostMixed))
      return nullptr;
  }
  findCommonOrders(mask);
  SmallVector<Value *, 8> pieces;
  for (unsigned first = 0; first < count; first += lanes_)
    pieces.push_back(piece(mask.slice(first, lanes_)));
  Value *whole = concatenateVectors(builder_, pieces);
  shuffle_.replaceAllUsesWith(whole);
  shuffle_.eraseFromParent();
  pieces_[whole] = std::move(pieces);
  return whole;
}

/// The registers of both operands, by number, that these lanes come from.
SmallVector<int, 4> ShuffleLegalizer::sourcesOf(ArrayRef<int> picks) const {
  SmallVector<int, 4> sources;
  for (int pick : picks)
    if (pick >= 0 && !is_contained(sources, pick / int(lanes_)))
      sources.push_back(pick / int(lanes_));
  return sources;
}

/// No two of the lanes lie at the same place of different registers.
bool ShuffleLegalizer::lieApart(ArrayRef<int> picks) const {
  SmallVector<int, 64> holders(lanes_, -1);
  return all_of(picks, [&](int pick) {
    if (pick < 0)
      return true;
    int &holder = holders[pick % lanes_], number = pick / int(lanes_);
    bool isFree = holder < 0 || holder == number;
    holder = number;
    return isFree;
  });
}

/// Results that each take some lanes of one register, and leave others open, to put them among
/// those of other registers (members of structures): one order of its lanes may serve them all.
void ShuffleLegalizer::findCommonOrders(ArrayRef<int> mask) {
  SmallDenseMap<int, SmallVector<int, 64>> orders;
  SmallSet<int, 8> mixed;
  for (unsigned first = 0; first < mask.size(); first += lanes_) {
    ArrayRef<int> picks = mask.slice(first, lanes_);
    SmallVector<int, 4> sources = sourcesOf(picks);
    if (sources.size() != 1)
      continue;
    SmallVector<int, 64> &order = orders[sources[0]];
    order.resize(lanes_, PoisonMaskElem);
    for (unsigned lane = 0; lane < lanes_; ++lane)
      if (int pick = picks[lane]; pick >= 0) {
        if (order[lane] >= 0 && order[lane] != pick % int(lanes_))
          mixed.insert(sources[0]);
        order[lane] = pick % int(lanes_);
      }
  }
  for (auto &[number, order] : orders)
    if (!mixed.contains(number))
      orders_[number] = std::move(order);
}

Value *ShuffleLegalizer::source(int number) {
  Value *&value = sources_[number];
  if (value)
    return value;
  unsigned perOperand =
      cast<FixedVectorType>(shuffle_.getOperand(0)->getType())->getNumElements() / lanes_;
  Value *operand = shuffle_.getOperand(number / perOperand);
  if (perOperand == 1)
    return value = operand;
  auto *bits = dyn_cast<BitCastInst>(operand);
  auto *from = bits ? dyn_cast<FixedVectorType>(bits->getSrcTy()) : nullptr;
  bool keepsLanes = from && from->getNumElements() == perOperand * lanes_;
  if (auto found = pieces_.find(keepsLanes ? bits->getOperand(0) : operand);
      found != pieces_.end()) {
    Type *type = FixedVectorType::get(shuffle_.getType()->getElementType(), lanes_);
    return value = builder_.CreateBitCast(found->second[number % perOperand], type);
  }
  return value = builder_.CreateShuffleVector(
             operand, createSequentialMask(number % perOperand * lanes_, lanes_, 0));
}

Value *ShuffleLegalizer::piece(ArrayRef<int> picks) {
  SmallVector<int, 4> sources = sourcesOf(picks);
  Type *element = cast<FixedVectorType>(shuffle_.getType())->getElementType();
  if (sources.empty())
    return PoisonValue::get(FixedVectorType::get(element, lanes_));
  if (sources.size() == 1)
    return inOrder(sources[0], picks);
  if (sources.size() > MostMixed || (blendsFirst_ && lieApart(picks)))
    return blended(sources, picks);
  SmallVector<int, 64> choice;
  for (int pick : picks)
    choice.push_back(pick < 0                                ? PoisonMaskElem
                     : pick / int(lanes_) == sources.front() ? pick % int(lanes_)
                                                             : int(lanes_) + pick % int(lanes_));
  return builder_.CreateShuffleVector(source(sources[0]), source(sources[1]), choice);
}

/// Lanes of one register.
Value *ShuffleLegalizer::inOrder(int number, ArrayRef<int> picks) {
  auto found = orders_.find(number);
  if (found != orders_.end()) {
    Value *&value = ordered_[number];
    return value ? value : value = reordered(source(number), found->second);
  }
  SmallVector<int, 64> order;
  for (int pick : picks)
    order.push_back(pick < 0 ? PoisonMaskElem : pick % int(lanes_));
  return reordered(source(number), order);
}

Value *ShuffleLegalizer::reordered(Value *value, ArrayRef<int> order) {
  bool isAsIs = all_of(enumerate(order), [](auto lane) {
    return lane.value() < 0 || lane.value() == int(lane.index());
  });
  return isAsIs ? value : builder_.CreateShuffleVector(value, order);
}

/// Lanes that lie apart: all in one register, each where it lies, then in their order.
Value *ShuffleLegalizer::blended(ArrayRef<int> sources, ArrayRef<int> picks) {
  SmallVector<int, 64> holders(lanes_, PoisonMaskElem), order;
  for (int pick : picks) {
    order.push_back(pick < 0 ? PoisonMaskElem : pick % int(lanes_));
    if (pick >= 0)
      holders[pick % lanes_] = pick / int(lanes_);
  }
  Value *all = source(sources.front());
  for (int number : sources.drop_front()) {
    SmallVector<int, 64> choice;
    for (auto [lane, holder] : enumerate(holders))
      choice.push_back(int(lane) + (holder == number ? int(lanes_) : 0));
    all = builder_.CreateShuffleVector(all, source(number), choice);
  }
  return reordered(all, order);
}

} // namespace heddle::jit
