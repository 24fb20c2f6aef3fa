// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flat indices that are taken apart.
//
// Problem. Kernels often have one number for each thread and take it apart by what all threads
// share: `x = i % w, y = i / w % h`. Neighbours lie side by side in memory but where a row ends,
// and a row ends within most warps: these divide lane by lane, and gather.
//
// Method. If the threads' indices show in nothing but the number, it does not matter which warp a
// thread is in. So a call of the program gets a whole row of blocks as one range of numbers, and
// cuts it where a quotient changes. In such a piece quotients are the same for all threads, and are
// computed once; remainders go straight, and so do addresses made of them:
//
//     i = blockIdx.x * 256 + threadIdx.x         for (f = first; f < end; f = e) {
//     q = i / w, r = i % w                 ->      q = f / w, r0 = f % w
//     out[i] = in[q * pitch + r]                   e = f + min(w - r0, end - f)
//                                                  for (g = f; g < e; g += lanes)
//                                                    if (g + lane < e)
//                                                      out[g + lane] =
//                                                          in[q * pitch + (r0 + (g - f) + lane)]
//                                                }
//
// What is divided is a line: it changes by a constant from thread to thread as long as no quotient
// changes, like `i`, `i % w`, `i % w + d + w`. The divisors come from the launch. With several, a
// piece ends where the first of the quotients changes. Divisions of what is the same all along a
// piece (`i / w % h`) are done once, too. The choices that come with a division by a number
// (lower_nvvm.cpp) are decided, as the number is above zero.
//
// Quotients of the number, and of these, are counted from piece to piece: a division takes longer
// than a short row.
//
// Where all of the kernel is behind `if (i < n)`, the range ends at n.
//
// Comparisons of what goes straight with what all threads share (`x > 0`, `c < channels`) end pieces,
// too: all threads of a piece go the same way.
//
// In a loop over the grid (`for (; i < n; i += gridDim.x * blockDim.x)`) the number is that of the
// round, and the rounds are around the pieces: each thread's come in their order.
//
// A place in a row that is divided once more (`x / scale`) stays divided, lane by lane. The lanes
// creep (analysis/near_lanes.h), and pieces would be short.
//
// Where some divisor is less than half of the lanes, at run time, the whole range goes in warps as
// before, in a second copy of the code (version_clamps.cpp). The width is chosen for the code
// without divisions; it is that of a register where lanes go to memory one by one (a transposition),
// as lanes beyond the end of a row cost what others do.
//
// Rejected: to look for row ends in each warp (version-clamps does for what is left): a division
// and a test for each divisor and warp, and a second way through the code where a row ends, which
// is each second time in rows of 70. Pieces that overlap in place of masks: threads would store
// twice.
//
// Legality (cut-rows):
//  1. Threads' indices show in nothing but the number, whatever their parts are. [one number]
//  2. Threads do not work together, and nothing orders them: no shared memory, barriers, warp
//     operations, atomics, volatile accesses, loops that wait; none reads what another writes.
//     [apart]
//  3. A piece ends before a quotient or the answer of a comparison changes, or what is divided or
//     compared wraps around; where what is divided is negative it has one thread. [same quotient]
//  4. Numbers fit in 32 bits; otherwise the range goes in warps. [short numbers]
//  5. What is computed in front of a piece cannot fault. [free of risk]
//  6. A loop over the grid goes by the grid's size, carries nothing but the number, and holds all
//     that has an effect. [rounds]
#include "simt/thread/cut_rows.h"

#include "base/abi/kernel_abi.h"
#include "simt/analysis/function_facts.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/objects.h"
#include "simt/analysis/pass_notes.h"
#include "simt/canonical/normalize.h"
#include "simt/compilation.h"
#include "simt/form/choose_width.h"
#include "simt/form/restore_function.h"
#include "simt/form/thread_cost.h"
#include "simt/thread/clamps.h"
#include "simt/thread/flat_index.h"
#include "simt/thread/region_copies.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned LargestCut = 600;  ///< of a kernel, of which three copies are made
constexpr unsigned BitsInRows = 1024; ///< of a program's lanes: rows are not much longer, often
constexpr unsigned ShortBits = 16, FewestOfProgram = 8;

