// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies code behind clamped indices.
//
// A stencil clamps a neighbour's index to stay inside its array: `max(x - 1, 0)`, `x + 1 < w ? x +
// 1 : x`. Such an index is not affine where the clamp takes effect, so all warps gather because of
// the few at the border. This pass copies the code behind the clamp for warps in which no clamp
// takes effect (heddle.all, all_lanes.h), with the affine value in place of the clamp:
//
//     B: ...; %w = smax(%x - 1, 0); ...            B: ...; br heddle.all(%x - 1 >= 0), R', R
//        load %p + %w; ...                 ->      R:  %w = smax(%x - 1, 0); load %p + %w; ...
//                                                  R': load %p + (%x - 1); ...
//
// A clamp is a minimum or maximum with a uniform bound, a select by a comparison, or such a
// comparison as a number (LLVM's form of `x == 0 ? c : c - 1`). Its operands are affine, or are
// once clamps before it are replaced. The common side is assumed to be that of the affine value and
// not of the bound; different rather than equal; inside rather than outside of a range that begins
// at 0 or ends at a uniform value. If that is wrong the copy never runs.
//
// The pass copies what the clamp's block dominates, within its loop, if an access in there becomes
// affine in the copy. All copies of a kernel together have a budget.
//
// Rejected: a test at each access (as many branches as accesses, and addresses are still computed
// as vectors); splitting the grid (the border is known inside the program only, and there are
// several borders).
//
// Legality (version-clamps):
//  1. The copy without clamps runs only where no clamp binds in any lane; a lane's index that has
//     wrapped around is not taken for one inside. [binds in no lane]
//  2. The test reads no memory and cannot fault; it is done before the clamp. [free of risk]
//  3. What is copied holds no barrier that its program waits at. [waits]
#include "simt/thread/version_clamps.h"

#include "simt/analysis/intrinsics.h"
#include "simt/analysis/pass_notes.h"
#include "simt/compilation.h"
#include "simt/thread/guard_region.h"
#include "simt/thread/region_copies.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

constexpr unsigned CopiedInstructions = 400; ///< in a kernel
constexpr unsigned MostCopies = 8;
constexpr unsigned LongestTest = 12; ///< instructions from a clamp back to values that are there

/// A value, and what it is where it does not bind: where `left predicate right`.
struct Clamp {
  Value *line;
  CmpInst::Predicate predicate;
  Value *left, *right;
};

/// What the common answer to the comparison is (see above).
bool isCommon(const ICmpInst &compare, const Shapes &shapes) {
  CmpInst::Predicate predicate = compare.getPredicate();
  if (compare.isEquality())
    return predicate == CmpInst::ICMP_NE;
  const Value *bound = compare.getOperand(1);
  if (shapes.isUniform(compare.getOperand(0))) {
    bound = compare.getOperand(0);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  bool isBelow = ICmpInst::isLT(predicate) || ICmpInst::isLE(predicate);
  const auto *number = dyn_cast<ConstantInt>(bound);
  bool isBegin = number && number->getValue().slt(2);
  return isBelow != isBegin;
}

/// The clamp that an instruction is.
std::optional<Clamp> clampOf(Value *value, const Shapes &shapes) {
  auto byCompare = [&](Value *condition, Value *ifTrue, Value *ifFalse) -> std::optional<Clamp> {
    auto *compare = dyn_cast<ICmpInst>(condition);
    if (!compare || shapes.isUniform(compare))
      return {};
    bool isBound = shapes.isUniform(ifTrue), isOtherBound = shapes.isUniform(ifFalse);
    bool taken = isBound == isOtherBound || compare->isEquality() ? isCommon(*compare, shapes)
                                                                  : isOtherBound;
    return Clamp{taken ? ifTrue : ifFalse,
                 taken ? compare->getPredicate() : compare->getInversePredicate(),
                 compare->getOperand(0), compare->getOperand(1)};
  };
  if (!isa<Instruction>(value) || !value->getType()->isIntOrPtrTy())
    return {};
  if (auto *select = dyn_cast<SelectInst>(value))
    return byCompare(select->getCondition(), select->getTrueValue(), select->getFalseValue());
  if (auto *limit = dyn_cast<MinMaxIntrinsic>(value)) {
    Value *line = limit->getLHS(), *bound = limit->getRHS();
    if (shapes.isUniform(line))
      std::swap(line, bound);
    if (shapes.isUniform(line) || !shapes.isUniform(bound))
      return {};
    return Clamp{line, CmpInst::getNonStrictPredicate(limit->getPredicate()), line, bound};
  }
  if (auto *cast = dyn_cast<CastInst>(value);
      cast && isa<SExtInst, ZExtInst>(cast) && cast->getSrcTy()->isIntegerTy(1)) {
    Type *type = cast->getType();
    Constant *one = isa<SExtInst>(cast) ? Constant::getAllOnesValue(type)
                                        : static_cast<Constant *>(ConstantInt::get(type, 1));
    return byCompare(cast->getOperand(0), one, Constant::getNullValue(type));
  }
  return {};
}

/// How values go from lane to lane once clamps do not bind.
class Lines {
public:
  explicit Lines(const Shapes &shapes) : shapes_(shapes) {}

  /// A line, or made of lines. `clamps` are those that have to be replaced for that.
  bool isStraight(Value *value, SmallVectorImpl<Instruction *> &clamps) {
    if (shapes_.of(value).segment > 1 || shapes_.isScalar(value))
      return true;
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction)
      return false;
    if (!seen_.insert(instruction).second) // a loop's counter, or known
      return !isa<LoadInst>(instruction);
    if (std::optional<Clamp> clamp = clampOf(instruction, shapes_)) {
      clamps.push_back(instruction);
      return isStraight(clamp->line, clamps) && isStraight(clamp->left, clamps) &&
             isStraight(clamp->right, clamps);
    }
    return isSum(*instruction) && all_of(instruction->operands(), [&](Value *operand) {
             return isStraight(operand, clamps);
           });
  }

private:
  bool isSum(const Instruction &instruction) {
    switch (instruction.getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::GetElementPtr:
    case Instruction::PHI:
    case Instruction::SExt:
    case Instruction::ZExt:
    case Instruction::Trunc:
    case Instruction::Freeze:
      return true;
    case Instruction::Mul:
    case Instruction::Shl:
      return isa<ConstantInt>(instruction.getOperand(1));
    case Instruction::Or:
      return cast<PossiblyDisjointInst>(instruction).isDisjoint();
    default:
      return false;
    }
  }

  const Shapes &shapes_;
  SmallPtrSet<Instruction *, 16> seen_;
};

