// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of their own.
//
// To solve a triangular system, each thread takes a row of a tile in shared memory and goes along
// it: an element is what was there, minus products with all elements before it.
//
//     for (x = 0; x < 32; ++x) {
//       for (k = 0; k < x; ++k)
//         tile[t][x] -= tile[t][k] * corner[k][x];
//       tile[t][x] /= corner[x][x];
//     }
//
// On a GPU neighbouring lanes read from different banks (the rows are padded), which is as good as
// reading side by side. A processor gathers and scatters. Two things help, both a matter of one
// thread alone, which no other may disturb between two barriers:
//
// The sum is written in each iteration, since clang cannot know that tile[t][k] is another element:
// k goes up to x and never reaches it. We do: the loop ends when k + 1 == x, and it is not entered
// with k == x. So the last store is enough, behind the loop.
//
// The elements k < x are those that the outer loop has written in its iterations before, one each.
// Its stores go to a copy as well, in which the elements of all threads lie side by side, and the
// loads come from there.
//
// What else the loops touch must lie elsewhere: at other offsets in shared memory, by the ranges
// that LLVM's scalar evolution knows.
//
// Legality (transpose-thread-rows):
//  1. A store goes behind the inner loop if each turn runs it, at one address, and the loop ends
//     at its latch. [each turn]
//  2. What else the inner loop loads is another element of that array, which the loop ends before,
//     or lies at other offsets in shared memory. [elsewhere]
//  3. Its loads are neither volatile nor atomic, it writes nothing else, and nobody waits in it.
//     [plain accesses]
//  4. A copy of a row is read in place of elements that the iterations of the outer loop before
//     have all written, one each, from a constant first one on. [written before]
//  5. Nothing else in the outer loop writes to that row, and nobody waits in it: other threads may
//     not write there in between. [other writes]
#include "simt/thread/transpose_thread_rows.h"

#include "simt/analysis/function_facts.h"
#include "simt/analysis/intrinsics.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned LongestRow = 128;    ///< elements
constexpr unsigned LargestCopy = 16384; ///< bytes
constexpr unsigned LargestShared = 49152;

class Rows {
public:
  Rows(ThreadProgram &program, const Options &options)
      : program_(program), thread_(*program.body), blockDim_(options.blockDim), facts_(thread_),
        recurrences_(thread_, facts_) {}

  void run() {
    for (Loop *loop : facts_.loops.getLoopsInPreorder())
      if (loop->isInnermost() && loop->isLoopSimplifyForm() && loop->getParentLoop() &&
          loop->getExitingBlock() == loop->getLoopLatch())
        visit(*loop);
  }

private:
  void visit(Loop &inner) {
    for (StoreInst *store : storesOf(inner))
      if (isWrittenLast(*store, inner))
        sink(*store, inner);
    for (LoadInst *load : loadsOf(inner))
      if (isOwnRow(*load, inner))
        readCopy(*load, *inner.getParentLoop());
  }

  template <typename Access> static SmallVector<Access *, 8> accesses(const Loop &loop) {
    SmallVector<Access *, 8> found;
    for (BasicBlock *block : loop.blocks())
      for (Instruction &instruction : *block)
        if (auto *access = dyn_cast<Access>(&instruction))
          found.push_back(access);
    return found;
  }
  static SmallVector<StoreInst *, 8> storesOf(const Loop &loop) {
    return accesses<StoreInst>(loop);
  }
  static SmallVector<LoadInst *, 8> loadsOf(const Loop &loop) { return accesses<LoadInst>(loop); }

  bool isWrittenLast(const StoreInst &, const Loop &);
  void sink(StoreInst &, const Loop &);
  bool isOwnRow(const LoadInst &, const Loop &inner);
  void readCopy(LoadInst &, const Loop &outer);
  bool writesRow(const StoreInst &, const GetElementPtrInst &row, const SCEV *index);
  bool isGathered(const LoadInst &);
  Value *threadNumber(const Loop &outer);