/// Quotient and remainder of the thread's number, or of such a quotient, that go on from piece to
/// piece: by what is counted up to the divisor, and begins again.
struct Carried {
  Value *divisor;
  PHINode *quotient, *rest;
  const Carried *number; ///< whose quotient is divided; null: the thread's number
  Value *ends = nullptr; ///< the quotient is another in the next piece
};

/// By what is divided, and by what.
using CarriedQuotients =
    MapVector<std::pair<const Value *, const Value *>, std::unique_ptr<Carried>>;

/// Computes values of the thread at the beginning of a piece, in front of it.
class AtBegin {
public:
  AtBegin(IRBuilder<> &builder, const FlatIndex &flat, RowForms &forms, Value *first,
          const CarriedQuotients *carried = nullptr)
      : builder_(builder), flat_(flat), forms_(forms), first_(first), carried_(carried) {}

  Value *of(Value *value) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction)
      return value;
    if (Value *known = values_.lookup(value))
      return known;
    return values_[value] = emit(*instruction);
  }
  /// If it is carried along.
  Value *rest(const BinaryOperator &division) const {
    const Carried *known = carriedAs(division);
    return known ? known->rest : nullptr;
  }

private:
  Value *emit(Instruction &instruction) {
    if (flat_.firsts.contains(&instruction))
      return builder_.CreateZExtOrTrunc(first_, instruction.getType());
    if (threadDimension(&instruction))
      return Constant::getNullValue(instruction.getType());
    if (const Carried *known = carriedAs(instruction))
      return isRemainder(cast<BinaryOperator>(instruction)) ? known->rest : known->quotient;
    Instruction *copy = instruction.clone();
    for (Use &operand : copy->operands())
      operand.set(of(operand.get()));
    copy->dropPoisonGeneratingFlags(); // it may be of a thread that does not come so far
    auto *division = dyn_cast<BinaryOperator>(&instruction);
    if (first_ && division && division->isIntDivRem() &&
        forms_.of(division->getOperand(0)).isSmall && forms_.hasPositiveDivisor(*division)) {
      auto *natural =
          BinaryOperator::Create(isRemainder(*division) ? Instruction::URem : Instruction::UDiv,
                                 copy->getOperand(0), of(dividesBy(*division)));
      copy->deleteValue();
      return builder_.Insert(natural);
    }
    return builder_.Insert(copy);
  }

  const Carried *carriedAs(const Instruction &instruction) const {
    if (!carried_ || !instruction.isIntDivRem())
      return nullptr;
    const auto &division = cast<BinaryOperator>(instruction);
    auto found = carried_->find({forms_.decided(division.getOperand(0)), dividesBy(division)});
    return found == carried_->end() ? nullptr : found->second.get();
  }

  IRBuilder<> &builder_;
  const FlatIndex &flat_;
  RowForms &forms_;
  Value *first_; ///< null where none is needed
  const CarriedQuotients *carried_;
  DenseMap<Value *, Value *> values_;
};

class RowCutter {
public:
  RowCutter(Function &thread, FlatIndex flat, const Options &options)
      : thread_(thread), flat_(std::move(flat)), forms_(thread, flat_), options_(options),
        builder_(thread.getContext()), guard_(forms_.guard()) {}