class ClampVersions {
public:
  ClampVersions(Function &thread, const Options &options) : thread_(thread), options_(options) {}

  bool run() {
    findFacts();
    if (usefulClamps().empty())
      return false;
    for (BasicBlock &block : make_early_inc_range(thread_)) // regions end before they return
      if (isa<ReturnInst>(block.getTerminator()) && block.size() > 1)
        SplitBlock(&block, block.getTerminator());
    for (unsigned i = 0; i < MostCopies && copyFirst(); ++i)
      normalizeLoops(thread_);
    return true;
  }

private:
  using Clamps = SmallSetVector<Instruction *, 8>;

  void findFacts() { facts_ = std::make_unique<GuardFacts>(thread_, options_); }
  bool copyFirst();
  bool runsPartly(const BasicBlock &) const;
  MapVector<BasicBlock *, Clamps> usefulClamps();
  SmallVector<BasicBlock *, 8> regionBehind(BasicBlock &);
  Value *emitTest(const Clamps &, const Instruction &before, IRBuilder<> &, Clamps &tested);
  Value *rebuild(Value *, const Clamps &, const Instruction &before, IRBuilder<> &,
                 unsigned &budget);
  void copyBehind(BasicBlock *block, ArrayRef<BasicBlock *> region, Value *test,
                  const Clamps &tested);

  Function &thread_;
  const Options &options_;
  std::unique_ptr<GuardFacts> facts_;
  unsigned copied_ = 0;
  SmallPtrSet<BasicBlock *, 16> finished_; ///< clamps here stay
};

/// Only warps come here that have not passed a guard whole, or in which a clamp binds.
bool ClampVersions::runsPartly(const BasicBlock &block) const {
  const DomTreeNode *node = facts_->dominators.getNode(&block);
  for (node = node ? node->getIDom() : nullptr; node; node = node->getIDom()) {
    const auto *branch = dyn_cast<BranchInst>(node->getBlock()->getTerminator());
    if (!branch || !branch->isConditional() || !isAllLanes(branch->getCondition()))
      continue;
    if (facts_->dominators.dominates(BasicBlockEdge(node->getBlock(), branch->getSuccessor(1)),
                                     &block))
      return true;
  }
  return false;
}

/// Clamps without which accesses go straight that do not now, by their blocks.
MapVector<BasicBlock *, ClampVersions::Clamps> ClampVersions::usefulClamps() {
  MapVector<BasicBlock *, Clamps> useful;
  for (BasicBlock *block : facts_->order.blocks)
    for (Instruction &instruction : *block) {
      Value *address = getLoadStorePointerOperand(&instruction);
      if (!address || facts_->shapes.of(address).segment > 1 || facts_->shapes.isScalar(address))
        continue;
      SmallVector<Instruction *, 4> clamps;
      if (Lines(facts_->shapes).isStraight(address, clamps))
        for (Instruction *clamp : clamps)
          useful[clamp->getParent()].insert(clamp);
    }
  return useful;
}

