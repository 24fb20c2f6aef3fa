// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/vector/vector_loop.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace heddle::jit {

using namespace llvm;
using simt::isOrderFreeProduct, simt::isOrderFreeSubtraction, simt::Sum, simt::SumLoop;

/// The value before the loop.
Value *VectorLoop::expand(const SCEV *what) {
  Value *&value = expanded_[what];
  if (!value)
    value = SCEVExpander(evolution_, "sums").expandCodeFor(what, what->getType(), before());
  return value;
}

BasicBlock *VectorLoop::block(const char *name) const {
  return BasicBlock::Create(body_.getContext(), name, body_.getParent(), &body_);
}

void VectorLoop::take() {
  BasicBlock *last = block("sums");
  IRBuilder<> outside(before());
  rounds_ = expand(evolution_.getBackedgeTakenCount(&loop_));
  rounds_ = outside.CreateAdd(outside.CreateZExt(rounds_, outside.getInt64Ty()),
                              outside.getInt64(1), "rounds");
  SmallVector<State, 2> entries = {begin(LastRounds)};
  if (unsigned lanes = facts_.lanesOfWholeTurns())
    entries.push_back(takeWholeTurns({lanes, 1, false}, last));
  else
    before()->replaceSuccessorWith(&body_, last);

  State turn = makeTurn(LastRounds, last, entries);
  BasicBlock *end = block("sums.end");
  goRound(turn, builder_.CreateICmpULT(turn.done, rounds_), end);
  builder_.SetInsertPoint(end);
  endSums(turn);
  builder_.CreateBr(loop_.getExitBlock());
  replaceLoop(*end);
}

/// The loop of whole turns, before the one of the last rounds, with the way past it.
VectorLoop::State VectorLoop::takeWholeTurns(const Form &form, BasicBlock *last) {
  State start = begin(form);
  BasicBlock *loop = block("whole.turns"), *end = block("whole.turns.end");
  loop->moveBefore(last);
  end->moveBefore(last);
  IRBuilder<> outside(before());
  Value *isLong =
      outside.CreateICmpUGE(rounds_, outside.getInt64(SumLoop::FewestWholeTurns * form.rounds()));
  outside.CreateCondBr(isLong, loop, last);
  before()->eraseFromParent();

  State turn = makeTurn(form, loop, start);
  Value *left = builder_.CreateSub(rounds_, turn.done);
  goRound(turn, builder_.CreateICmpUGE(left, builder_.getInt64(form.rounds())), end);
  builder_.SetInsertPoint(end);
  for (auto [sum, vectors] : zip(facts_.sums(), turn.sums))
    vectors = fold(sum, vectors);
  builder_.CreateBr(last);
  turn.after = end;
  return turn;
}

/// The body of a loop that is entered in these states; what it is in at its end.
VectorLoop::State VectorLoop::makeTurn(const Form &form, BasicBlock *loop,
                                       ArrayRef<State> entries) {
  form_ = form;
  builder_.SetInsertPoint(loop);
  builder_.SetCurrentDebugLocation(body_.getTerminator()->getDebugLoc());
  auto phiOf = [&](const char *name, auto get) {
    PHINode *phi = builder_.CreatePHI(get(entries[0])->getType(), entries.size() + 1, name);
    for (const State &entry : entries)
      phi->addIncoming(get(entry), entry.after);
    return phi;
  };
  done_ = phiOf("done", [](const State &entry) { return entry.done; });
  State turn = {loop, nullptr, {}};
  for (unsigned sum = 0; sum < facts_.sums().size(); ++sum)
    for (part_ = 0, turn.sums.emplace_back(); part_ < form.parts; ++part_)
      turn.sums[sum].push_back(
          phiOf("sums", [&](const State &entry) { return entry.sums[sum][part_]; }));
  Value *left = nullptr;
  if (form.isMasked) {
    left = builder_.CreateBinaryIntrinsic(Intrinsic::umin, builder_.CreateSub(rounds_, done_),
                                          builder_.getInt64(form.rounds()));
    left =
        builder_.CreateVectorSplat(form.lanes, builder_.CreateTrunc(left, builder_.getInt32Ty()));
  }
  for (part_ = 0; part_ < form.parts; ++part_) {
    mask_ =
        left ? builder_.CreateICmpSGT(left, numbers(builder_.getInt32Ty()), "has.round") : nullptr;
    widened_.clear();
    for (auto [sum, vectors] : zip(facts_.sums(), turn.sums))
      for (unsigned addition = 0; addition < sum.additions.size(); ++addition)
        vectors[part_] = widenAddition(sum, addition, vectors[part_]);
  }
  builder_.SetCurrentDebugLocation(body_.getTerminator()->getDebugLoc());
  turn.done = builder_.CreateAdd(done_, builder_.getInt64(form.rounds()));
  return turn;
}

