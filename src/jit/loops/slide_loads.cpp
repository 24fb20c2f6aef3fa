// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem. A convolution over a row reads the same elements in each turn of its loop, one further
// in each. With registers as long as a cache line nearly all these loads cross from one line to the
// next, and take the place of two: one a cycle, where two multiplications could be done.
//
// Method. A loop of known length is unrolled. Registers that lie side by side in memory are loaded
// once, and what lies across two of them is a shift of both (valignd on x86):
//
//     %a = load <16 x float>, %p                    %a = load %p;  %b = load %p + 64
//     %x = load <16 x float>, %p + 4          ->    %x = shuffle %a, %b, <1, 2, ... 16>
//     %y = load <16 x float>, %p + 64               (%b)
//     %z = load <16 x float>, %p + 68               %z = load %p + 68
//
// Shifts take turns with loads, since either alone would be the limit: for 33 taps on a Zen 5 0.62
// cycles a multiplication, 0.71 with shifts only, 1.0 with loads only. Nothing is read that was not
// read before. Shorter registers cross lines less often, and have no shift over their whole length.
//
// LLVM's scheduler would make all shifts of a register at once, and keep them on the stack: these
// functions stay in their order.
//
// With AVX-512 only. Functions that stay in their order: InOrder in emit/back_end.h.
//
// Legality (slide-loads):
//  1. The loads are plain ones. [plain]
//  2. They stand before the first write of the block: one may be made where another one stood.
//     [writes between]
//  3. All from the first byte of a row to the last is read by one of them; no register that is
//     loaded in its place goes beyond. [gaps]
#include "jit/loops/slide_loads.h"

#include "jit/emit/back_end.h"
#include "simt/canonical/loop_unroller.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

#include <numeric>

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr int64_t Register = 64;   ///< bytes
constexpr uint64_t Longest = 1024; ///< instructions on registers, of all turns

/// A plain load of several registers of elements that can be shifted.
bool isRow(const Instruction &instruction) {
  auto *load = dyn_cast<LoadInst>(&instruction);
  auto *type = dyn_cast<FixedVectorType>(instruction.getType());
  if (!load || !load->isSimple() || !type)
    return false;
  unsigned bits = type->getScalarSizeInBits();
  int64_t bytes = int64_t(type->getNumElements()) * bits / 8;
  return (bits == 32 || bits == 64) && !type->getElementType()->isPointerTy() &&
         bytes % Register == 0 && bytes > Register;
}

/// Vector instructions of a turn, on registers; none if it is no straight code that only reads.
uint64_t workOf(const Loop &loop) {
  if (!loop.isInnermost() || loop.getNumBlocks() != 1)
    return 0;
  uint64_t work = 0;
  for (const Instruction &instruction : *loop.getHeader()) {
    if (instruction.mayWriteToMemory() || instruction.mayThrow())
      return 0;
    if (auto *type = dyn_cast<FixedVectorType>(instruction.getType());
        type && !isa<PHINode, ShuffleVectorInst, InsertElementInst>(instruction))
      work += divideCeil(type->getPrimitiveSizeInBits().getFixedValue(), Register * 8);
  }
  return work;
}

/// The load moves by less than a register in each turn.
bool slides(const LoadInst &load, const Loop &loop, ScalarEvolution &evolution) {
  auto *walk =
      dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(const_cast<Value *>(load.getPointerOperand())));
  auto *step = walk && walk->getLoop() == &loop
                   ? dyn_cast<SCEVConstant>(walk->getStepRecurrence(evolution))
                   : nullptr;
  int64_t bytes = step ? step->getAPInt().getSExtValue() : 0;
  return bytes > 0 && bytes < Register && bytes % (load.getType()->getScalarSizeInBits() / 8) == 0;
}

bool isWorthIt(const Loop &loop, ScalarEvolution &evolution) {
  uint64_t work = workOf(loop), turns = evolution.getSmallConstantTripCount(&loop);
  return work > 0 && turns > 1 && turns * work <= Longest &&
         any_of(*loop.getHeader(), [&](const Instruction &instruction) {
           return isRow(instruction) && slides(cast<LoadInst>(instruction), loop, evolution);
         });
}

/// Loads of one row, by their distance from its base.
struct Row {
  SmallVector<std::pair<int64_t, LoadInst *>, 32> loads;
  int64_t first = INT64_MAX, end = INT64_MIN; ///< bytes that are read for certain
};

/// All between the first and the last byte is read.
bool isWithoutGaps(Row &row) {
  sort(row.loads);
  int64_t end = row.first;
  for (auto [distance, load] : row.loads) {
    if (distance > end)
      return false;
    int64_t bytes = load->getType()->getPrimitiveSizeInBits().getFixedValue() / 8;
    end = std::max(end, distance + bytes);
  }
  return true;
}

/// Rewrites the loads of a row that begin in the same register.
class RowRewriter {
public:
  RowRewriter(Value *base, const Row &row, ArrayRef<std::pair<int64_t, LoadInst *>> loads)
      : row_(row), loads_(loads), first_(loads[0].second) {
    for (auto [distance, load] : loads)
      if (load->comesBefore(first_))
        first_ = load;
    IRBuilder<> builder(first_);
    base_ = opaque(builder, base);
  }