/// What the block dominates in its loop, from the first; empty if that cannot be copied. The end of
/// the kernel stays alone.
SmallVector<BasicBlock *, 8> ClampVersions::regionBehind(BasicBlock &block) {
  SmallVector<BasicBlock *, 8> blocks, region;
  facts_->dominators.getDescendants(&block, blocks);
  const Loop *loop = facts_->loops.getLoopFor(&block);
  for (BasicBlock *inside : blocks)
    if (!isa<ReturnInst>(inside->getTerminator()) && (!loop || loop->contains(inside)))
      region.push_back(inside);
  bool canCopyAll = all_of(region, [&](BasicBlock *b) { return canCopy(*facts_, *b); });
  return canCopyAll ? region : SmallVector<BasicBlock *, 8>();
}

/// The value in front of `before`, without clamps; null if it is not known there. What is computed
/// for it promises nothing, as it may be computed where it was not before.
Value *ClampVersions::rebuild(Value *value, const Clamps &clamps, const Instruction &before,
                              IRBuilder<> &builder, unsigned &budget) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (instruction && clamps.contains(instruction))
    return rebuild(clampOf(value, facts_->shapes)->line, clamps, before, builder, budget);
  if (!instruction || facts_->dominators.dominates(instruction, &before))
    return isGuaranteedNotToBeUndefOrPoison(value, nullptr, &before, &facts_->dominators)
               ? value
               : builder.CreateFreeze(value);
  bool isPlain =
      isa<BinaryOperator, CastInst, ICmpInst, SelectInst, GetElementPtrInst, MinMaxIntrinsic>(
          instruction) &&
      isSafeToSpeculativelyExecute(instruction);
  if (!isPlain || budget == 0)
    return nullptr;
  --budget;
  SmallVector<Value *, 4> operands;
  for (Value *operand : instruction->operands()) {
    operands.push_back(isa<Function>(operand) ? operand
                                              : rebuild(operand, clamps, before, builder, budget));
    if (!operands.back())
      return nullptr;
  }
  Instruction *copy = builder.Insert(instruction->clone());
  for (auto [i, operand] : enumerate(operands))
    copy->setOperand(i, operand);
  copy->dropPoisonGeneratingAnnotations();
  return copy;
}

/// No clamp binds in this thread; `tested` are those of which that can be asked.
Value *ClampVersions::emitTest(const Clamps &clamps, const Instruction &before,
                               IRBuilder<> &builder, Clamps &tested) {
  Value *test = nullptr;
  for (Instruction *instruction : clamps) {
    Clamp clamp = *clampOf(instruction, facts_->shapes);
    unsigned budget = LongestTest;
    Value *left = rebuild(clamp.left, clamps, before, builder, budget);
    Value *right = left ? rebuild(clamp.right, clamps, before, builder, budget) : nullptr;
    if (!right) // others may count on this one
      return nullptr;
    Value *free = builder.CreateICmp(clamp.predicate, left, right);
    test = test ? builder.CreateAnd(test, free) : free;
    tested.insert(instruction);
  }
  return test;
}

/// The block ends in the test: `region`, which it goes on at, is for the other warps.
void ClampVersions::copyBehind(BasicBlock *block, ArrayRef<BasicBlock *> region, Value *test,
                               const Clamps &tested) {
  Instruction *old = block->getTerminator();
  ValueToValueMapTy map;
  copyBlocks(region, map);
  for (Instruction *clamp : tested) {
    Value *line = clampOf(clamp, facts_->shapes)->line, *copy = map.lookup(line);
    cast<Instruction>(map.lookup(clamp))->replaceAllUsesWith(copy ? copy : line);
  }
  IRBuilder<> builder(old);
  builder.CreateCondBr(emitAllLanes(builder, test), cast<BasicBlock>(map.lookup(region.front())),
                       region.front(), MDBuilder(thread_.getContext()).createLikelyBranchWeights());
  old->eraseFromParent();
}

bool ClampVersions::copyFirst() {
  findFacts();
  for (auto &[block, clamps] : usefulClamps()) {
    if (finished_.contains(block) || runsPartly(*block))
      continue;
    finished_.insert(block);
    Instruction *first = &*find_if(*block, [&](Instruction &i) { return clamps.contains(&i); });
    BasicBlock *behind = SplitBlock(block, first, &facts_->dominators, &facts_->loops);
    SmallVector<BasicBlock *, 8> region = regionBehind(*behind);
    unsigned size = 0;
    for (BasicBlock *inside : region)
      size += inside->size();
    IRBuilder<> builder(block->getTerminator());
    Clamps tested;
    Value *test = region.empty() || copied_ + size > CopiedInstructions
                      ? nullptr
                      : emitTest(clamps, *block->getTerminator(), builder, tested);
    if (!test)
      continue;
    copied_ += size;
    copyBehind(block, region, test, tested);
    finished_.insert(region.begin(), region.end());
    return true;
  }
  return false;
}

} // namespace

PreservedAnalyses VersionClamps::run(Compilation &kernel, FunctionAnalysisManager &) {
  if (kernel.options.width == 1)
    return PreservedAnalyses::all();
  return ClampVersions(*kernel.thread.body, kernel.options).run() ? PreservedAnalyses::none()
                                                                  : PreservedAnalyses::all();
}

} // namespace heddle::simt