/// The end of the loop's block.
void VectorLoop::goRound(const State &turn, Value *goesOn, BasicBlock *end) {
  builder_.CreateCondBr(goesOn, turn.after, end);
  auto phi = turn.after->phis().begin();
  (phi++)->addIncoming(turn.done, turn.after);
  for (const auto &vectors : turn.sums)
    for (Value *vector : vectors)
      (phi++)->addIncoming(vector, turn.after);
}

/// Vectors of whole turns as those of the last rounds.
VectorLoop::Parts VectorLoop::fold(const Sum &sum, ArrayRef<Value *> vectors) {
  Value *all = vectors[0];
  auto piece = [&](unsigned first, unsigned lanes) {
    return builder_.CreateShuffleVector(all, to_vector(seq<int>(first, first + lanes)));
  };
  for (unsigned lanes = form_.lanes / 2; lanes >= LastRounds.rounds(); lanes /= 2)
    all = sum.operation.apply(builder_, piece(0, lanes), piece(lanes, lanes));
  Parts parts;
  for (unsigned part = 0; part < LastRounds.parts; ++part)
    parts.push_back(piece(part * LastRounds.lanes, LastRounds.lanes));
  return parts;
}

/// The numbers of this part's rounds.
Constant *VectorLoop::numbers(Type *type) const {
  SmallVector<Constant *, SumLoop::Lanes> numbers;
  for (unsigned lane = 0; lane < form_.lanes; ++lane)
    numbers.push_back(ConstantInt::get(type, part_ * form_.lanes + lane, /*IsSigned=*/false,
                                       /*ImplicitTrunc=*/true));
  return ConstantVector::get(numbers);
}

/// One number of each sum's lanes, for who wants it behind the loop.
void VectorLoop::endSums(const State &turn) {
  for (auto [sum, vectors] : zip(facts_.sums(), turn.sums)) {
    Value *all = vectors[0];
    for (Value *vector : drop_begin(vectors))
      all = sum.operation.apply(builder_, all, vector);
    all = sum.operation.acrossLanes(builder_, all);
    if (sum.operation.neutral())
      all = sum.operation.apply(builder_, sum.phi->getIncomingValueForBlock(&preheader_), all);
    sum.last()->replaceUsesWithIf(all, [&](const Use &use) {
      return cast<Instruction>(use.getUser())->getParent() != &body_;
    });
  }
}

void VectorLoop::replaceLoop(BasicBlock &end) {
  loop_.getExitBlock()->replacePhiUsesWith(&body_, &end);
  body_.getTerminator()->eraseFromParent();
  new UnreachableInst(body_.getContext(), &body_);
  DeleteDeadBlock(&body_);
}

/// Sums begin with what changes nothing, or as often as there are lanes with what the loop began
/// with, where that is the same as once.
VectorLoop::State VectorLoop::begin(const Form &form) const {
  IRBuilder<> outside(before());
  State state = {&preheader_, outside.getInt64(0), {}};
  for (const Sum &sum : facts_.sums()) {
    Value *start = sum.operation.neutral();
    start = outside.CreateVectorSplat(
        form.lanes, start ? start : sum.phi->getIncomingValueForBlock(&preheader_));
    state.sums.emplace_back(form.parts, start);
  }
  return state;
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
  return !mask_ || isSame ? next : builder_.CreateSelect(mask_, next, sums);
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
    return builder_.CreateVectorSplat(form_.lanes, value);
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
  Value *lanes = builder_.CreateMul(builder_.CreateVectorSplat(form_.lanes, step), numbers(type));
  return builder_.CreateAdd(builder_.CreateVectorSplat(form_.lanes, first), lanes);
}

Value *VectorLoop::widenLoad(LoadInst &load) {
  FixedVectorType *type = vectorOf(load.getType());
  Constant *zeros = Constant::getNullValue(type);
  if (facts_.isSideBySide(load)) {
    Value *start = expand(facts_.walkOf(load.getPointerOperand())->getStart());
    builder_.SetCurrentDebugLocation(load.getDebugLoc());
    Value *address = builder_.CreateGEP(load.getType(), start, done_);
    address = builder_.CreateConstGEP1_64(load.getType(), address, part_ * form_.lanes);
    if (!mask_)
      return builder_.CreateAlignedLoad(type, address, load.getAlign());
    return builder_.CreateMaskedLoad(type, address, load.getAlign(), mask_, zeros);
  }
  auto *address = cast<GetElementPtrInst>(load.getPointerOperand());
  Value *indices = widen(address->getOperand(1));
  builder_.SetCurrentDebugLocation(load.getDebugLoc());
  Value *addresses =
      builder_.CreateGEP(address->getSourceElementType(), address->getPointerOperand(), indices);
  return builder_.CreateMaskedGather(type, addresses, load.getAlign(), mask_, zeros);
}

} // namespace heddle::jit