  bool isUseful() {
    return (forms_.reachAccess() || !forms_.comparisons().empty()) && !forms_.leaveDivisions() &&
           (!flat_.rounds || forms_.of(guard_->bound).kind == AlongRow::Fixed);
  }
  void straighten();
  void cut();

private:
  /// Numbers from `first` on; code comes from `before`, and goes on to `after`.
  struct Range {
    Value *first, *end;
    BasicBlock *before, *after;
  };
  Range buildRounds(Range, BasicBlock *head, Value *bound, Value *stride);
  Value *canCut(Value *end);
  Value *canCount(Value *bound, Value *stride);
  Value *lengthOf(BinaryOperator &division, AtBegin &);
  Value *lengthOf(ICmpInst &comparison, AtBegin &);
  BasicBlock *create(const char *name) {
    return BasicBlock::Create(thread_.getContext(), name, &thread_);
  }
  Value *laneNumber() { return builder_.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_tid_x, {}); }
  void useArms();
  void makeOneRound();
  void passGuard();
  Value *boundOfGuard();
  Value *gridStride();
  void replaceFirsts(ArrayRef<Instruction *> firsts, Value *number);
  void carryQuotients(const Range &, BasicBlock *head);
  void carryOn(Value *count, BasicBlock *from);
  void setDivisions(Value *begin, Value *number,
                    const DenseMap<BinaryOperator *, Value *> &atBegin);
  void buildWarps(BasicBlock *body, Value *first, Value *end, BasicBlock *before, BasicBlock *after,
                  ArrayRef<Instruction *> firsts, ArrayRef<BasicBlock *> blocks);
  void buildPiece(ArrayRef<BasicBlock *> blocks, Instruction &number, Value *begin, Value *end,
                  BasicBlock *before, BasicBlock *after);
  void endIn(ArrayRef<BasicBlock *> blocks, BasicBlock *latch);

  Function &thread_;
  FlatIndex flat_;
  RowForms forms_;
  const Options &options_;
  IRBuilder<> builder_;
  std::optional<Guard> guard_;
  CarriedQuotients carried_;
};

/// The loop over the grid is around the pieces.
void RowCutter::makeOneRound() {
  if (!flat_.rounds)
    return;
  auto [number, guard, latch, exit] = *flat_.rounds;
  number->replaceAllUsesWith(guard.number);
  ReplaceInstWithInst(latch->getTerminator(), BranchInst::Create(exit));
  flat_.sums.erase(number);
  number->eraseFromParent();
}

/// Numbers end at the bound.
void RowCutter::passGuard() {
  if (guard_)
    guard_->branch->setCondition(builder_.getInt1(guard_->goesOnIf));
}

/// With 64 bits, and no more than numbers may have.
Value *RowCutter::boundOfGuard() {
  AtBegin values(builder_, flat_, forms_, nullptr);
  Value *bound = values.of(guard_->bound), *most = builder_.getInt64(MostIndices);
  if (guard_->isSigned)
    return builder_.CreateBinaryIntrinsic(Intrinsic::smin,
                                          builder_.CreateSExt(bound, builder_.getInt64Ty()), most);
  return builder_.CreateBinaryIntrinsic(Intrinsic::umin,
                                        builder_.CreateZExt(bound, builder_.getInt64Ty()), most);
}

Value *RowCutter::gridStride() {
  Value *blocks = builder_.CreateAlignedLoad(
      builder_.getInt32Ty(),
      builder_.CreatePtrAdd(thread_.getArg(ParamLaunch),
                            builder_.getInt64(offsetof(Launch, gridDim))),
      Align(4));
  return builder_.CreateMul(builder_.CreateZExt(blocks, builder_.getInt64Ty()),
                            builder_.getInt64(options_.blockDim[0]), "stride", true, true);
}

/// As for threads of one piece, for the choice of a width.
void RowCutter::straighten() {
  makeOneRound();
  passGuard();
  useArms();
  for (const SetVector<BinaryOperator *> *divisions : {&forms_.fixed(), &forms_.cuts()})
    for (BinaryOperator *division : *divisions) {
      builder_.SetInsertPoint(division);
      Value *value = emitFirstLane(builder_, division->getOperand(0));
      if (AlongRow form = forms_.of(division); form.kind == AlongRow::Line)
        value = builder_.CreateAdd(
            value,
            builder_.CreateMul(builder_.CreateZExtOrTrunc(laneNumber(), value->getType()),
                               ConstantInt::get(value->getType(), uint64_t(form.step))),
            "", /*HasNUW=*/false, /*HasNSW=*/true);
      division->replaceAllUsesWith(value);
    }
  for (ICmpInst *comparison : forms_.comparisons())
    for (Use &side : comparison->operands()) {
      builder_.SetInsertPoint(comparison);
      if (forms_.of(side).kind == AlongRow::Line)
        side.set(emitFirstLane(builder_, side));
    }
}

/// Choices that come with divisions are decided.
void RowCutter::useArms() {
  for (auto [select, arm] : forms_.arms()) {
    Value *value = arm;
    while (auto *inner = dyn_cast<SelectInst>(value)) {
      auto next = forms_.arms().find(inner);
      if (next == forms_.arms().end())
        break;
      value = next->second;
    }
    select->replaceAllUsesWith(value);
  }
}

