// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums on vectors.
//
// Where each thread adds up a row of its own (a row of a sparse matrix, a list of neighbours), the
// rows of a warp's lanes lie apart and end at different times: loads would be gathers, and all
// lanes wait for the longest row. Such a kernel goes thread by thread (simt/choose_width), and then
// its time is that of the loop's end: how long a row is no processor foresees, and each
// wrong guess costs 20 cycles, a row of 16 elements 50.
//
//     for (i = starts[row]; i < starts[row + 1]; ++i)
//       sum += values[i] * x[columns[i]];
//
// Within its row a thread reads side by side, so the vector lies along the loop: 16 rounds at once
// under a mask of those that the row still has. Rows of 1 to 16 elements are one turn, whatever
// their length. Idle lanes read nothing: masked loads and gathers do not fault. ns a row, with the
// lengths evenly spread, from the second cache:
//
//     elements   one by one   16 at once    8     32
//            4          2.1          4.2   2.8    7.9
//       1 to 4          6.4          4.3   2.8    8.1
//      2 to 12         12.1          4.4   6.4    8.2
//      4 to 28         17.1          7.8   8.4    9.0
//           16          7.9          5.5   5.8    8.6
//     20 to 60         30.9         15.7  17.8   16.8
//
// Two vectors of 8 lanes, each with its own sums: a gather of 16 lanes is slower (10.0 in the line
// of 4 to 28). The rows' sums are added across lanes one by one; for 16 rows together, by a net of
// shuffles, takes as long.
//
// What must be true, and when it is worth it: simt/sum_loops.cpp. A loop that always has two or
// three rounds takes longer so than before, by 2 ns: nobody knows it here.
//
// Not where there are more gathers than loads side by side.
//
// Legality (vectorize-reductions):
//  1. The order of sums is free: integers, floats with reassoc and nsz, minima and maxima. [order]
//  2. The loop is one block, and its rounds are counted before it begins. [counted]
//  3. Nothing in it writes, is volatile, or calls what might. [writes]
//  4. What idle lanes compute cannot fail: they load by masks and divide by constants that are
//     neither 0 nor -1. What is computed before the loop can be so there. [speculation]
//  5. It hands on counters and sums from round to round; what is added does not depend on the sum.
//     [carried]
//  6. Behind the loop only the sums are wanted. [wanted behind]
//  7. Idle lanes keep their sums: they add what is zero for certain, or are masked out. [idle
//     lanes]
#include "jit/vector/vectorize_reductions.h"

#include "simt/analysis/launch_facts.h"
#include "simt/form/sum_loops.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace heddle::jit {

using namespace llvm;
using simt::isOrderFreeProduct, simt::isOrderFreeSubtraction, simt::Sum, simt::SumLoop;

namespace {

constexpr unsigned Lanes = SumLoop::Lanes, Parts = SumLoop::Parts, Turn = SumLoop::Turn;

FixedVectorType *vectorOf(Type *type) { return FixedVectorType::get(type, Lanes); }

/// Makes the vector loop of a loop of sums.
class VectorLoop {
public:
  VectorLoop(const SumLoop &facts, Loop &loop, ScalarEvolution &evolution)
      : facts_(facts), loop_(loop), body_(*loop.getHeader()), evolution_(evolution),
        builder_(body_.getContext()) {}

  void take();

private:
  Instruction *before() const { return loop_.getLoopPreheader()->getTerminator(); }
  Value *expand(const SCEV *);
  Constant *numbers(Type *) const;
  void startSums();
  void widenRounds();
  void endSums(BasicBlock &loop);
  Value *widen(Value *);
  Value *widenCounter(const SCEVAddRecExpr &);
  Value *widenLoad(LoadInst &);
  Value *widenAddition(const Sum &, unsigned addition, Value *sums);
  bool isZeroWhereIdle(Value *) const;
  void replaceLoop(BasicBlock &loop, BasicBlock &end);

  const SumLoop &facts_;
  Loop &loop_;
  BasicBlock &body_;
  ScalarEvolution &evolution_;
  IRBuilder<> builder_;