  bool neverReaches(const SCEV *walk, const SCEV *end, const Loop &);
  bool isDisjoint(const Instruction &a, const Instruction &b);
  ConstantRange offsets(const Instruction &access);
  const SCEV *indexOf(const GetElementPtrInst &address) {
    return recurrences_.evolution.getSCEV(address.getOperand(1));
  }

  ThreadProgram &program_;
  Function &thread_;
  std::array<unsigned, 3> blockDim_;
  LoopFacts facts_;
  Recurrences recurrences_;
};

/// The element of an array, by one index, that the access lies in.
const GetElementPtrInst *elementOf(const Instruction &access) {
  const auto *address = dyn_cast<GetElementPtrInst>(getLoadStorePointerOperand(&access));
  if (!address || address->getNumIndices() != 1)
    return nullptr;
  const DataLayout &layout = access.getDataLayout();
  return layout.getTypeStoreSize(getLoadStoreType(&access)) <=
                 layout.getTypeAllocSize(address->getSourceElementType())
             ? address
             : nullptr;
}

bool isSameArray(const GetElementPtrInst &a, const GetElementPtrInst &b) {
  return a.getPointerOperand() == b.getPointerOperand() &&
         a.getSourceElementType() == b.getSourceElementType();
}

bool isSimple(const Instruction &access) { return !access.isVolatile() && !access.isAtomic(); }

/// All iterations of `loop` have other values of `walk` than `end`: it counts up to what is one
/// less.
bool Rows::neverReaches(const SCEV *walk, const SCEV *end, const Loop &loop) {
  const auto *counter = dyn_cast<SCEVAddRecExpr>(walk);
  const auto *branch = dyn_cast<BranchInst>(loop.getLoopLatch()->getTerminator());
  if (!counter || counter->getLoop() != &loop || !counter->isAffine() || !branch ||
      !branch->isConditional() || !recurrences_.evolution.isLoopInvariant(end, &loop))
    return false;
  const auto *compare = dyn_cast<ICmpInst>(branch->getCondition());
  bool leavesIfEqual = compare && compare->getPredicate() == (loop.contains(branch->getSuccessor(0))
                                                                  ? ICmpInst::ICMP_NE
                                                                  : ICmpInst::ICMP_EQ);
  if (!leavesIfEqual)
    return false;
  for (unsigned side : {0, 1}) {
    const SCEV *next = recurrences_.evolution.getSCEV(compare->getOperand(side)),
               *bound = recurrences_.evolution.getSCEV(compare->getOperand(1 - side));
    const auto *nextCounter = dyn_cast<SCEVAddRecExpr>(next);
    if (!nextCounter || nextCounter->getLoop() != &loop ||
        !nextCounter->getStepRecurrence(recurrences_.evolution)->isOne())
      continue;
    const SCEV *now = recurrences_.evolution.getMinusSCEV(
        next, nextCounter->getStepRecurrence(recurrences_.evolution));
    auto widened = [&](const SCEV *value) {
      return recurrences_.evolution.getNoopOrZeroExtend(value, walk->getType());
    };
    if (recurrences_.evolution.getTypeSizeInBits(next->getType()) >
        recurrences_.evolution.getTypeSizeInBits(walk->getType()))
      continue;
    if (widened(now) == walk && widened(bound) == end)
      return recurrences_.evolution.isLoopEntryGuardedByCond(&loop, ICmpInst::ICMP_NE, bound,
                                                             cast<SCEVAddRecExpr>(now)->getStart());
  }
  return false;
}