/// Rows are long, divisors above zero, and numbers have no more than 31 bits.
Value *RowCutter::canCut(Value *end) {
  Value *result = builder_.CreateICmpULE(end, builder_.getInt64(MostIndices));
  AtBegin values(builder_, flat_, forms_, nullptr);
  for (BinaryOperator *division : forms_.cuts()) {
    Value *divisor = values.of(dividesBy(*division));
    auto fewest = uint64_t(forms_.of(division->getOperand(0)).step) * options_.width / 2;
    result = builder_.CreateAnd(
        result, builder_.CreateICmpSGE(divisor, ConstantInt::get(divisor->getType(), fewest)));
  }
  for (const SetVector<BinaryOperator *> *divisions : {&forms_.fixed(), &forms_.steps()})
    for (BinaryOperator *division : *divisions)
      if (forms_.hasPositiveDivisor(*division)) {
        Value *divisor = values.of(dividesBy(*division));
        result = builder_.CreateAnd(
            result, builder_.CreateICmpSGT(divisor, Constant::getNullValue(divisor->getType())));
      }
  return result;
}

/// The numbers of all rounds have no more than 31 bits.
Value *RowCutter::canCount(Value *bound, Value *stride) {
  Value *most = builder_.getInt64(MostIndices);
  Value *fits = builder_.CreateICmpSLE(bound, builder_.CreateSub(most, stride));
  return builder_.CreateAnd(fits, builder_.CreateICmpULE(stride, most));
}

/// How many threads have the quotient of the first one, less one.
Value *RowCutter::lengthOf(BinaryOperator &division, AtBegin &begin) {
  bool isSigned =
      division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem;
  bool isSmall = forms_.of(division.getOperand(0)).isSmall; // others or the end come first
  Value *number = begin.of(division.getOperand(0)), *divisor = begin.of(dividesBy(division));
  Type *type = number->getType();
  Value *rest = begin.rest(division);
  if (!rest)
    rest = isSigned && !isSmall ? builder_.CreateSRem(number, divisor)
                                : builder_.CreateURem(number, divisor);
  Value *left = builder_.CreateSub(builder_.CreateSub(divisor, ConstantInt::get(type, 1)), rest);
  if (!isSmall) {
    unsigned bits = type->getIntegerBitWidth();
    APInt most = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
    Value *room = builder_.CreateSub(ConstantInt::get(type, most), number);
    left = builder_.CreateBinaryIntrinsic(Intrinsic::umin, left, room);
    if (isSigned)
      left =
          builder_.CreateSelect(builder_.CreateIsNeg(number), Constant::getNullValue(type), left);
  }
  if (int64_t step = forms_.of(division.getOperand(0)).step; step > 1)
    left = builder_.CreateUDiv(left, ConstantInt::get(type, uint64_t(step)));
  return builder_.CreateZExt(left, builder_.getInt64Ty());
}

/// How many threads have the answer of the first one, less one.
Value *RowCutter::lengthOf(ICmpInst &comparison, AtBegin &begin) {
  bool isSwapped = forms_.of(comparison.getOperand(0)).kind == AlongRow::Fixed;
  Value *line = begin.of(comparison.getOperand(isSwapped));
  Value *bound = begin.of(comparison.getOperand(!isSwapped));
  auto predicate = isSwapped ? comparison.getSwappedPredicate() : comparison.getPredicate();
  Type *type = line->getType();
  unsigned bits = type->getIntegerBitWidth();
  bool isSigned = CmpInst::isSigned(predicate);
  auto isBelow = [&](Value *a, Value *b) {
    return isSigned ? builder_.CreateICmpSLT(a, b) : builder_.CreateICmpULT(a, b);
  };
  // Until it wraps around, or is at the bound, or behind it.
  APInt most = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  Value *end = ConstantInt::get(type, most), *one = ConstantInt::get(type, 1);
  Value *last = builder_.CreateSelect(isBelow(line, bound), builder_.CreateSub(bound, one), end);
  bool changesBehind = is_contained({CmpInst::ICMP_EQ, CmpInst::ICMP_NE, CmpInst::ICMP_SGT,
                                     CmpInst::ICMP_SLE, CmpInst::ICMP_UGT, CmpInst::ICMP_ULE},
                                    predicate);
  if (changesBehind && comparison.isEquality())
    last = builder_.CreateSelect(builder_.CreateICmpEQ(line, bound), bound, last);
  else if (changesBehind)
    last = builder_.CreateSelect(isBelow(bound, line), end, bound);
  return builder_.CreateZExt(builder_.CreateSub(last, line), builder_.getInt64Ty());
}

