// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem. A program of many lanes is split into registers, each operation into all of its pieces
// before the next operation. So a formula of 64 pieces has 64 live values for 16 registers: each is
// stored after every operation and loaded before the next. LLVM's scheduler looks at a window of
// ready instructions and mostly keeps such an order.
//
// Method. Go from each store, and each value that other code uses, back to its operands, and compute
// them in full before the next store. When a value is there, an instruction that is its last user
// and needs nothing else that is missing follows at once, so that one register serves both. No
// access passes another one that may alias, nor a call.
//
// When: the live values beyond the registers, summed up over the instructions of a block, must
// become clearly fewer. So sums in groups (register_block_sums.cpp) stay as they are, and so does
// most code with 32 registers. LLVM's scheduler processes the result.
//
// A program that hands values on in its frame (simt/entry/rotate_slots.h) and whose values do not
// fit the registers even one at a time is split here first, since LLVM's back end, which would do it
// otherwise, keeps no order of pieces.
//
// Rejected: splitting other programs first, and leaving out LLVM's scheduling after the pass. Both
// cost programs with many sums more than they gain.
//
// Legality (depth-first):
//  1. Accesses that may be to the same place, of which one writes, keep their order. [aliases]
//  2. Nothing that touches memory passes a call, a fence, or what is atomic or volatile. [order]
//  3. Divisions of integers pass neither of those nor stores: a program that ends itself before
//     ends so. [division]
#include "jit/schedule/depth_first.h"

#include "simt/analysis/launch_facts.h"
#include "simt/analysis/pass_notes.h"
#include "simt/simt.h"
#include "simt/vector/eliminate_dead_lanes.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::jit {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned LargestBlock = 8192; ///< instructions
constexpr uint64_t MostPairs = 1 << 22; ///< of accesses that are looked at
constexpr double Worthwhile = 0.5;      ///< moves of registers less, for each instruction

/// Has to stay in its place among others of its kind.
bool hasPlace(const Instruction &instruction) {
  return instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects() ||
         instruction.isIntDivRem();
}

bool isSimple(const Instruction &instruction) {
  auto *load = dyn_cast<LoadInst>(&instruction);
  auto *store = dyn_cast<StoreInst>(&instruction);
  return load ? load->isSimple() : store && store->isSimple();
}

class Order {
public:
  Order(BasicBlock &block, AAResults &aliases, const simt::VectorRegisters &registers)
      : block_(block), aliases_(aliases), registers_(registers) {
    for (Instruction &instruction : block_)
      if (!isa<PHINode>(instruction) && !instruction.isTerminator()) {
        number_[&instruction] = all_.size();
        all_.push_back(&instruction);
        if (hasPlace(instruction))
          placed_.push_back(&instruction);
      }
  }

  bool run() {
    if (all_.size() > LargestBlock || uint64_t(placed_.size()) * placed_.size() > MostPairs)
      return false;
    uint64_t work = 0;
    for (const Instruction *instruction : all_)
      work += std::max<uint64_t>(1, length(*instruction));
    uint64_t before = traffic(all_);
    if (double(before) <= Worthwhile * double(work))
      return false;
    for (Instruction *instruction : all_)
      if (isWanted(*instruction))
        emit(*instruction);
    for (Instruction *instruction : all_)
      emit(*instruction);
    if (double(before) - double(traffic(order_)) <= Worthwhile * double(work))
      return false;
    for (Instruction *instruction : order_)
      instruction->moveBefore(block_.getTerminator()->getIterator());
    return true;
  }

private:
  bool isHere(const Value *value) const { return number_.contains(value); }

  /// By another block, a phi, the terminator, or for its effect.
  bool isWanted(const Instruction &instruction) const {
    return instruction.mayHaveSideEffects() ||
           any_of(instruction.users(), [&](const User *user) { return !isHere(user); });
  }

  bool mayConflict(const Instruction &a, const Instruction &b) {
    if (match(&a, m_Intrinsic<Intrinsic::prefetch>()) ||
        match(&b, m_Intrinsic<Intrinsic::prefetch>()))
      return false;
    if (!a.mayWriteToMemory() && !b.mayWriteToMemory())
      return a.mayHaveSideEffects() || b.mayHaveSideEffects();
    if (!isSimple(a) || !isSimple(b))
      return true;
    return !aliases_.isNoAlias(MemoryLocation::get(&a), MemoryLocation::get(&b));
  }