  DenseMap<const SCEV *, Value *> expanded_;
  Value *done_ = nullptr;                              ///< rounds, before this turn
  Value *mask_ = nullptr;                              ///< of this part
  unsigned part_ = 0;                                  ///< that is being made
  DenseMap<Value *, Value *> widened_;                 ///< in this part
  SmallVector<SmallVector<PHINode *, Parts>, 2> phis_; ///< of each sum
  SmallVector<SmallVector<Value *, Parts>, 2> nexts_;
};

/// The value before the loop.
Value *VectorLoop::expand(const SCEV *what) {
  Value *&value = expanded_[what];
  if (!value)
    value = SCEVExpander(evolution_, "sums").expandCodeFor(what, what->getType(), before());
  return value;
}

void VectorLoop::take() {
  auto block = [&](const char *name) {
    return BasicBlock::Create(body_.getContext(), name, body_.getParent(), &body_);
  };
  BasicBlock *loop = block("sums"), *end = block("sums.end");
  IRBuilder<> outside(before());
  Value *rounds = expand(evolution_.getBackedgeTakenCount(&loop_));
  rounds = outside.CreateAdd(outside.CreateZExt(rounds, outside.getInt64Ty()), outside.getInt64(1),
                             "rounds");

  builder_.SetInsertPoint(loop);
  builder_.SetCurrentDebugLocation(body_.getTerminator()->getDebugLoc());
  PHINode *done = builder_.CreatePHI(builder_.getInt64Ty(), 2, "done");
  done_ = done;
  startSums();
  Value *left = builder_.CreateBinaryIntrinsic(Intrinsic::umin, builder_.CreateSub(rounds, done),
                                               builder_.getInt64(Turn));
  left = builder_.CreateVectorSplat(Lanes, builder_.CreateTrunc(left, builder_.getInt32Ty()));
  for (part_ = 0; part_ < Parts; ++part_) {
    mask_ = builder_.CreateICmpSGT(left, numbers(builder_.getInt32Ty()), "has.round");
    widened_.clear();
    widenRounds();
  }
  builder_.SetCurrentDebugLocation(body_.getTerminator()->getDebugLoc());
  Value *next = builder_.CreateAdd(done, builder_.getInt64(Turn));
  builder_.CreateCondBr(builder_.CreateICmpULT(next, rounds), loop, end);
  done->addIncoming(builder_.getInt64(0), loop_.getLoopPreheader());
  done->addIncoming(next, loop);

  builder_.SetInsertPoint(end);
  endSums(*loop);
  builder_.CreateBr(loop_.getExitBlock());
  replaceLoop(*loop, *end);
}

/// The numbers of this part's rounds.
Constant *VectorLoop::numbers(Type *type) const {
  SmallVector<Constant *, Lanes> numbers;
  for (unsigned lane = 0; lane < Lanes; ++lane)
    numbers.push_back(ConstantInt::get(type, part_ * Lanes + lane, /*IsSigned=*/false,
                                       /*ImplicitTrunc=*/true));
  return ConstantVector::get(numbers);
}

/// One number of each sum's lanes, for who wants it behind the loop.
void VectorLoop::endSums(BasicBlock &loop) {
  for (auto [i, sum] : enumerate(facts_.sums())) {
    Value *all = nullptr;
    for (auto [phi, value] : zip(phis_[i], nexts_[i])) {
      phi->addIncoming(value, &loop);
      all = all ? sum.operation.apply(builder_, all, value) : value;
    }
    all = sum.operation.acrossLanes(builder_, all);
    if (sum.operation.neutral())
      all = sum.operation.apply(builder_,
                                sum.phi->getIncomingValueForBlock(loop_.getLoopPreheader()), all);
    sum.last()->replaceUsesWithIf(all, [&](const Use &use) {
      return cast<Instruction>(use.getUser())->getParent() != &body_;
    });
  }
}

void VectorLoop::replaceLoop(BasicBlock &loop, BasicBlock &end) {
  loop_.getExitBlock()->replacePhiUsesWith(&body_, &end);
  before()->replaceSuccessorWith(&body_, &loop);
  body_.getTerminator()->eraseFromParent();
  new UnreachableInst(body_.getContext(), &body_);
  DeleteDeadBlock(&body_);
}

/// Sums begin with what changes nothing, or as often as there are lanes with what the loop began
/// with, where that is the same as once.
void VectorLoop::startSums() {
  BasicBlock *preheader = loop_.getLoopPreheader();
  IRBuilder<> outside(before());
  for (const Sum &sum : facts_.sums()) {
    Value *start = sum.operation.neutral();
    start = outside.CreateVectorSplat(Lanes,
                                      start ? start : sum.phi->getIncomingValueForBlock(preheader));
    auto &phis = phis_.emplace_back();
    nexts_.emplace_back();
    for (unsigned part = 0; part < Parts; ++part) {
      phis.push_back(builder_.CreatePHI(start->getType(), 2, "sums"));
      phis.back()->addIncoming(start, preheader);
    }
  }
}

/// All sums of one part.
void VectorLoop::widenRounds() {
  for (auto [i, sum] : enumerate(facts_.sums())) {
    Value *sums = phis_[i][part_];
    for (unsigned addition = 0; addition < sum.additions.size(); ++addition)
      sums = widenAddition(sum, addition, sums);
    nexts_[i].push_back(sums);
  }
}

/// A sum that stays as it is in idle lanes.
Value *VectorLoop::widenAddition(const Sum &sum, unsigned addition, Value *sums) {
  Instruction *scalar = sum.additions[addition];
  SmallVector<Value *, 2> addends = sum.addends(addition), vectors;
  for (Value *value : addends)
    vectors.push_back(widen(value));
  builder_.SetCurrentDebugLocation(scalar->getDebugLoc());
  Value *next;
  if (isOrderFreeProduct(*scalar)) {
    next = builder_.CreateIntrinsic(cast<IntrinsicInst>(scalar)->getIntrinsicID(),
                                    {sums->getType()}, {vectors[0], vectors[1], sums});
    cast<Instruction>(next)->copyFastMathFlags(scalar);
  } else if (isOrderFreeSubtraction(*scalar)) {
    next = builder_.CreateBinOp(cast<BinaryOperator>(scalar)->getOpcode(), sums, vectors[0]);
    if (isa<FPMathOperator>(scalar))
      cast<Instruction>(next)->copyFastMathFlags(scalar);
  } else {
    next = sum.operation.apply(builder_, sums, vectors[0]);
  }
  bool isSame = sum.operation.isNeutralToZero() &&
                all_of(addends, [&](Value *value) { return isZeroWhereIdle(value); });
  return isSame ? next : builder_.CreateSelect(mask_, next, sums);
}

/// Idle lanes load zeros.
bool VectorLoop::isZeroWhereIdle(Value *value) const {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || instruction->getParent() != &body_)
    return false;
  if (isa<LoadInst>(instruction))
    return true;
  bool keepsZero = isa<CastInst>(instruction) ||
                   is_contained({Instruction::Mul, Instruction::FMul, Instruction::And},
                                instruction->getOpcode());
  return keepsZero &&
         all_of(instruction->operands(), [&](Value *operand) { return isZeroWhereIdle(operand); });
}

