// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unrolled sums, rolled up again.
//
// clang unrolls the loop over a row of a tile, which is good for a GPU. A warp program of many rows
// has as many sums as registers: its body fills them in one turn, and of sixteen turns in one block
// LLVM makes something that needs all addresses of all rows at a time, and adds to one sum after
// the other, so that each waits for itself. A loop is half as long again in instructions and
// faster.
//
// A sum is a chain of instructions, each of which adds to what the one before has. All turns must
// do the same: trees of instructions whose leaves are the given loads, one for each turn, or values
// from elsewhere, the same in all turns.
//
// Legality (reroll-sums):
//  1. All turns compute the same, from one load each, with the sum as the same operand. [alike]
//  2. Nobody but the next turn sees a sum on the way. [seen only behind]
//  3. What follows from the loads accesses no memory. [pure]
//  4. The loads of the turns lie at a constant distance. [steps]
#include "simt/tiles/reroll_sums.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned FewestTurns = 4;

class Unrolled {
public:
  explicit Unrolled(ArrayRef<LoadInst *> loads) : loads_(loads.begin(), loads.end()) {
    sums_.block = loads.front()->getParent();
    for (Instruction &instruction : *sums_.block)
      if (loads_.contains(&instruction) || any_of(instruction.operands(), [&](Value *operand) {
            return depends_.contains(operand);
          }))
        depends_.insert(&instruction);
  }

  std::optional<UnrolledSums> find() {
    if (!findChains())
      return std::nullopt;
    for (auto [chain, input] : zip(sums_.chains, sums_.inputs))
      for (unsigned turn = 0; turn < sums_.turns(); ++turn)
        for (auto [index, operand] : enumerate(chain[turn]->operands()))
          if (index != input && !isSame(*chain[0]->getOperand(index), *operand, turn))
            return std::nullopt;
    for (LoadInst *load : firsts_) {
      sums_.loads.emplace_back();
      for (unsigned turn = 0; turn < sums_.turns(); ++turn)
        sums_.loads.back().push_back(cast<LoadInst>(counterparts_.lookup({load, turn})));
    }
    // Each load in one turn, or the loop would load what others do too.
    if (firsts_.size() * sums_.turns() != loads_.size())
      return std::nullopt;
    return sums_;
  }

private:
  /// What depends on the loads is pure and ends in sums.
  bool findChains() {
    for (Value *value : depends_) {
      auto *end = cast<Instruction>(value);
      if (!loads_.contains(end) &&
          (isa<PHINode>(end) || end->mayReadOrWriteMemory() || end->isTerminator()))
        return false;
      bool isEnd = any_of(end->users(), [&](User *user) { return !depends_.contains(user); });
      if (!isEnd)
        continue;
      SmallVector<Instruction *, 32> chain = {end};
      std::optional<unsigned> input;
      while (Instruction *before = summand(*chain.back(), input))
        chain.push_back(before);
      if (chain.size() < FewestTurns || !input)
        return false;
      std::reverse(chain.begin(), chain.end());
      if (!sums_.chains.empty() && sums_.turns() != chain.size())
        return false;
      sums_.chains.push_back(std::move(chain));
      sums_.inputs.push_back(*input);
    }
    return !sums_.chains.empty();
  }

  /// The sum so far: an operand of the same kind that is used for nothing else. It is the same
  /// operand all along.
  Instruction *summand(Instruction &sum, std::optional<unsigned> &input) const {
    for (auto [index, operand] : enumerate(sum.operands())) {
      auto *before = dyn_cast<Instruction>(operand);
      if ((input && *input != index) || !before || !depends_.contains(before) ||
          !before->hasOneUse() || !before->isSameOperationAs(&sum) || isa<LoadInst>(before))
        continue;
      input = index;
      return before;
    }
    return nullptr;
  }

  /// What `first` is in the first turn, `other` is in this one.
  bool isSame(Value &first, Value &other, unsigned turn) {
    if (!depends_.contains(&first) || !depends_.contains(&other))
      return &first == &other;
    auto [known, isNew] = counterparts_.try_emplace({&first, turn}, &other);
    if (!isNew)
      return known->second == &other;
    auto &mine = cast<Instruction>(first), &its = cast<Instruction>(other);
    if (loads_.contains(&mine) || loads_.contains(&its)) {
      if (turn == 0)
        firsts_.push_back(cast<LoadInst>(&mine));
      return loads_.contains(&mine) && loads_.contains(&its) && mine.getType() == its.getType();
    }
    return mine.isSameOperationAs(&its) &&
           all_of(zip(mine.operands(), its.operands()), [&](const auto &pair) {
             return isSame(*std::get<0>(pair), *std::get<1>(pair), turn);
           });
  }

  SmallPtrSet<const Instruction *, 32> loads_;
  SetVector<Value *> depends_; ///< on the loads
  UnrolledSums sums_;
  DenseMap<std::pair<Value *, unsigned>, Value *> counterparts_;
  SmallVector<LoadInst *, 4> firsts_;
};