void RowCutter::replaceFirsts(ArrayRef<Instruction *> firsts, Value *number) {
  for (Instruction *first : firsts) {
    builder_.SetInsertPoint(first);
    first->replaceAllUsesWith(builder_.CreateZExtOrTrunc(number, first->getType()));
  }
}

void RowCutter::endIn(ArrayRef<BasicBlock *> blocks, BasicBlock *latch) {
  for (BasicBlock *block : blocks)
    if (auto *ret = dyn_cast<ReturnInst>(block->getTerminator()))
      ReplaceInstWithInst(ret, BranchInst::Create(latch));
}

/// for (number = first; number < end; number += lanes) if (number + lane < end) body.
void RowCutter::buildWarps(BasicBlock *body, Value *first, Value *end, BasicBlock *before,
                           BasicBlock *after, ArrayRef<Instruction *> firsts,
                           ArrayRef<BasicBlock *> blocks) {
  BasicBlock *head = create("numbers"), *latch = create("next");
  builder_.SetInsertPoint(before);
  builder_.CreateBr(head);
  builder_.SetInsertPoint(head);
  Type *i64 = builder_.getInt64Ty();
  PHINode *number = builder_.CreatePHI(i64, 2, "number");
  number->addIncoming(first, before);
  Value *own = builder_.CreateAdd(number, builder_.CreateZExt(laneNumber(), i64), "",
                                  /*HasNUW=*/true, /*HasNSW=*/true);
  builder_.CreateCondBr(builder_.CreateICmpSLT(own, end), body, latch);
  builder_.SetInsertPoint(latch);
  Value *next = builder_.CreateAdd(number, builder_.getInt64(options_.width), "", true, true);
  number->addIncoming(next, latch);
  builder_.CreateCondBr(builder_.CreateICmpSLT(next, end), head, after);
  endIn(blocks, latch);
  replaceFirsts(firsts, number);
}

/// for (number = begin; number + lanes <= end; number += lanes) body; if (number + lane < end) body.
/// `number` stands for it at the beginning of the body.
void RowCutter::buildPiece(ArrayRef<BasicBlock *> blocks, Instruction &number, Value *begin,
                           Value *end, BasicBlock *before, BasicBlock *after) {
  ValueToValueMapTy map;
  copyBlocks(blocks, map);
  auto copies =
      map_to_vector(blocks, [&](BasicBlock *b) { return cast<BasicBlock>(map.lookup(b)); });
  auto *copied = cast<Instruction>(map.lookup(&number));
  BasicBlock *latch = create("next"), *rest = create("rest"), *some = create("some");
  Type *i64 = builder_.getInt64Ty();
  Value *lanes = builder_.getInt64(options_.width);
  builder_.SetInsertPoint(before);
  Value *last = builder_.CreateSub(end, lanes, "", /*HasNUW=*/false, /*HasNSW=*/true);
  builder_.CreateCondBr(builder_.CreateICmpSLE(begin, last), blocks.front(), rest);

  builder_.SetInsertPoint(&number);
  PHINode *whole = builder_.CreatePHI(i64, 2, "number");
  whole->moveBefore(blocks.front()->begin());
  number.replaceAllUsesWith(whole);
  number.eraseFromParent();
  builder_.SetInsertPoint(latch);
  Value *next = builder_.CreateAdd(whole, lanes, "", true, true);
  builder_.CreateCondBr(builder_.CreateICmpSLE(next, last), blocks.front(), rest);
  whole->addIncoming(begin, before);
  whole->addIncoming(next, latch);
  endIn(blocks, latch);

  builder_.SetInsertPoint(rest);
  PHINode *left = builder_.CreatePHI(i64, 2, "number");
  left->addIncoming(begin, before);
  left->addIncoming(next, latch);
  builder_.CreateCondBr(builder_.CreateICmpSLT(left, end), some, after);
  builder_.SetInsertPoint(some);
  Value *count = builder_.CreateTrunc(builder_.CreateSub(end, left), builder_.getInt32Ty());
  count = builder_.CreateAnd(count, options_.width - 1); // there are less than lanes
  builder_.CreateCondBr(builder_.CreateICmpULT(laneNumber(), count), copies.front(), after);
  copied->replaceAllUsesWith(left);
  copied->eraseFromParent();
  endIn(copies, after);
}

