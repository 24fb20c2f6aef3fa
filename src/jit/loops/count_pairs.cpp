// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Histograms of bytes, two bytes at a time.
//
// `atomicAdd(&bins[in[i]], 1)` in shared memory is a load, an addition and a store for each byte
// (simt/widen_atomic), and a processor stores to one cache line a cycle. So a long loop over bytes
// counts pairs of neighbours: 65,536 counters of a byte each lie in the nearest caches, and one
// addition is for two bytes. A counter that comes round to zero has counted 256 pairs, which go to
// their two bins at once; what the others hold goes there when the loop is through:
//
//     loop: for (lane...)                  loop: for (every second lane)
//             ++bins[f(in[lane])]    ->            if (++pairs[in[lane], in[lane + 1]] == 0)
//                                                    bins[f(first)] += 256, bins[f(second)] += 256
//                                          end:  for (byte...) bins[f(byte)] += times(byte)
//
// where times(byte) is the sum of a row and of a column of the table. f is whatever the loop makes
// of one byte without memory. A bin is touched only if one of its bytes was there, for bins of
// other bytes may lie outside the array.
//
// To clear the table and to add it up takes as long as some 18,000 bytes one by one: the loop is
// there in both forms, and which one runs is asked by how far its variable is from its end. Only
// that the question is right in most cases matters; both forms do the same.
//
// Measured on an Intel server (bytes of all values, cycles a byte): 1.07 one by one; in pairs 0.77
// for 65,536 bytes, 0.66 for a million. Sixteen bits a counter, 128 KB, take longer.
//
// Not done: bytes that are counted under a condition, bytes of words, loops that add to global
// memory (simt/thread/privatize_atomics.cpp asks in each round where they go).
//
// Legality (count-pairs):
//  1. The bytes are marked: nothing that the loop stores to is one of them (simt/widen.h). [bytes]
//  2. The loop does nothing else: between the rounds it writes nothing and reads what never
//     changes, in a round each byte is loaded once, and each addition has its own load and store.
//     [else]
//  3. All bins are found by the same formula of the byte, without memory and without what may fail.
//     [formula]
//  4. Each byte adds the same constant, by a plain load and store. [constant]
//  5. The bytes of a round lie side by side, in pairs. [side by side]
//  6. The loop ends at the end of a round, and its lanes hand nothing on. [one end]
#include "jit/loops/count_pairs.h"

#include "jit/loops/byte_loops.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr uint64_t Values = 256;         ///< of a byte
constexpr uint64_t WorthBytes = 1 << 15; ///< that a loop must count to be worth a table
constexpr unsigned MostPairs = 8;        ///< of one turn
constexpr uint64_t Line = 64;            ///< bytes

/// Whether the loop goes on for so many rounds, asked before it; null if there is no telling.
Value *isLong(const ByteLoop &loop, ScalarEvolution &evolution) {
  const Loop &rounds = *loop.rounds;
  auto *branch = cast<BranchInst>(rounds.getExitingBlock()->getTerminator());
  auto *test = dyn_cast<ICmpInst>(branch->getCondition());
  if (!test || !test->isRelational())
    return nullptr;
  bool goesOnIfTrue = rounds.contains(branch->getSuccessor(0));
  CmpInst::Predicate goesOn = goesOnIfTrue ? test->getPredicate() : test->getInversePredicate();
  Value *variable = test->getOperand(0), *end = test->getOperand(1);
  if (rounds.isLoopInvariant(variable)) {
    std::swap(variable, end);
    goesOn = CmpInst::getSwappedPredicate(goesOn);
  }
  const auto *walk = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(variable));
  if (!walk || walk->getLoop() != &rounds || !walk->isAffine() || !rounds.isLoopInvariant(end))
    return nullptr;
  const SCEV *start = walk->getStart(), *step = walk->getStepRecurrence(evolution);
  Instruction *before = rounds.getLoopPreheader()->getTerminator();
  SCEVExpander expander(evolution, "long");
  if (!expander.isSafeToExpandAt(start, before) || !expander.isSafeToExpandAt(step, before))
    return nullptr;
  IRBuilder<> builder(before);
  auto wide = [&](Value *value, bool isSigned) {
    return builder.CreateIntCast(value, builder.getInt64Ty(), isSigned);
  };
  bool isSigned = CmpInst::isSigned(goesOn);
  Value *first = wide(expander.expandCodeFor(start, nullptr, before), isSigned);
  Value *stride = wide(expander.expandCodeFor(step, nullptr, before), /*isSigned=*/true);
  Value *later = builder.CreateAdd(
      first, builder.CreateMul(stride, builder.getInt64(WorthBytes / loop.length)));
  return builder.CreateICmp(goesOn, later, wide(end, isSigned));
}

/// Makes the second form of a loop.
class PairLoop {
public:
  PairLoop(const ByteLoop &loop, Value *isLong)
      : loop_(loop), isLong_(isLong), builder_(isLong->getContext()),
        function_(*loop.lanes->getHeader()->getParent()) {}