/// Bytes from the begin of shared memory; everything if it does not lie there.
ConstantRange Rows::offsets(const Instruction &access) {
  const Value *pointer = getLoadStorePointerOperand(&access);
  const SCEV *shared = recurrences_.evolution.getSCEV(thread_.getArg(ParamShared));
  const SCEV *address = recurrences_.evolution.getSCEV(const_cast<Value *>(pointer));
  uint64_t size = access.getDataLayout().getTypeStoreSize(getLoadStoreType(&access));
  if (recurrences_.evolution.getPointerBase(address) != shared)
    return ConstantRange::getFull(64);
  ConstantRange first =
      recurrences_.evolution.getUnsignedRange(recurrences_.evolution.getMinusSCEV(address, shared));
  ConstantRange more(APInt(64, 0), APInt(64, size));
  return first.isUpperWrapped() ? ConstantRange::getFull(64) : first.add(more);
}

bool Rows::isDisjoint(const Instruction &a, const Instruction &b) {
  return offsets(a).intersectWith(offsets(b)).isEmptySet();
}

/// Only the store of the last iteration can be seen.
bool Rows::isWrittenLast(const StoreInst &store, const Loop &loop) {
  const GetElementPtrInst *place = elementOf(store);
  if (!place || !isSimple(store) || !loop.isLoopInvariant(place) ||
      !facts_.dominators.dominates(store.getParent(), loop.getLoopLatch()))
    return false;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block) {
      if (&instruction == &store || !instruction.mayReadOrWriteMemory())
        continue;
      const GetElementPtrInst *other =
          isa<LoadInst>(instruction) ? elementOf(instruction) : nullptr;
      if (!isa<LoadInst>(instruction) || !isSimple(instruction))
        return false;
      bool isOther = other && isSameArray(*other, *place) &&
                     neverReaches(indexOf(*other), indexOf(*place), loop);
      if (!isOther && !isDisjoint(instruction, store))
        return false;
    }
  return true;
}

void Rows::sink(StoreInst &store, const Loop &loop) {
  BasicBlock *exit = loop.getExitBlock();
  Value *last = store.getValueOperand();
  if (!loop.isLoopInvariant(last)) {
    IRBuilder<> builder(exit, exit->begin());
    PHINode *phi = builder.CreatePHI(last->getType(), 1);
    phi->addIncoming(last, loop.getLoopLatch());
    last = phi;
  }
  store.setOperand(0, last);
  store.moveBefore(*exit, exit->getFirstInsertionPt());
}

/// Stores to the row's element `index`.
bool Rows::writesRow(const StoreInst &store, const GetElementPtrInst &row, const SCEV *index) {
  const GetElementPtrInst *place = elementOf(store);
  return place && isSimple(store) && isSameArray(*place, row) && indexOf(*place) == index &&
         store.getValueOperand()->getType() == row.getSourceElementType();
}

/// Neighbouring lanes read neither the same nor neighbouring elements.
bool Rows::isGathered(const LoadInst &load) {
  LaneShapes lanes(thread_, facts_, {WarpSize, blockDim_});
  Shape shape = lanes.shapes.of(load.getPointerOperand());
  int64_t size = load.getDataLayout().getTypeStoreSize(load.getType());
  return !lanes.shapes.isUniform(load.getPointerOperand()) && shape.stride != size;
}

/// Loads, in `inner`, elements of a row that the loop around it has written one by one before.
bool Rows::isOwnRow(const LoadInst &load, const Loop &inner) {
  const Loop &outer = *inner.getParentLoop();
  const GetElementPtrInst *row = elementOf(load);
  if (!row || !isSimple(load) || load.getType() != row->getSourceElementType() ||
      !outer.isLoopInvariant(row->getPointerOperand()) || !outer.isLoopSimplifyForm() ||
      offsets(load).isFullSet())
    return false;
  const auto *walk = dyn_cast<SCEVAddRecExpr>(indexOf(*row));
  if (!walk)
    return false;
  // The row's element that the outer loop is at.
  const SCEV *now = recurrences_.evolution.getAddRecExpr(
      walk->getStart(), recurrences_.evolution.getOne(walk->getType()), &outer, SCEV::FlagAnyWrap);
  unsigned length = recurrences_.evolution.getSmallConstantTripCount(&outer);
  const auto *first = dyn_cast<SCEVConstant>(walk->getStart());
  if (!first || first->getAPInt().uge(LongestRow) || length == 0 || length > LongestRow ||
      !neverReaches(walk, now, inner))
    return false;
  bool isWritten = false;
  for (BasicBlock *block : outer.blocks())
    for (Instruction &instruction : *block) {
      if (!instruction.mayWriteToMemory())
        continue;
      auto *store = dyn_cast<StoreInst>(&instruction);
      if (!store || (!writesRow(*store, *row, now) && !isDisjoint(*store, load)))
        return false;
      isWritten |= writesRow(*store, *row, now) &&
                   facts_.dominators.dominates(block, outer.getLoopLatch()) &&
                   !inner.contains(store);
    }
  return isWritten && isGathered(load);
}

