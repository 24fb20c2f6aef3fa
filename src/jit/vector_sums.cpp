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
// What must be true (canTake): the loop is one block and ends by a count that is known when it
// begins; nothing in it writes, or could fail in a lane that is idle; from round to round it hands
// on counters and sums whose order is free (order_free.h), and behind it only the sums are wanted.
// And it must be worth it (isWorthIt): loads that go side by side, no more gathers than those,
// since a gather takes as long as two or three loads for each lane, and more rounds than a few if
// their number is known. A loop that always has two or three takes longer so than before, by
// 2 ns: nobody knows it here.
#include "jit/vector_sums.h"

#include "jit/gather_words.h"
#include "jit/order_free.h"
#include "simt/function_facts.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr unsigned Lanes = 8, Parts = 2, Turn = Lanes * Parts;
constexpr unsigned FewestRounds = 8; ///< if their number is known

/// What a loop carries and adds to in each round.
struct Sum {
  PHINode *phi;
  SmallVector<Instruction *, 2> additions; ///< the last one's value is handed on
  Operation operation;

  Instruction *last() const { return additions.back(); }

  /// What an addition adds to the sum so far: a number, or the factors of a product.
  SmallVector<Value *, 2> addends(unsigned addition) const {
    const Instruction *before = addition == 0 ? phi : additions[addition - 1];
    SmallVector<Value *, 2> values;
    for (Value *operand :
         drop_end(additions[addition]->operands(), isa<IntrinsicInst>(additions[addition]) ? 1 : 0))
      if (operand != before)
        values.push_back(operand);
    return values;
  }
};

bool isAccumulation(const Instruction &instruction, const Value &sum) {
  if (isOrderFreeProduct(instruction))
    return instruction.getOperand(2) == &sum && instruction.getOperand(0) != &sum &&
           instruction.getOperand(1) != &sum;
  return isOrderFree(instruction) &&
         (instruction.getOperand(0) == &sum) != (instruction.getOperand(1) == &sum);
}

/// A sum of such operations may be added to by this one too.
bool goesOn(const Operation &operation, const Instruction &instruction) {
  return operation.is(instruction) || (isOrderFreeProduct(instruction) && operation.adds());
}

/// Does the same with vectors, lane by lane, whatever is in lanes that nobody wants.
bool isLanewise(const Instruction &instruction) {
  if (const auto *call = dyn_cast<IntrinsicInst>(&instruction))
    switch (call->getIntrinsicID()) {
    case Intrinsic::fma:
    case Intrinsic::fmuladd:
    case Intrinsic::fabs:
    case Intrinsic::sqrt:
    case Intrinsic::minnum:
    case Intrinsic::maxnum:
    case Intrinsic::minimumnum:
    case Intrinsic::maximumnum:
      return true;
    default:
      return isa<MinMaxIntrinsic>(call);
    }
  return isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst, FreezeInst>(
             instruction) &&
         !instruction.isIntDivRem();
}

FixedVectorType *vectorOf(Type *type) { return FixedVectorType::get(type, Lanes); }

class SumLoop {
public:
  SumLoop(Loop &loop, ScalarEvolution &evolution, const TargetTransformInfo &target,
          const TargetMachine &machine, bool gathersWords)
      : loop_(loop), body_(*loop.getHeader()), evolution_(evolution), target_(target),
        machine_(machine), gathersWords_(gathersWords), builder_(body_.getContext()) {}

  bool canTake();
  bool isWorthIt() const;
  void take();

private:
  // What must be true.
  bool findSums();
  bool canWiden(Value *);
  bool canLoad(const LoadInst &);
  bool isWantedBehind(const Instruction &) const;
  const SCEVAddRecExpr *walkOf(Value *) const;
  bool isSideBySide(const LoadInst &) const;
  bool canExpand(const SCEV *what) {
    return SCEVExpander(evolution_, "").isSafeToExpandAt(what, before());
  }
  Instruction *before() const { return loop_.getLoopPreheader()->getTerminator(); }

  // The vector loop.
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

  Loop &loop_;
  BasicBlock &body_;
  ScalarEvolution &evolution_;
  const TargetTransformInfo &target_;
  const TargetMachine &machine_;
  bool gathersWords_;
  IRBuilder<> builder_;

  SmallVector<Sum, 2> sums_;
  SmallPtrSet<Value *, 16> known_; ///< that can be widened
  unsigned sideBySide_ = 0, gathers_ = 0;

  DenseMap<const SCEV *, Value *> expanded_;
  Value *done_ = nullptr;                              ///< rounds, before this turn
  Value *mask_ = nullptr;                              ///< of this part
  unsigned part_ = 0;                                  ///< that is being made
  DenseMap<Value *, Value *> widened_;                 ///< in this part
  SmallVector<SmallVector<PHINode *, Parts>, 2> phis_; ///< of each sum
  SmallVector<SmallVector<Value *, Parts>, 2> nexts_;
};