  void make();

private:
  BasicBlock *newBlock(const Twine &name) {
    return BasicBlock::Create(function_.getContext(), name, &function_);
  }
  AllocaInst *newTable(Type *type, const Twine &name);
  void copyRounds();
  void countPairs(BasicBlock *first, BasicBlock *behind);
  void countPair(Value *address);
  void addToBin(Value *byte, Value *times);
  void addUp(BasicBlock *behind);
  Value *sumsOfRowsAndColumns();
  template <typename Body> void countedLoop(uint64_t count, uint64_t step, Body body);

  const ByteLoop &loop_;
  Value *isLong_;
  IRBuilder<> builder_;
  Function &function_;
  ValueToValueMapTy copies_;
  AllocaInst *table_ = nullptr;
  BasicBlock *addition_ = nullptr; ///< where the loop in pairs ends
  BasicBlock *lastOfPairs_ = nullptr;
};

AllocaInst *PairLoop::newTable(Type *type, const Twine &name) {
  IRBuilder<> builder(&*function_.getEntryBlock().getFirstInsertionPt());
  AllocaInst *table = builder.CreateAlloca(type, nullptr, name);
  table->setAlignment(Align(Line));
  return table;
}

/// body(i) for i in steps up to `count`; goes on behind the loop.
template <typename Body> void PairLoop::countedLoop(uint64_t count, uint64_t step, Body body) {
  BasicBlock *before = builder_.GetInsertBlock(), *head = newBlock("turn");
  builder_.CreateBr(head);
  builder_.SetInsertPoint(head);
  PHINode *index = builder_.CreatePHI(builder_.getInt64Ty(), 2);
  index->addIncoming(builder_.getInt64(0), before);
  body(index);
  Value *next = builder_.CreateAdd(index, builder_.getInt64(step), "", /*HasNUW=*/true, true);
  index->addIncoming(next, builder_.GetInsertBlock());
  BasicBlock *behind = newBlock("through");
  builder_.CreateCondBr(builder_.CreateICmpULT(next, builder_.getInt64(count)), head, behind);
  builder_.SetInsertPoint(behind);
}

void PairLoop::addToBin(Value *byte, Value *times) {
  Value *bin = loop_.bin->compute(builder_, byte);
  Value *more = builder_.CreateMul(builder_.CreateZExtOrTrunc(times, loop_.type),
                                   ConstantInt::get(loop_.type, loop_.by));
  builder_.CreateStore(builder_.CreateAdd(builder_.CreateLoad(loop_.type, bin), more), bin);
}

/// The first byte of a pair is the lower one.
void PairLoop::countPair(Value *address) {
  Type *byte = builder_.getInt8Ty();
  Value *pair = builder_.CreateAlignedLoad(builder_.getInt16Ty(), address, Align(1));
  Value *cell = builder_.CreateGEP(byte, table_, builder_.CreateZExt(pair, builder_.getInt64Ty()));
  Value *count = builder_.CreateAdd(builder_.CreateLoad(byte, cell), builder_.getInt8(1));
  builder_.CreateStore(count, cell);
  BasicBlock *full = newBlock("full"), *next = newBlock("next");
  builder_.CreateCondBr(builder_.CreateIsNull(count), full, next,
                        MDBuilder(function_.getContext()).createUnlikelyBranchWeights());
  builder_.SetInsertPoint(full);
  addToBin(builder_.CreateTrunc(pair, byte), builder_.getInt32(Values));
  addToBin(builder_.CreateTrunc(builder_.CreateLShr(pair, 8), byte), builder_.getInt32(Values));
  builder_.CreateBr(next);
  builder_.SetInsertPoint(next);
}

/// A round of lanes, from block `first` to block `behind`.
void PairLoop::countPairs(BasicBlock *first, BasicBlock *behind) {
  builder_.SetInsertPoint(first);
  Value *bytes = copies_.lookup(loop_.bytes);
  bytes = bytes ? bytes : loop_.bytes;
  uint64_t step = 2 * MostPairs;
  if (loop_.length % step != 0)
    step = 2;
  countedLoop(loop_.length, step, [&](Value *lane) {
    for (uint64_t i = 0; i < step; i += 2)
      countPair(builder_.CreateGEP(
          builder_.getInt8Ty(), bytes,
          builder_.CreateAdd(lane, builder_.getInt64(i), "", /*HasNUW=*/true, true)));
  });
  lastOfPairs_ = builder_.GetInsertBlock();
  builder_.CreateBr(behind);
}

