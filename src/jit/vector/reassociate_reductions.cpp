// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block that sums its numbers in shared memory comes here as a net of shuffles and sums between
// the registers that it loaded and the one number that it stores. Which lane of which register
// meets which other one was the program's choice, for the sake of a GPU's banks and warps. Where
// the operation's order is free, only one thing about the net matters: how often each lane of each
// register gets into the number. That is counted from the number backwards (countUses): through a
// sum to both operands, through a shuffle to the lanes that it takes. If every lane of every
// register counts once, as in any net that forgets no number and takes none twice, the net is
// replaced.
//
// A value belongs to the net if all that use it do; what something else wants too is an end, as are
// loads, sums of a loop, and all other instructions. All of a net lies in one basic block, so that
// no work moves into a loop.
//
// So the trees of textbooks' reductions lose all of their shuffles but those of one register. What
// goes: sums, products, minima, maxima, and, or, exclusive or. Not done: nets over several basic
// blocks, prefix sums.
//
// Legality (reassociate-reductions):
//  1. The order of the operation is free: integers, floats with reassoc and nsz, minima and maxima.
//     All operations of the net are this one. [order]
//  2. Each lane of each register gets into the number once, or, for what is the same twice as once,
//     at least once. [once]
//  3. No lane that a shuffle leaves open does. [open lanes]
//  4. What else is done with a part of the net keeps that part. [other uses]
//  5. All lies in one block. [one block]
#include "jit/vector/reassociate_reductions.h"

#include "simt/analysis/order_free.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/Local.h"

namespace heddle::jit {

using namespace llvm;
using simt::isOrderFree, simt::Operation;

namespace {

constexpr unsigned FewestLanes = 4; ///< shorter registers are not worth it

unsigned lanesOf(const Value &value) {
  const auto *vector = dyn_cast<FixedVectorType>(value.getType());
  return vector ? vector->getNumElements() : 1;
}

/// All that goes into one number.
class Net {
public:
  Net(Instruction &root, Operation operation) : root_(root), operation_(operation) {}

  /// Replaces the net, unless that makes it larger.
  bool regroup() {
    collect();
    if (!countUses() || !findEnds())
      return false;
    size_t halvings = Log2_32(lanesOf(*registers_.front()));
    size_t after = registers_.size() + 3 * halvings + numbers_.size();
    if (after > members_.size())
      return false;
    replace();
    return true;
  }

private:
  bool isMember(const Instruction &instruction) const {
    if (instruction.getParent() != root_.getParent())
      return false;
    if (isa<ShuffleVectorInst>(instruction))
      return true;
    if (isa<ExtractElementInst>(instruction))
      return isa<ConstantInt>(instruction.getOperand(1));
    return operation_.is(instruction);
  }

  /// Members, users first.
  void collect() {
    SetVector<Instruction *> found;
    found.insert(&root_);
    for (unsigned i = 0; i < found.size(); ++i)
      for (Value *operand : found[i]->operands())
        if (auto *instruction = dyn_cast<Instruction>(operand);
            instruction && isMember(*instruction))
          found.insert(instruction);
    SmallVector<Instruction *> ordered = found.takeVector();
    sort(ordered, [](const Instruction *a, const Instruction *b) { return b->comesBefore(a); });
    for (Instruction *one : ordered)
      if (one == &root_ || all_of(one->users(), [&](User *user) {
            return members_.contains(dyn_cast<Instruction>(user));
          }))
        members_.insert(one);
  }

  SmallVector<unsigned> &usesOf(Value &value) {
    SmallVector<unsigned> &uses = uses_[&value];
    uses.resize(lanesOf(value));
    return uses;
  }

  /// Stays at the greatest number: powers of two come round to zero.
  void count(Value &value, unsigned lane, unsigned times) {
    unsigned &uses = usesOf(value)[lane];
    uses = SaturatingAdd(uses, times);
  }

  /// How often each lane of each value is taken. False: a lane of no value is.
  bool countUses() {
    usesOf(root_).assign(1, 1);
    for (Instruction *member : members_) {
      SmallVector<unsigned> uses = usesOf(*member); // a copy: the map grows
      for (auto [lane, times] : enumerate(uses))
        if (times != 0 && !countOperands(*member, unsigned(lane), times))
          return false;
    }
    return true;
  }

  bool countOperands(Instruction &member, unsigned lane, unsigned times) {
    if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&member)) {
      int from = shuffle->getMaskValue(lane), first = int(lanesOf(*shuffle->getOperand(0)));
      if (from < 0)
        return false;
      count(*shuffle->getOperand(from < first ? 0 : 1), unsigned(from % first), times);
    } else if (auto *extract = dyn_cast<ExtractElementInst>(&member)) {
      uint64_t from = cast<ConstantInt>(extract->getIndexOperand())->getZExtValue();
      if (from >= lanesOf(*extract->getVectorOperand()))
        return false;
      count(*extract->getVectorOperand(), unsigned(from), times);
    } else {
      count(*member.getOperand(0), lane, times);
      count(*member.getOperand(1), lane, times);
    }
    return true;
  }