  void emit(Instruction &instruction) {
    if (!begun_.insert(&instruction).second)
      return;
    for (Value *operand : instruction.operands())
      if (isHere(operand))
        emit(*cast<Instruction>(operand));
    if (hasPlace(instruction))
      for (Instruction *before : placed_) {
        if (number_[before] >= number_[&instruction])
          break;
        if (!begun_.contains(before) && mayConflict(*before, instruction))
          emit(*before);
      }
    order_.push_back(&instruction);
    done_.insert(&instruction);
    for (User *user : instruction.users())
      if (isHere(user) && endsOne(*cast<Instruction>(user)))
        emit(*cast<Instruction>(user));
  }

  /// All that it needs is there, and one of it for the last time.
  bool endsOne(const Instruction &user) const {
    if (begun_.contains(&user) || hasPlace(user))
      return false;
    bool ends = false;
    for (const Value *operand : user.operands()) {
      if (!isHere(operand))
        continue;
      if (!done_.contains(operand))
        return false;
      ends |= all_of(operand->users(),
                     [&](const User *other) { return other == &user || done_.contains(other); });
    }
    return ends;
  }

  uint64_t length(const Value &value) const {
    auto *type = dyn_cast<FixedVectorType>(value.getType());
    if (!type || type->getScalarType()->isIntegerTy(1) || isa<GetElementPtrInst>(value))
      return 0;
    uint64_t bits = block_.getDataLayout().getTypeSizeInBits(type);
    return (bits + registers_.bits - 1) / registers_.bits;
  }

  /// Registers that are loaded and stored since there are no more of them, in this order, where
  /// the value goes that is wanted again last.
  uint64_t traffic(ArrayRef<Instruction *> order) const {
    constexpr size_t Never = SIZE_MAX;
    DenseMap<const Value *, SmallVector<size_t, 4>> uses; // the next one last
    for (size_t at = order.size(); at-- > 0;)
      for (const Value *operand : order[at]->operands())
        if (length(*operand) > 0 && !isa<Constant>(operand))
          uses[operand].push_back(at);
    SmallVector<const Value *, 32> inside;
    DenseSet<const Value *> stored;
    uint64_t full = 0, sum = 0;
    auto nextUse = [&](const Value *value) {
      auto found = uses.find(value);
      return found == uses.end() || found->second.empty() ? Never : found->second.back();
    };
    auto leave = [&](unsigned which) {
      full -= length(*inside[which]);
      std::swap(inside[which], inside.back());
      return inside.pop_back_val();
    };
    auto enter = [&](const Value *value) {
      full += length(*value);
      while (full > registers_.count && !inside.empty()) {
        unsigned last = 0;
        for (unsigned i = 1; i < inside.size(); ++i)
          if (nextUse(inside[i]) > nextUse(inside[last]))
            last = i;
        const Value *gone = leave(last);
        if (isHere(gone) && nextUse(gone) != Never && stored.insert(gone).second)
          sum += length(*gone);
      }
      inside.push_back(value);
    };
    for (Instruction *instruction : order) {
      for (const Value *operand : instruction->operands()) {
        auto found = uses.find(operand);
        if (found == uses.end())
          continue;
        if (!is_contained(inside, operand)) {
          sum += length(*operand);
          enter(operand);
        }
        found->second.pop_back();
      }
      for (unsigned i = inside.size(); i-- > 0;)
        if (nextUse(inside[i]) == Never)
          leave(i);
      if (length(*instruction) > 0)
        enter(instruction);
    }
    return sum;
  }

  BasicBlock &block_;
  AAResults &aliases_;
  const simt::VectorRegisters &registers_;
  std::vector<Instruction *> all_, placed_, order_;
  DenseMap<const Value *, unsigned> number_;
  DenseSet<const Value *> begun_, done_;
};

/// It hands on values that fill all registers.
bool isToBeCut(const Function &function, const simt::VectorRegisters &registers) {
  return simt::rotatedBits(function) > uint64_t(registers.count) * registers.bits;
}

} // namespace

PreservedAnalyses DepthFirst::run(Function &function, FunctionAnalysisManager &analyses) {
  TargetMachine &machine = analyses.getResult<simt::LaunchFactsAnalysis>(function).machine;
  simt::VectorRegisters registers =
      simt::vectorRegisters(analyses.getResult<TargetIRAnalysis>(function));
  bool isCut = isToBeCut(function, registers), isChanged = false;
  if (isCut) {
    simt::cutToRegisters(function, machine);
    simt::forget(function, analyses);
  }
  AAResults &aliases = analyses.getResult<AAManager>(function);
  for (BasicBlock &block : function)
    isChanged |= Order(block, aliases, registers).run();
  return isCut ? PreservedAnalyses::none() : simt::changedInBlocks(isChanged);
}

} // namespace heddle::jit
