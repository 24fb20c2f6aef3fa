// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A back end for GPUs rewrites loops to save registers: it counts down to zero, moves a pointer for
// each array, and steps behind the test of the end. simt reads indices:
//
//   loop:                                          loop:
//     %n = phi i32 [ %count ], [ %m ]                %k = phi i32 [ 0 ], [ %l ]
//     %p = phi ptr [ %a ], [ %q ]                    %i = mul (zext %k), 4
//     %x = load float, ptr %p                        %p = getelementptr i8, ptr %a, i64 %i
//     %m = add i32 %n, -1                      ->    %x = load float, ptr %p
//     br (icmp eq %m, 0), %done, %step               %l = add i32 %k, 1
//   step:                                            br (icmp eq %l, %count), %done, %loop
//     %q = getelementptr i8, ptr %p, i64 4
//     br %loop
//
// A count from zero to the difference of two numbers counts from the one to the other, where elements
// are those of arrays:
//
//     %p = gep (gep %a, (sext %first) * 4), %k * 4       %p = gep %a, (sext %i) * 4
//     br (icmp eq %l, (sub %last, %first))          ->   br (icmp eq %j, %last)
//
// The count is that of whole numbers, also where %count is 0: then %k takes all values of its type.
// Steps that move before the test may be computed at any time.
#include "frontend/ptx/module/plain_loops.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::frontend::ptx {

namespace {

constexpr unsigned MostSteps = 16; ///< instructions of a block of steps

/// Steps behind the test come before it.
void joinLatch(Loop &loop, LoopInfo &loops) {
  BasicBlock *latch = loop.getLoopLatch(), *header = loop.getHeader();
  BasicBlock *test = latch ? latch->getSinglePredecessor() : nullptr;
  auto *jump = latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
  auto *branch = test ? dyn_cast<BranchInst>(test->getTerminator()) : nullptr;
  if (!jump || jump->isConditional() || !branch || !branch->isConditional() ||
      branch->getSuccessor(0) == branch->getSuccessor(1) || !loop.isLoopExiting(test) ||
      is_contained(successors(test), header) || latch->size() > MostSteps ||
      !all_of(*latch, [&](Instruction &step) {
        return &step == jump || (!isa<PHINode>(step) && isSafeToSpeculativelyExecute(&step));
      }))
    return;
  for (Instruction &step : make_early_inc_range(*latch))
    if (&step != jump)
      step.moveBefore(branch->getIterator());
  branch->replaceSuccessorWith(latch, header);
  header->replacePhiUsesWith(latch, test);
  loops.removeBlock(latch);
  latch->eraseFromParent();
}

/// The variables of a loop that ends by its latch.
class Counters {
public:
  explicit Counters(Loop &loop)
      : header_(*loop.getHeader()), before_(loop.getLoopPreheader()), latch_(loop.getLoopLatch()),
        loop_(loop) {}

  void run() {
    if (!before_ || !latch_)
      return;
    if (ICmpInst *compare = end(); compare && loop_.isLoopInvariant(compare->getOperand(0)))
      compare->swapOperands();
    endAsWhole();
    countUp();
    narrow();
    findCounter();
    if (!count_)
      return;
    findRange();
    for (PHINode &phi : make_early_inc_range(header_.phis()))
      if (phi.getType()->isPointerTy())
        indexFrom(phi);
    if (number_ && !number_->use_empty())
      endWithNumber();
  }

private:
  Value *start(PHINode &phi) const { return phi.getIncomingValueForBlock(before_); }
  Value *next(PHINode &phi) const { return phi.getIncomingValueForBlock(latch_); }

  /// The comparison that decides at the latch whether the loop goes on.
  ICmpInst *end() const {
    auto *branch = dyn_cast<BranchInst>(latch_->getTerminator());
    return branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  }

  /// What goes from zero by a constant and ends where its lower 32 bits are a multiple of that has no
  /// other bits when it ends.
  void endAsWhole() {
    ICmpInst *compare = end();
    Value *more = nullptr;
    const APInt *last = nullptr, *mask = nullptr, *step = nullptr;
    if (!compare || !compare->isEquality() || !match(compare->getOperand(1), m_APInt(last)) ||
        !match(compare->getOperand(0), m_And(m_Value(more), m_APInt(mask))) ||
        !more->getType()->isIntegerTy(64))
      return;
    for (PHINode &phi : header_.phis())
      if (next(phi) == more && match(start(phi), m_Zero()) &&
          match(more, m_Add(m_Specific(&phi), m_APInt(step))) && step->isStrictlyPositive() &&
          last->isStrictlyPositive() && last->isIntN(32) && last->urem(*step) == 0 &&
          *mask == APInt::getBitsSet(64, step->countr_zero(), 32)) {
        compare->setOperand(0, more);
        return;
      }
  }