bool SumLoop::canTake() {
  const SCEV *rounds = evolution_.getBackedgeTakenCount(&loop_);
  if (!loop_.isInnermost() || loop_.getNumBlocks() != 1 || !loop_.getLoopPreheader() ||
      !loop_.getExitBlock() || isa<SCEVCouldNotCompute>(rounds) ||
      evolution_.getTypeSizeInBits(rounds->getType()) > 64 || !canExpand(rounds) || !findSums())
    return false;
  for (Instruction &instruction : body_) {
    if (instruction.isTerminator())
      continue;
    const auto *load = dyn_cast<LoadInst>(&instruction);
    bool isHarmless = load ? load->isSimple()
                           : !instruction.mayHaveSideEffects() && !instruction.mayReadFromMemory();
    if (!isHarmless || instruction.getType()->isVectorTy() || isWantedBehind(instruction))
      return false;
  }
  return all_of(sums_, [&](const Sum &sum) {
    return all_of(seq<unsigned>(0, sum.additions.size()), [&](unsigned addition) {
      return all_of(sum.addends(addition), [&](Value *value) { return canWiden(value); });
    });
  });
}

bool SumLoop::isWorthIt() const {
  unsigned most = evolution_.getSmallConstantMaxTripCount(&loop_);
  return sideBySide_ > 0 && gathers_ <= sideBySide_ && (most == 0 || most >= FewestRounds);
}

/// Behind the loop only the sums are.
bool SumLoop::isWantedBehind(const Instruction &instruction) const {
  bool isSum = any_of(sums_, [&](const Sum &sum) { return sum.last() == &instruction; });
  return !isSum && any_of(instruction.users(), [&](const User *user) {
    return cast<Instruction>(user)->getParent() != &body_;
  });
}

/// The phis of the loop that are no counters are sums.
bool SumLoop::findSums() {
  for (PHINode &phi : body_.phis()) {
    if (phi.getType()->isPointerTy() || phi.getType()->isIntegerTy())
      if (walkOf(&phi))
        continue;
    auto *next = dyn_cast<Instruction>(phi.getIncomingValueForBlock(&body_));
    SmallVector<Instruction *, 2> additions;
    for (Instruction *sum = &phi; sum != next;) {
      if (!sum->hasOneUse() || additions.size() > body_.size())
        return false;
      auto *user = cast<Instruction>(*sum->user_begin());
      bool fits = user->getParent() == &body_ && isAccumulation(*user, *sum) &&
                  (additions.empty() || goesOn(Operation(*additions.front()), *user));
      if (!fits)
        return false;
      additions.push_back(user);
      sum = user;
    }
    if (additions.empty())
      return false;
    Operation operation(*additions.front());
    sums_.push_back({&phi, additions, operation});
  }
  return !sums_.empty();
}

/// How a counter or an address goes on from round to round; null if not by the same distance.
const SCEVAddRecExpr *SumLoop::walkOf(Value *value) const {
  if (!evolution_.isSCEVable(value->getType()))
    return nullptr;
  const auto *walk = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(value));
  return walk && walk->getLoop() == &loop_ && walk->isAffine() ? walk : nullptr;
}

bool SumLoop::isSideBySide(const LoadInst &load) const {
  const SCEVAddRecExpr *walk = walkOf(const_cast<Value *>(load.getPointerOperand()));
  const auto *step = walk ? dyn_cast<SCEVConstant>(walk->getStepRecurrence(evolution_)) : nullptr;
  const DataLayout &layout = body_.getDataLayout();
  return step && step->getAPInt() == layout.getTypeAllocSize(load.getType()).getFixedValue() &&
         layout.getTypeAllocSizeInBits(load.getType()) == layout.getTypeSizeInBits(load.getType());
}

bool SumLoop::canLoad(const LoadInst &load) {
  FixedVectorType *type = vectorOf(load.getType());
  if (isSideBySide(load)) {
    ++sideBySide_;
    const SCEV *start = walkOf(const_cast<Value *>(load.getPointerOperand()))->getStart();
    return target_.isLegalMaskedLoad(type, load.getAlign(), load.getPointerAddressSpace()) &&
           canExpand(start);
  }
  ++gathers_;
  const auto *address = dyn_cast<GetElementPtrInst>(load.getPointerOperand());
  bool isLegal = target_.isLegalMaskedGather(type, load.getAlign()) &&
                 !target_.forceScalarizeMaskedGather(type, load.getAlign());
  return address && address->getNumIndices() == 1 &&
         loop_.isLoopInvariant(address->getPointerOperand()) &&
         (isLegal || (gathersWords_ && hasWordGather(*address, *load.getType(), machine_))) &&
         canWiden(address->getOperand(1));
}