/// for (from = first; from < bound; from += stride): what lies below the bound, from `head` on.
RowCutter::Range RowCutter::buildRounds(Range range, BasicBlock *head, Value *bound,
                                        Value *stride) {
  BasicBlock *next = create("round.done");
  builder_.SetInsertPoint(head);
  PHINode *from = builder_.CreatePHI(builder_.getInt64Ty(), 2, "from");
  from->addIncoming(range.first, range.before);
  Value *end = builder_.CreateAdd(from, builder_.CreateSub(range.end, range.first));
  end = builder_.CreateBinaryIntrinsic(Intrinsic::smin, end, bound);
  builder_.SetInsertPoint(next);
  from->addIncoming(builder_.CreateAdd(from, stride), next);
  builder_.CreateBr(head);
  builder_.SetInsertPoint(head);
  return {from, end, head, next};
}

void RowCutter::cut() {
  SmallVector<BasicBlock *, 16> blocks;
  for (BasicBlock &block : thread_)
    blocks.push_back(&block);
  BasicBlock *body = blocks.front(), *entry = create("rows"), *exit = create("done");
  entry->moveBefore(body);
  for (Instruction &instruction : make_early_inc_range(*body))
    if (isa<AllocaInst>(instruction))
      instruction.moveBefore(*entry, entry->end());
  ValueToValueMapTy map;
  copyBlocks(blocks, map);
  auto copied = map_to_vector(
      flat_.firsts, [&](Instruction *first) { return cast<Instruction>(map.lookup(first)); });
  auto copies =
      map_to_vector(blocks, [&](BasicBlock *b) { return cast<BasicBlock>(map.lookup(b)); });

  builder_.SetInsertPoint(exit);
  builder_.CreateRetVoid();
  builder_.SetInsertPoint(entry);
  Type *i64 = builder_.getInt64Ty();
  Value *threads = builder_.getInt64(options_.blockDim[0]);
  Value *block = builder_.CreateZExt(thread_.getArg(ParamBlockX), i64);
  Value *count = builder_.CreatePtrToInt(thread_.getArg(ParamShared), i64);
  Value *first = builder_.CreateMul(block, threads, "first", true, true);
  Value *end = builder_.CreateMul(builder_.CreateAdd(block, count), threads, "end", true, true);
  BasicBlock *whole = create("warps"), *pieces = create("piece");
  Value *possible = canCut(end), *bound = guard_ ? boundOfGuard() : nullptr, *stride = nullptr;
  if (flat_.rounds) {
    stride = gridStride();
    possible = builder_.CreateAnd(possible, canCount(bound, stride));
    makeOneRound();
  }
  builder_.CreateCondBr(possible, pieces, whole,
                        MDBuilder(thread_.getContext()).createLikelyBranchWeights());
  Range range = {first, end, pieces, exit};
  if (flat_.rounds) {
    range.before = entry;
    range = buildRounds(range, pieces, bound, stride);
  } else {
    builder_.SetInsertPoint(pieces);
    if (guard_)
      range.end = builder_.CreateBinaryIntrinsic(Intrinsic::smin, end, bound);
  }
  BasicBlock *head = create("cut"), *tail = create("piece.done");
  builder_.CreateCondBr(builder_.CreateICmpSLT(range.first, range.end), head, exit);

  // Pieces.
  carryQuotients(range, head);
  builder_.SetInsertPoint(head);
  PHINode *begin = builder_.CreatePHI(i64, 2, "begin");
  begin->addIncoming(range.first, range.before);
  AtBegin values(builder_, flat_, forms_, begin, &carried_);
  Value *length = builder_.CreateSub(builder_.CreateSub(range.end, builder_.getInt64(1)), begin);
  for (BinaryOperator *division : forms_.cuts())
    length = builder_.CreateBinaryIntrinsic(Intrinsic::umin, length, lengthOf(*division, values));
  for (ICmpInst *comparison : forms_.comparisons())
    length = builder_.CreateBinaryIntrinsic(Intrinsic::umin, length, lengthOf(*comparison, values));
  length = builder_.CreateAdd(length, builder_.getInt64(1), "length", true, true);
  Value *pieceEnd = builder_.CreateAdd(begin, length, "", true, true);
  DenseMap<BinaryOperator *, Value *> atBegin;
  for (const SetVector<BinaryOperator *> *divisions : {&forms_.fixed(), &forms_.cuts()})
    for (BinaryOperator *division : *divisions)
      atBegin[division] = values.of(division);
  SmallVector<Value *, 8> answers;
  for (ICmpInst *comparison : forms_.comparisons())
    answers.push_back(values.of(comparison));
  carryOn(length, tail);
  builder_.SetInsertPoint(tail);
  builder_.CreateCondBr(builder_.CreateICmpSLT(pieceEnd, range.end), head, range.after);
  begin->addIncoming(pieceEnd, tail);
  useArms();
  passGuard();
  Instruction *number = BinaryOperator::CreateAdd(begin, builder_.getInt64(0));
  number->insertBefore(body->begin());
  setDivisions(begin, number, atBegin);
  for (auto [comparison, answer] : zip_equal(forms_.comparisons(), answers))
    comparison->replaceAllUsesWith(answer);
  replaceFirsts(flat_.firsts.getArrayRef(), number);
  buildPiece(blocks, *number, begin, pieceEnd, head, tail);

  // Warps, as before.
  buildWarps(cast<BasicBlock>(map.lookup(body)), first, end, whole, exit, copied, copies);
}