/// In the block, before the loop.
Value *Rows::threadNumber(const Loop &outer) {
  IRBuilder<> builder(outer.getLoopPreheader()->getTerminator());
  constexpr Intrinsic::ID index[] = {Intrinsic::nvvm_read_ptx_sreg_tid_x,
                                     Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                     Intrinsic::nvvm_read_ptx_sreg_tid_z};
  Value *thread = builder.getInt32(0);
  for (unsigned d = 3; d-- > 0;) {
    thread = builder.CreateMul(thread, builder.getInt32(blockDim_[d]), "", true, true);
    if (blockDim_[d] > 1)
      thread = builder.CreateAdd(thread, builder.CreateIntrinsic(index[d], {}), "", true, true);
  }
  return builder.CreateZExt(thread, builder.getInt64Ty(), "thread", /*IsNonNeg=*/true);
}

void Rows::readCopy(LoadInst &load, const Loop &outer) {
  const GetElementPtrInst &row = *elementOf(load);
  const auto *walk = cast<SCEVAddRecExpr>(indexOf(row));
  unsigned first = cast<SCEVConstant>(walk->getStart())->getAPInt().getZExtValue();
  unsigned length = first + recurrences_.evolution.getSmallConstantTripCount(&outer);
  unsigned threads = blockDim_[0] * blockDim_[1] * blockDim_[2];
  uint64_t start = alignTo(program_.staticShared, 128);
  uint64_t bytes = uint64_t(threads) * length *
                   load.getDataLayout().getTypeAllocSize(load.getType()).getFixedValue();
  if (bytes > LargestCopy || start + bytes > LargestShared)
    return;
  program_.staticShared = start + bytes;

  Value *thread = threadNumber(outer);
  IRBuilder<> builder(outer.getLoopPreheader()->getTerminator());
  Value *copies =
      builder.CreateConstGEP1_64(builder.getInt8Ty(), thread_.getArg(ParamShared), start);
  Value *mine = builder.CreateGEP(load.getType(), copies, thread, "own.row");
  auto place = [&](const Instruction &access) {
    Value *index = builder.CreateMul(elementOf(access)->getOperand(1), builder.getInt64(threads));
    return builder.CreateGEP(load.getType(), mine, index);
  };
  // What is known of the row's alignment says nothing of the copy's.
  Align align = load.getDataLayout().getABITypeAlign(load.getType());
  const SCEV *now = recurrences_.evolution.getAddRecExpr(
      walk->getStart(), recurrences_.evolution.getOne(walk->getType()), &outer, SCEV::FlagAnyWrap);
  for (StoreInst *store : storesOf(outer))
    if (writesRow(*store, row, now)) {
      builder.SetInsertPoint(store->getNextNode());
      builder.CreateAlignedStore(store->getValueOperand(), place(*store), align);
    }
  builder.SetInsertPoint(&load);
  load.setOperand(LoadInst::getPointerOperandIndex(), place(load));
  load.setAlignment(align);
}

} // namespace

void transposeThreadRows(ThreadProgram &program, const Options &options) {
  if (program.staticShared > 0 && !program.usesDynamicShared)
    Rows(program, options).run();
}

} // namespace heddle::simt