/// A turn's own instructions, made again in the loop.
Value *again(Value &value, const UnrolledSums &sums, IRBuilder<> &builder,
             DenseMap<Value *, Value *> &made) {
  if (Value *known = made.lookup(&value))
    return known;
  auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction || instruction->getParent() != sums.block || isa<PHINode>(instruction))
    return &value;
  bool isTheirs = false;
  SmallVector<Value *, 4> operands;
  for (Value *operand : instruction->operands()) {
    operands.push_back(again(*operand, sums, builder, made));
    isTheirs |= operands.back() != operand;
  }
  if (!isTheirs)
    return &value; // the same in all turns
  Instruction *copy = builder.Insert(instruction->clone());
  for (auto [index, operand] : enumerate(operands))
    copy->setOperand(index, operand);
  return made[&value] = copy;
}

/// The bytes from each load's address to the next one's, if they are a constant.
std::optional<int64_t> stepOfTurns(ArrayRef<LoadInst *> turns) {
  const DataLayout &layout = turns[0]->getDataLayout();
  const Value *base = nullptr;
  std::vector<int64_t> places;
  for (LoadInst *load : turns) {
    APInt offset(64, 0);
    const Value *from = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
        layout, offset, /*AllowNonInbounds=*/true);
    if (base && base != from)
      return std::nullopt;
    base = from;
    places.push_back(offset.getSExtValue());
  }
  for (size_t turn = 2; turn < places.size(); ++turn)
    if (places[turn] - places[turn - 1] != places[1] - places[0])
      return std::nullopt;
  return places[1] - places[0];
}

} // namespace

std::optional<UnrolledSums> findUnrolledSums(ArrayRef<LoadInst *> loads) {
  if (loads.empty() || any_of(loads, [&](LoadInst *load) {
        return load->getParent() != loads.front()->getParent();
      }))
    return std::nullopt;
  return Unrolled(loads).find();
}

RolledSums rerollSums(const UnrolledSums &sums) {
  RolledSums rolled;
  rolled.before = sums.block;
  BasicBlock *after = sums.block->splitBasicBlock(sums.block->getTerminator(), "sums");
  BasicBlock *body = BasicBlock::Create(after->getContext(), "turn", after->getParent(), after);
  rolled.before->getTerminator()->setSuccessor(0, body);
  IRBuilder<> builder(body);
  rolled.turn = builder.CreatePHI(builder.getInt32Ty(), 2);
  rolled.turn->addIncoming(builder.getInt32(0), rolled.before);
  DenseMap<Value *, Value *> made;
  SmallVector<PHINode *, 4> sumsSoFar;
  for (auto [chain, input] : zip(sums.chains, sums.inputs)) {
    PHINode *sum = builder.CreatePHI(chain[0]->getType(), 2);
    sum->addIncoming(chain[0]->getOperand(input), rolled.before);
    sumsSoFar.push_back(sum);
  }
  for (const auto &loads : sums.loads) {
    auto *load = cast<LoadInst>(builder.Insert(loads[0]->clone()));
    made[loads[0]] = load;
    rolled.loads.push_back(load);
  }
  for (auto [chain, input, sum] : zip(sums.chains, sums.inputs, sumsSoFar)) {
    Instruction *next = chain[0]->clone();
    for (auto [index, operand] : enumerate(chain[0]->operands()))
      next->setOperand(index, index == input ? sum : again(*operand, sums, builder, made));
    builder.Insert(next);
    sum->addIncoming(next, body);
    PHINode *result = PHINode::Create(next->getType(), 1, "", after->begin());
    result->addIncoming(next, body);
    chain.back()->replaceAllUsesWith(result);
  }
  Value *next = builder.CreateAdd(rolled.turn, builder.getInt32(1), "", true, true);
  rolled.turn->addIncoming(next, body);
  builder.CreateCondBr(builder.CreateICmpEQ(next, builder.getInt32(sums.turns())), after, body);
  return rolled;
}

/// The loop's loads are in the order of their steps: LLVM then counts addresses so that those of a
/// tile's rows are one register and constants. Two registers each take a fifth longer.
bool rollBySteps(UnrolledSums sums) {
  if (any_of(sums.loads, [](const auto &turns) { return !stepOfTurns(turns); }))
    return false;
  sort(sums.loads, [](const auto &a, const auto &b) { return *stepOfTurns(a) < *stepOfTurns(b); });
  std::vector<int64_t> steps;
  for (const auto &turns : sums.loads)
    steps.push_back(*stepOfTurns(turns));
  RolledSums rolled = rerollSums(sums);
  for (auto [load, step] : zip(rolled.loads, steps)) {
    IRBuilder<> builder(load);
    Value *turn = builder.CreateZExt(rolled.turn, builder.getInt64Ty(), "", /*IsNonNeg=*/true);
    Value *bytes = builder.CreateMul(turn, builder.getInt64(step));
    load->setOperand(0, builder.CreateGEP(builder.getInt8Ty(), load->getPointerOperand(), bytes));
  }
  return true;
}

} // namespace heddle::simt