/// Those of the number come first, in the order in which divisions follow from each other.
void RowCutter::carryQuotients(const Range &range, BasicBlock *head) {
  builder_.SetInsertPoint(range.before->getTerminator());
  AtBegin values(builder_, flat_, forms_, range.first);
  for (const SetVector<BinaryOperator *> *divisions : {&forms_.cuts(), &forms_.fixed()})
    for (BinaryOperator *division : *divisions) {
      Value *number = forms_.decided(division->getOperand(0)), *divisor = dividesBy(*division);
      if (!forms_.hasPositiveDivisor(*division) || carried_.contains({number, divisor}))
        continue;
      auto *inner = dyn_cast<BinaryOperator>(number);
      auto of = inner && inner->isIntDivRem() && !isRemainder(*inner)
                    ? carried_.find({forms_.decided(inner->getOperand(0)), dividesBy(*inner)})
                    : carried_.end();
      const Carried *quotient = of == carried_.end() ? nullptr : of->second.get();
      if (!quotient && !forms_.isThreadsNumber(number))
        continue;
      Type *type = number->getType();
      builder_.SetInsertPoint(range.before->getTerminator());
      Value *start = quotient ? quotient->quotient->getIncomingValueForBlock(range.before)
                              : builder_.CreateZExtOrTrunc(range.first, type);
      Value *by = values.of(divisor), *first = builder_.CreateUDiv(start, by);
      Value *left = builder_.CreateURem(start, by);
      builder_.SetInsertPoint(head, head->begin());
      auto carried =
          std::make_unique<Carried>(Carried{by, builder_.CreatePHI(type, 2, "quotient"),
                                            builder_.CreatePHI(type, 2, "rest"), quotient});
      carried->quotient->addIncoming(first, range.before);
      carried->rest->addIncoming(left, range.before);
      carried_[{number, divisor}] = std::move(carried);
    }
}