  /// A counter that ends at zero becomes one that begins there.
  void countUp() {
    ICmpInst *compare = end();
    if (!compare || !compare->isEquality() || !match(compare->getOperand(1), m_Zero()) ||
        !compare->hasOneUse())
      return;
    for (PHINode &phi : header_.phis()) {
      Value *less = next(phi);
      if (less != compare->getOperand(0) || !match(less, m_Add(m_Specific(&phi), m_AllOnes())) ||
          !less->hasNUses(2) || !phi.hasOneUse() || !loop_.isLoopInvariant(start(phi)))
        continue;
      IRBuilder<> builder(&phi);
      PHINode *count = builder.CreatePHI(phi.getType(), 2);
      builder.SetInsertPoint(cast<Instruction>(less));
      Value *more = builder.CreateAdd(count, ConstantInt::get(phi.getType(), 1));
      count->addIncoming(ConstantInt::get(phi.getType(), 0), before_);
      count->addIncoming(more, latch_);
      compare->setOperand(0, more);
      compare->setOperand(1, start(phi));
      phi.replaceAllUsesWith(PoisonValue::get(phi.getType()));
      phi.eraseFromParent();
      cast<Instruction>(less)->eraseFromParent();
      return;
    }
  }

  /// One of 64 bits whose lower half ends the loop has no other bits.
  void narrow() {
    ICmpInst *compare = end();
    Value *more = nullptr;
    if (!compare || !match(compare->getOperand(0), m_Trunc(m_Value(more))) ||
        !loop_.isLoopInvariant(compare->getOperand(1)) || !compare->isEquality() ||
        !stays(*compare))
      return;
    for (PHINode &phi : header_.phis()) {
      if (next(phi) != more || !match(start(phi), m_Zero()) ||
          !match(more, m_Add(m_Specific(&phi), m_One())))
        continue;
      Type *type = compare->getOperand(1)->getType();
      IRBuilder<> builder(&phi);
      PHINode *count = builder.CreatePHI(type, 2);
      builder.SetInsertPoint(&header_, header_.getFirstInsertionPt());
      phi.replaceAllUsesWith(builder.CreateZExt(count, phi.getType()));
      builder.SetInsertPoint(compare);
      Value *one = builder.CreateAdd(count, ConstantInt::get(type, 1));
      count->addIncoming(ConstantInt::get(type, 0), before_);
      count->addIncoming(one, latch_);
      compare->setOperand(0, one);
      phi.eraseFromParent();
      return;
    }
  }

  /// One that begins at zero, goes by one, and does not wrap around before the loop's end: it is
  /// compared at the latch, or has 64 bits as an address has.
  void findCounter() {
    ICmpInst *compare = end();
    for (PHINode &phi : header_.phis()) {
      Value *more = next(phi);
      if (!phi.getType()->isIntegerTy() || !match(start(phi), m_Zero()) ||
          !match(more, m_Add(m_Specific(&phi), m_One())))
        continue;
      const bool isCompared = compare && compare->getOperand(0) == more &&
                              loop_.isLoopInvariant(compare->getOperand(1)) && stays(*compare);
      if (phi.getType()->isIntegerTy(64) || (phi.getType()->isIntegerTy(32) && isCompared))
        count_ = &phi;
    }
  }

  /// The loop goes on while the next count is below something, or is not something.
  bool stays(ICmpInst &compare) const {
    auto *branch = cast<BranchInst>(latch_->getTerminator());
    CmpInst::Predicate goesOn = branch->getSuccessor(0) == &header_ ? compare.getPredicate()
                                                                    : compare.getInversePredicate();
    return goesOn == CmpInst::ICMP_NE || goesOn == CmpInst::ICMP_ULT || goesOn == CmpInst::ICMP_SLT;
  }