  /// The values that the net is made of, in the order of their use. False: not each lane counts
  /// once, or there is no register.
  bool findEnds() {
    SetVector<Value *> ends;
    for (Instruction *member : reverse(members_))
      for (Value *operand : member->operands())
        if (!members_.contains(dyn_cast<Instruction>(operand)) && uses_.contains(operand))
          ends.insert(operand);
    auto isOnce = [&](unsigned times) {
      return times == 1 || (times > 1 && operation_.isIdempotent());
    };
    for (Value *end : ends) {
      const SmallVector<unsigned> &uses = uses_[end];
      if (none_of(uses, [](unsigned times) { return times; }))
        continue;
      if (!all_of(uses, isOnce))
        return false;
      (lanesOf(*end) < FewestLanes ? numbers_ : registers_).push_back(end);
    }
    bool isEven = all_of(registers_, [&](const Value *one) {
      return one->getType() == registers_.front()->getType();
    });
    return !registers_.empty() && isEven && isPowerOf2_32(lanesOf(*registers_.front()));
  }

  /// Loads by address, those of one pointer after those of another; all else stays where it is.
  void orderByAddress() {
    if (!all_of(registers_, IsaPred<LoadInst>))
      return;
    DenseMap<const Value *, std::pair<int64_t, int64_t>> places;
    SmallSetVector<const Value *, 4> pointers;
    for (Value *one : registers_) {
      auto *load = cast<LoadInst>(one);
      int64_t offset = 0;
      const Value *pointer = GetPointerBaseWithConstantOffset(load->getPointerOperand(), offset,
                                                              load->getDataLayout());
      pointers.insert(pointer);
      places[one] = {find(pointers, pointer) - pointers.begin(), offset};
    }
    sort(registers_, [&](Value *a, Value *b) { return places[a] < places[b]; });
  }

  void replace() {
    orderByAddress();
    IRBuilder<> builder(&root_);
    while (registers_.size() > 1) { // by halves; an odd one in the middle waits
      size_t half = registers_.size() / 2, rest = registers_.size() - half;
      for (size_t i = 0; i < half; ++i)
        registers_[i] = operation_.apply(builder, registers_[i], registers_[rest + i]);
      registers_.truncate(rest);
    }
    Value *sum = operation_.acrossLanes(builder, registers_.front());
    for (Value *number : numbers_)
      for (unsigned lane = 0; lane < lanesOf(*number); ++lane)
        sum = operation_.apply(
            builder, sum,
            number->getType()->isVectorTy() ? builder.CreateExtractElement(number, lane) : number);
    if (root_.getType()->isVectorTy())
      sum = builder.CreateInsertElement(PoisonValue::get(root_.getType()), sum, uint64_t(0));
    sum->takeName(&root_);
    root_.replaceAllUsesWith(sum);
    RecursivelyDeleteTriviallyDeadInstructions(&root_);
  }

  Instruction &root_;
  Operation operation_;
  SetVector<Instruction *> members_;
  DenseMap<Value *, SmallVector<unsigned>> uses_;
  SmallVector<Value *> registers_, numbers_;
};

/// The first operation on the way from a number back to the lanes that it is made of.
Instruction *operationUnder(Instruction &root) {
  auto *instruction = &root;
  while (instruction && isa<ExtractElementInst, ShuffleVectorInst>(instruction))
    instruction = dyn_cast<Instruction>(instruction->getOperand(0));
  return instruction;
}

bool isNumber(const Instruction &instruction) {
  return lanesOf(instruction) == 1 && (instruction.getType()->getScalarType()->isIntegerTy() ||
                                       instruction.getType()->getScalarType()->isFloatingPointTy());
}

} // namespace

PreservedAnalyses ReassociateReductions::run(Function &function, FunctionAnalysisManager &) {
  bool isChanged = false;
  for (BasicBlock &block : function) {
    SmallVector<WeakVH> numbers; // a net that is replaced takes those of its parts along
    for (Instruction &instruction : reverse(block))
      if (isNumber(instruction))
        numbers.push_back(&instruction);
    for (WeakVH &number : numbers) {
      auto *root = cast_if_present<Instruction>((Value *)number);
      Instruction *first = root ? operationUnder(*root) : nullptr;
      if (first && first->getParent() == &block && isOrderFree(*first))
        isChanged |= Net(*root, Operation(*first)).regroup();
    }
  }
  return simt::changedInBlocks(isChanged);
}

} // namespace heddle::jit