/// The rounds again, with pairs in place of the loop over lanes.
void PairLoop::copyRounds() {
  BasicBlock *lanes = loop_.lanes->getHeader(), *before = loop_.rounds->getLoopPreheader();
  BasicBlock *start = newBlock("pairs"), *pairs = newBlock("round");
  addition_ = newBlock("counted");
  copies_[before] = start;
  copies_[lanes] = pairs;
  SmallVector<BasicBlock *, 8> blocks;
  for (BasicBlock *block : loop_.rounds->blocks())
    if (block != lanes) {
      blocks.push_back(CloneBasicBlock(block, copies_, ".pairs", &function_));
      copies_[block] = blocks.back();
    }
  copies_[loop_.rounds->getExitBlock()] = addition_;
  remapInstructionsInBlocks(blocks, copies_);
  auto *behind = cast<BasicBlock>(copies_[loop_.lanes->getExitBlock()]);
  countPairs(pairs, behind);
  behind->replacePhiUsesWith(pairs, lastOfPairs_);

  builder_.SetInsertPoint(start);
  builder_.CreateMemSet(table_, builder_.getInt8(0), Values * Values, Align(Line));
  builder_.CreateBr(cast<BasicBlock>(copies_[loop_.rounds->getHeader()]));
  Instruction *end = before->getTerminator();
  builder_.SetInsertPoint(end);
  builder_.CreateCondBr(isLong_, start, loop_.rounds->getHeader());
  end->eraseFromParent();
}

/// How often each byte was there but for what `full` has added: 256 words in memory.
Value *PairLoop::sumsOfRowsAndColumns() {
  auto *row = FixedVectorType::get(builder_.getInt8Ty(), Values);
  auto *sums = FixedVectorType::get(builder_.getInt32Ty(), Values);
  auto *halves = FixedVectorType::get(builder_.getInt16Ty(), Values); // 256 * 255 fits
  AllocaInst *ofRows = newTable(sums, "rows"), *ofColumns = newTable(halves, "columns");
  builder_.CreateAlignedStore(Constant::getNullValue(halves), ofColumns, Align(Line));
  countedLoop(Values, 1, [&](Value *number) {
    Value *cells = builder_.CreateAlignedLoad(
        row,
        builder_.CreateGEP(builder_.getInt8Ty(), table_,
                           builder_.CreateMul(number, builder_.getInt64(Values))),
        Align(Line));
    builder_.CreateStore(builder_.CreateAddReduce(builder_.CreateZExt(cells, sums)),
                         builder_.CreateGEP(builder_.getInt32Ty(), ofRows, number));
    Value *column = builder_.CreateAlignedLoad(halves, ofColumns, Align(Line));
    builder_.CreateAlignedStore(builder_.CreateAdd(column, builder_.CreateZExt(cells, halves)),
                                ofColumns, Align(Line));
  });
  Value *both = builder_.CreateAdd(
      builder_.CreateAlignedLoad(sums, ofRows, Align(Line)),
      builder_.CreateZExt(builder_.CreateAlignedLoad(halves, ofColumns, Align(Line)), sums));
  builder_.CreateAlignedStore(both, ofRows, Align(Line));
  return ofRows;
}

void PairLoop::addUp(BasicBlock *behind) {
  builder_.SetInsertPoint(addition_);
  Value *all = sumsOfRowsAndColumns();
  countedLoop(Values, 1, [&](Value *byte) {
    Value *times = builder_.CreateLoad(builder_.getInt32Ty(),
                                       builder_.CreateGEP(builder_.getInt32Ty(), all, byte));
    BasicBlock *some = newBlock("some"), *next = newBlock("next");
    builder_.CreateCondBr(builder_.CreateIsNull(times), next, some);
    builder_.SetInsertPoint(some);
    addToBin(builder_.CreateTrunc(byte, builder_.getInt8Ty()), times);
    builder_.CreateBr(next);
    builder_.SetInsertPoint(next);
  });
  BasicBlock *last = builder_.GetInsertBlock();
  builder_.CreateBr(behind);
  for (PHINode &phi : behind->phis()) {
    Value *value = phi.getIncomingValueForBlock(loop_.rounds->getExitingBlock());
    Value *copy = copies_.lookup(value);
    phi.addIncoming(copy ? copy : value, last);
  }
}

void PairLoop::make() {
  builder_.SetCurrentDebugLocation(loop_.lanes->getHeader()->getTerminator()->getDebugLoc());
  table_ = newTable(ArrayType::get(builder_.getInt8Ty(), Values * Values), "times");
  copyRounds();
  addUp(loop_.rounds->getExitBlock());
}

} // namespace

PreservedAnalyses CountPairs::run(Function &function, FunctionAnalysisManager &analyses) {
  LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  SmallVector<ByteLoop, 1> found = ByteLoops(loops, evolution).find();
  for (const ByteLoop &loop : found) {
    simplifyLoop(loop.rounds, &dominators, &loops, &evolution, nullptr, nullptr,
                 /*PreserveLCSSA=*/false);
    formLCSSA(*loop.rounds, dominators, &loops, &evolution);
    if (Value *isWorth = isLong(loop, evolution))
      PairLoop(loop, isWorth).make();
  }
  return simt::changed(!found.empty());
}

} // namespace heddle::jit