  /// Whether the counter ends at `last_ - first_`, which is above zero.
  void findRange() {
    ICmpInst *compare = end();
    if (!compare || compare->getOperand(0) != next(*count_) || !compare->isEquality() ||
        !count_->getType()->isIntegerTy(32) ||
        !match(compare->getOperand(1), m_Sub(m_Value(last_), m_Value(first_))))
      return;
    const std::optional<bool> isBelow = isImpliedByDomCondition(
        ICmpInst::ICMP_SLT, first_, last_, before_->getTerminator(), header_.getDataLayout());
    if (isBelow && *isBelow)
      range_ = compare;
  }

  /// first_ + count_, which does not wrap around.
  PHINode *number() {
    if (!number_) {
      IRBuilder<> builder(count_);
      number_ = builder.CreatePHI(count_->getType(), 2);
      builder.SetInsertPoint(cast<Instruction>(next(*count_)));
      number_->addIncoming(first_, before_);
      number_->addIncoming(builder.CreateNSWAdd(number_, ConstantInt::get(number_->getType(), 1)),
                           latch_);
    }
    return number_;
  }

  void endWithNumber() {
    range_->setOperand(0, next(*number_));
    range_->setOperand(1, last_);
    RecursivelyDeleteDeadPHINode(count_);
  }

  /// `bytes` times the first number, counted from a base: the base, or null.
  Value *baseOfRange(Value *start, Value *bytes) const {
    auto *address = dyn_cast<GetElementPtrInst>(start);
    auto *constant = dyn_cast<ConstantInt>(bytes);
    if (!range_ || !address || !constant || address->getNumIndices() != 1 ||
        !address->getSourceElementType()->isIntegerTy(8))
      return nullptr;
    const APInt &size = constant->getValue();
    Value *offset = address->getOperand(1);
    const bool isIt = match(offset, m_c_Mul(m_SExt(m_Specific(first_)), m_SpecificInt(size))) ||
                      (size.isPowerOf2() && match(offset, m_Shl(m_SExt(m_Specific(first_)),
                                                                m_SpecificInt(size.logBase2()))));
    return isIt ? address->getPointerOperand() : nullptr;
  }

  /// The bytes that a step goes by, the same ones in all iterations; null: they are not.
  Value *bytesOf(GetElementPtrInst &step, IRBuilder<> &builder) const {
    APInt bytes(64, 0);
    if (step.accumulateConstantOffset(header_.getDataLayout(), bytes))
      return builder.getInt(bytes);
    Value *index = step.getNumIndices() == 1 ? step.getOperand(1) : nullptr;
    return index && step.getSourceElementType()->isIntegerTy(8) &&
                   index->getType()->isIntegerTy(64) && loop_.isLoopInvariant(index)
               ? index
               : nullptr;
  }

  /// A pointer that goes by the same bytes each time is an element of where it begins.
  void indexFrom(PHINode &phi) {
    auto *step = dyn_cast<GetElementPtrInst>(next(phi));
    IRBuilder<> builder(&header_, header_.getFirstInsertionPt());
    Value *bytes = step && step->getPointerOperand() == &phi ? bytesOf(*step, builder) : nullptr;
    if (!bytes)
      return;
    Value *base = baseOfRange(start(phi), bytes);
    Value *index = base ? builder.CreateSExt(number(), builder.getInt64Ty())
                        : builder.CreateZExt(count_, builder.getInt64Ty());
    Value *offset = builder.CreateMul(index, bytes, "", false, /*HasNSW=*/base != nullptr);
    Value *element = builder.CreateGEP(builder.getInt8Ty(), base ? base : start(phi), offset);
    phi.replaceUsesWithIf(element, [&](Use &use) { return use.getUser() != step; });
    if (!step->hasOneUse()) // it is an element, too
      step->setOperand(0, element);
    phi.replaceAllUsesWith(PoisonValue::get(phi.getType()));
    phi.eraseFromParent();
    if (step->use_empty())
      step->eraseFromParent();
  }

  BasicBlock &header_;
  BasicBlock *before_, *latch_;
  Loop &loop_;
  PHINode *count_ = nullptr;  ///< from zero
  ICmpInst *range_ = nullptr; ///< ends the loop at last_ - first_
  Value *first_ = nullptr, *last_ = nullptr;
  PHINode *number_ = nullptr; ///< first_ + count_, once it is asked for
};

} // namespace

void makeLoopsPlain(LoopInfo &loops) {
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost())
      continue;
    joinLatch(*loop, loops);
    Counters(*loop).run();
  }
}

} // namespace heddle::frontend::ptx