bool SumLoop::canWiden(Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!VectorType::isValidElementType(value->getType()) || value->getType()->isPointerTy())
    return false;
  if (!instruction || instruction->getParent() != &body_ || !known_.insert(value).second)
    return true;
  if (isa<PHINode>(instruction)) {
    const SCEVAddRecExpr *walk = walkOf(value);
    return walk && value->getType()->isIntegerTy() && canExpand(walk->getStart()) &&
           canExpand(walk->getStepRecurrence(evolution_));
  }
  if (const auto *load = dyn_cast<LoadInst>(instruction))
    return canLoad(*load);
  return isLanewise(*instruction) && all_of(instruction->operands(), [&](Value *operand) {
           return isa<Function>(operand) || canWiden(operand);
         });
}

/// The value before the loop.
Value *SumLoop::expand(const SCEV *what) {
  Value *&value = expanded_[what];
  if (!value)
    value = SCEVExpander(evolution_, "sums").expandCodeFor(what, what->getType(), before());
  return value;
}

void SumLoop::take() {
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
Constant *SumLoop::numbers(Type *type) const {
  SmallVector<Constant *, Lanes> numbers;
  for (unsigned lane = 0; lane < Lanes; ++lane)
    numbers.push_back(ConstantInt::get(type, part_ * Lanes + lane, /*IsSigned=*/false,
                                       /*ImplicitTrunc=*/true));
  return ConstantVector::get(numbers);
}

/// One number of each sum's lanes, for who wants it behind the loop.
void SumLoop::endSums(BasicBlock &loop) {
  for (auto [i, sum] : enumerate(sums_)) {
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

void SumLoop::replaceLoop(BasicBlock &loop, BasicBlock &end) {
  loop_.getExitBlock()->replacePhiUsesWith(&body_, &end);
  before()->replaceSuccessorWith(&body_, &loop);
  body_.getTerminator()->eraseFromParent();
  new UnreachableInst(body_.getContext(), &body_);
  DeleteDeadBlock(&body_);
}

/// Sums begin with what changes nothing, or as often as there are lanes with what the loop began
/// with, where that is the same as once.
void SumLoop::startSums() {
  BasicBlock *preheader = loop_.getLoopPreheader();
  IRBuilder<> outside(before());
  for (const Sum &sum : sums_) {
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
void SumLoop::widenRounds() {
  for (auto [i, sum] : enumerate(sums_)) {
    Value *sums = phis_[i][part_];
    for (unsigned addition = 0; addition < sum.additions.size(); ++addition)
      sums = widenAddition(sum, addition, sums);
    nexts_[i].push_back(sums);
  }
}

/// A sum that stays as it is in idle lanes.
Value *SumLoop::widenAddition(const Sum &sum, unsigned addition, Value *sums) {
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
  } else {
    next = sum.operation.apply(builder_, sums, vectors[0]);
  }
  bool isSame =
      sum.operation.adds() && all_of(addends, [&](Value *value) { return isZeroWhereIdle(value); });
  return isSame ? next : builder_.CreateSelect(mask_, next, sums);
}

/// Idle lanes load zeros.
bool SumLoop::isZeroWhereIdle(Value *value) const {
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
Value *SumLoop::widen(Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || instruction->getParent() != &body_)
    return builder_.CreateVectorSplat(Lanes, value);
  if (Value *known = widened_.lookup(value))
    return known;
  Value *vector;
  if (auto *load = dyn_cast<LoadInst>(instruction)) {
    vector = widenLoad(*load);
  } else if (isa<PHINode>(instruction)) {
    vector = widenCounter(*walkOf(value));
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
Value *SumLoop::widenCounter(const SCEVAddRecExpr &walk) {
  Type *type = walk.getType();
  Value *start = expand(walk.getStart()), *step = expand(walk.getStepRecurrence(evolution_));
  Value *first =
      builder_.CreateAdd(start, builder_.CreateMul(step, builder_.CreateZExtOrTrunc(done_, type)));
  Value *lanes = builder_.CreateMul(builder_.CreateVectorSplat(Lanes, step), numbers(type));
  return builder_.CreateAdd(builder_.CreateVectorSplat(Lanes, first), lanes);
}

Value *SumLoop::widenLoad(LoadInst &load) {
  FixedVectorType *type = vectorOf(load.getType());
  Constant *zeros = Constant::getNullValue(type);
  if (isSideBySide(load)) {
    Value *start = expand(walkOf(load.getPointerOperand())->getStart());
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
bool takeOne(Function &function, TargetMachine &machine, bool gathersWords) {
  simt::LoopFacts facts(function);
  simt::Recurrences recurrences(function, facts);
  TargetTransformInfo target = machine.getTargetTransformInfo(function);
  for (Loop *loop : facts.loops.getLoopsInPreorder()) {
    SumLoop sums(*loop, recurrences.evolution, target, machine, gathersWords);
    if (sums.canTake() && sums.isWorthIt()) {
      sums.take();
      return true;
    }
  }
  return false;
}

} // namespace

void takeSumsOnVectors(Module &module, TargetMachine &machine, bool gathersWords) {
  for (Function &function : module)
    while (!function.isDeclaration() && takeOne(function, machine, gathersWords))
      ;
}

} // namespace heddle::jit