/// What the value is in each round of this part.
Value *VectorLoop::widen(Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || instruction->getParent() != &body_)
    return builder_.CreateVectorSplat(Lanes, value);
  if (Value *known = widened_.lookup(value))
    return known;
  Value *vector;
  if (auto *load = dyn_cast<LoadInst>(instruction)) {
    vector = widenLoad(*load);
  } else if (isa<PHINode>(instruction)) {
    vector = widenCounter(*facts_.walkOf(value));
  } else {
    SmallVector<Value *, 3> operands;
    for (Value *operand : instruction->operands())
      operands.push_back(isa<Function>(operand) ? operand : widen(operand));
    builder_.SetCurrentDebugLocation(instruction->getDebugLoc());
    if (auto *call = dyn_cast<IntrinsicInst>(instruction)) {
      operands.pop_back();
      vector = builder_.CreateIntrinsic(call->getIntrinsicID(), {operands[0]->getType()}, operands);
    } else if (auto *cast = dyn_cast<CastInst>(instruction)) {
      vector = builder_.CreateCast(cast->getOpcode(), operands[0], vectorOf(cast->getType()));
    } else {
      Instruction *copy = builder_.Insert(instruction->clone());
      copy->mutateType(vectorOf(instruction->getType()));
      for (auto [i, operand] : enumerate(operands))
        copy->setOperand(i, operand);
      vector = copy;
    }
    if (auto *made = dyn_cast<Instruction>(vector))
      made->copyIRFlags(instruction);
  }
  return widened_[value] = vector;
}

/// start + step * (done + lane).
Value *VectorLoop::widenCounter(const SCEVAddRecExpr &walk) {
  Type *type = walk.getType();
  Value *start = expand(walk.getStart()), *step = expand(walk.getStepRecurrence(evolution_));
  Value *first =
      builder_.CreateAdd(start, builder_.CreateMul(step, builder_.CreateZExtOrTrunc(done_, type)));
  Value *lanes = builder_.CreateMul(builder_.CreateVectorSplat(Lanes, step), numbers(type));
  return builder_.CreateAdd(builder_.CreateVectorSplat(Lanes, first), lanes);
}

Value *VectorLoop::widenLoad(LoadInst &load) {
  FixedVectorType *type = vectorOf(load.getType());
  Constant *zeros = Constant::getNullValue(type);
  if (facts_.isSideBySide(load)) {
    Value *start = expand(facts_.walkOf(load.getPointerOperand())->getStart());
    builder_.SetCurrentDebugLocation(load.getDebugLoc());
    Value *address = builder_.CreateGEP(load.getType(), start, done_);
    address = builder_.CreateConstGEP1_64(load.getType(), address, part_ * Lanes);
    return builder_.CreateMaskedLoad(type, address, load.getAlign(), mask_, zeros);
  }
  auto *address = cast<GetElementPtrInst>(load.getPointerOperand());
  Value *indices = widen(address->getOperand(1));
  builder_.SetCurrentDebugLocation(load.getDebugLoc());
  Value *addresses =
      builder_.CreateGEP(address->getSourceElementType(), address->getPointerOperand(), indices);
  return builder_.CreateMaskedGather(type, addresses, load.getAlign(), mask_, zeros);
}

/// One loop of the function; false if there is none.
bool takeOne(Function &function, FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto [machine, options] = analyses.getResult<simt::LaunchFactsAnalysis>(function);
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (SumLoop sums(*loop, evolution, machine, options.isEnabled("gather-words"));
        sums.isFound()) {
      VectorLoop(sums, *loop, evolution).take();
      return true;
    }
  return false;
}

} // namespace

PreservedAnalyses VectorizeReductions::run(Function &function, FunctionAnalysisManager &analyses) {
  bool isChanged = false;
  while (takeOne(function, analyses)) {
    simt::forget(function, analyses);
    isChanged = true;
  }
  return simt::changed(isChanged);
}

} // namespace heddle::jit