  void run() {
    for (auto [distance, load] : loads_) {
      IRBuilder<> builder(load);
      auto *type = cast<FixedVectorType>(load->getType());
      int64_t bytes = type->getPrimitiveSizeInBits().getFixedValue() / 8;
      SmallVector<Value *, 16> pieces;
      for (int64_t at = distance; at < distance + bytes; at += Register)
        pieces.push_back(pieceAt(builder, at, *load));
      Value *whole = concatenateVectors(builder, pieces);
      load->replaceAllUsesWith(builder.CreateBitCast(whole, type));
    }
    for (auto [distance, load] : loads_)
      load->eraseFromParent();
  }

private:
  /// The same address, of which the back end does not know that it is. It would keep registers for
  /// the loads that begin one register further, long after there are none left.
  static Value *opaque(IRBuilder<> &builder, Value *pointer) {
    Type *type = pointer->getType();
    return builder.CreateCall(InlineAsm::get(FunctionType::get(type, {type}, false), "", "=r,0",
                                             /*hasSideEffects=*/false),
                              {pointer});
  }

  /// A register's elements from `at` on.
  Value *pieceAt(IRBuilder<> &builder, int64_t at, LoadInst &load) {
    unsigned size = load.getType()->getScalarSizeInBits() / 8;
    int64_t inside = (at - row_.first) % Register, start = at - inside;
    if (inside == 0)
      return inPlace(start, size);
    bool isTurnOfShift = (start / Register + inside / size) % 2;
    if (!isTurnOfShift || start + 2 * Register > row_.end)
      return loadAt(builder, at, size);
    SmallVector<int, 16> picks(Register / size);
    std::iota(picks.begin(), picks.end(), int(inside / size));
    return builder.CreateShuffleVector(inPlace(start, size), inPlace(start + Register, size),
                                       picks);
  }

  /// Elements are integers, which the back end shifts.
  Value *loadAt(IRBuilder<> &builder, int64_t at, unsigned size) {
    Type *type = FixedVectorType::get(builder.getIntNTy(size * 8), Register / size);
    Value *address = builder.CreateConstGEP1_64(builder.getInt8Ty(), base_, at);
    return builder.CreateAlignedLoad(type, address, Align(size));
  }

  /// A register in its place, loaded once. Frozen, or the back end would load again what is a
  /// shift.
  Value *inPlace(int64_t at, unsigned size) {
    Value *&known = inPlace_[at];
    if (!known) {
      IRBuilder<> builder(first_);
      known = builder.CreateFreeze(loadAt(builder, at, size));
    }
    return known;
  }

  const Row &row_;
  ArrayRef<std::pair<int64_t, LoadInst *>> loads_;
  LoadInst *first_;
  Value *base_;
  DenseMap<int64_t, Value *> inPlace_;
};

/// `row.loads` are in order.
void rewriteRow(Value *base, const Row &row) {
  ArrayRef<std::pair<int64_t, LoadInst *>> rest = row.loads;
  while (!rest.empty()) {
    int64_t number = (rest[0].first - row.first) / Register;
    auto here =
        rest.take_while([&](auto &load) { return (load.first - row.first) / Register == number; });
    RowRewriter(base, row, here).run();
    rest = rest.drop_front(here.size());
  }
}

/// The rows that are read in a block, before it writes.
void rewriteRows(BasicBlock &block) {
  MapVector<std::pair<Value *, unsigned>, Row> rows; // by base and size of an element
  const DataLayout &layout = block.getDataLayout();
  for (Instruction &instruction : block) {
    if (instruction.mayWriteToMemory())
      break; // what comes after the loop has been put into the same block
    if (!isRow(instruction))
      continue;
    auto &load = cast<LoadInst>(instruction);
    APInt distance(64, 0);
    Value *base = load.getPointerOperand()->stripAndAccumulateConstantOffsets(
        layout, distance, /*AllowNonInbounds=*/true);
    Row &row = rows[{base, load.getType()->getScalarSizeInBits()}];
    int64_t bytes = layout.getTypeStoreSize(load.getType()).getFixedValue();
    row.loads.push_back({distance.getSExtValue(), &load});
    row.first = std::min(row.first, distance.getSExtValue());
    row.end = std::max(row.end, distance.getSExtValue() + bytes);
  }
  for (auto &[key, row] : rows)
    if (row.loads.size() > 1 && isWithoutGaps(row))
      rewriteRow(key.first, row);
}

} // namespace

PreservedAnalyses SlideLoads::run(Function &function, FunctionAnalysisManager &analyses) {
  simt::LoopUnroller unroller(function, analyses);
  ScalarEvolution &evolution = unroller.evolution();
  if (unroller.costs()
          .getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
          .getFixedValue() != 8 * Register)
    return PreservedAnalyses::all();
  SmallVector<Loop *, 4> chosen;
  for (Loop *loop : unroller.loops().getLoopsInPreorder())
    if (isWorthIt(*loop, evolution))
      chosen.push_back(loop);
  for (Loop *loop : chosen) {
    BasicBlock *block = loop->getHeader();
    if (unroller.unroll(*loop, evolution.getSmallConstantTripCount(loop)) !=
        LoopUnrollResult::FullyUnrolled)
      continue;
    rewriteRows(*block);
    function.addFnAttr(InOrder);
  }
  return simt::changed(!chosen.empty());
}

} // namespace heddle::jit