/// To the piece that begins so many threads further, from `from`.
void RowCutter::carryOn(Value *count, BasicBlock *from) {
  for (auto &[key, carried] : carried_) {
    Type *type = carried->rest->getType();
    Value *more = builder_.CreateZExtOrTrunc(carried->number ? carried->number->ends : count, type);
    Value *rest = builder_.CreateAdd(carried->rest, more, "", /*HasNUW=*/true);
    carried->ends = builder_.CreateICmpEQ(rest, carried->divisor);
    rest = builder_.CreateSelect(carried->ends, Constant::getNullValue(type), rest);
    Value *quotient =
        builder_.CreateAdd(carried->quotient, builder_.CreateZExt(carried->ends, type));
    carried->rest->addIncoming(rest, from);
    carried->quotient->addIncoming(quotient, from);
  }
}

/// What divisions give in a piece.
void RowCutter::setDivisions(Value *begin, Value *number,
                             const DenseMap<BinaryOperator *, Value *> &atBegin) {
  for (auto [division, value] : atBegin) {
    AlongRow form = forms_.of(division);
    Value *own = value;
    if (form.kind == AlongRow::Line) {
      builder_.SetInsertPoint(division);
      Type *type = division->getType();
      auto scaled = [&](Value *v) {
        return builder_.CreateMul(builder_.CreateZExtOrTrunc(v, type),
                                  ConstantInt::get(type, uint64_t(form.step)));
      };
      Value *base = builder_.CreateAdd(value, scaled(builder_.CreateSub(number, begin)));
      own = builder_.CreateAdd(base, scaled(laneNumber()), "", /*HasNUW=*/false, /*HasNSW=*/true);
    }
    division->replaceAllUsesWith(own);
  }
}

/// Lanes that the largest elements of memory leave room for: as many as rows often have, or those of
/// one register where each lane has an access of its own. What is idle where a row ends takes as
/// long as the others then.
unsigned widestInRows(Function &thread, bool goesByLanes, const Options &options) {
  uint64_t largest = goesByLanes ? FloatBits : ShortBits;
  for (Instruction &instruction : instructions(thread))
    if (getLoadStorePointerOperand(&instruction) &&
        !instruction.hasMetadata(LLVMContext::MD_invariant_load))
      largest = std::max<uint64_t>(
          largest, thread.getDataLayout().getTypeSizeInBits(getLoadStoreType(&instruction)));
  uint64_t lanes = (goesByLanes ? options.registers.bits : BitsInRows) / bit_ceil(largest);
  return std::max<unsigned>(lanes, goesByLanes ? FewestOfProgram : 2 * FewestOfProgram);
}

/// Threads may read what threads of their warp write: as written, in step with them.
bool isInOrder(ThreadProgram &program, const FlatIndex &flat, const Options &options) {
  LoopFacts facts(*program.body);
  SmallVector<const Instruction *, 64> code;
  for (const Instruction &instruction : instructions(*program.body))
    code.push_back(&instruction);
  return mayReadWritten(
      code, Objects(*program.body, options), program.trustsObjects, [&](const Instruction &access) {
        const Loop *loop = facts.loops.getLoopFor(access.getParent());
        return loop && !(flat.rounds && loop->getHeader() == flat.rounds->number->getParent());
      });
}

} // namespace

PreservedAnalyses CutRows::run(Compilation &kernel, FunctionAnalysisManager &) {
  ThreadProgram &thread = kernel.thread;
  Options &options = kernel.options;
  Function &body = *thread.body;
  if (options.width == 1 || options.threadwise || body.getInstructionCount() > LargestCut)
    return PreservedAnalyses::all();
  std::optional<FlatIndex> flat = flatIndexOf(thread, options);
  if (!flat || !RowCutter(body, *flat, options).isUseful() || isInOrder(thread, *flat, options))
    return PreservedAnalyses::all();
  unsigned width = options.width;
  if (width == 0) {
    bool goesByLanes = RowForms(body, *flat).goByLanes();
    std::unique_ptr<Function> before = copyAside(body);
    RowCutter(body, *flat, options).straighten();
    fold(body, kernel.machine);
    kernel.distributeExtensions(options);
    width = std::min(widestInRows(body, goesByLanes, options),
                     chooseWidth(thread, options, kernel.machine));
    restore(body, std::move(before));
    flat = flatIndexOf(thread, options);
  }
  if (width == 1 || width > options.blockDim[0] || !flat)
    return PreservedAnalyses::none();
  options.width = width;
  RowCutter(body, *flat, options).cut();
  thread.cutsRows = true;
  kernel.cleanThread();
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
