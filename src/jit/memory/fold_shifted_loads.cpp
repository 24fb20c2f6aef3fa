// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: fold_shifted_loads.h.
//
// What it does: fold_shifted_loads.h. The lanes are one shuffle with AVX-512 and three to five
// instructions with AVX2, where a load mostly is an operand in memory.
//
// Legality (fold-shifted-loads):
//  1. Both registers were loaded in this block by plain loads of whole registers. [plain]
//  2. The second lies right behind the first, at a distance that is known. [side by side]
//  3. The lanes that are taken follow each other from one into the other: all that is loaded was
//     loaded before. [lanes]
//  4. Nothing in the block before the shuffle may write to what was loaded. [writes between]
#include "jit/memory/fold_shifted_loads.h"

#include "simt/simt.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::jit {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned MostWriters = 256; ///< of a block, looked at for each load

class ShiftedLoads {
public:
  ShiftedLoads(BasicBlock &block, AAResults &aliases, unsigned bits)
      : block_(block), layout_(block.getDataLayout()), aliases_(aliases), bits_(bits) {}

  bool run() {
    SmallVector<ShuffleVectorInst *, 32> shuffles;
    for (Instruction &instruction : block_) {
      if (instruction.mayWriteToMemory())
        writers_.push_back(&instruction);
      if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction))
        shuffles.push_back(shuffle);
    }
    bool isChanged = false;
    if (writers_.size() <= MostWriters)
      for (ShuffleVectorInst *shuffle : shuffles)
        isChanged |= replace(*shuffle);
    return isChanged;
  }

private:
  /// Of registers of whole bytes.
  LoadInst *loadOf(Value *operand) const {
    auto *load = dyn_cast<LoadInst>(operand);
    return load && load->isSimple() && load->getParent() == &block_ &&
                   layout_.getTypeSizeInBits(load->getType()) == bits_ &&
                   load->getType()->getScalarSizeInBits() % 8 == 0
               ? load
               : nullptr;
  }

  /// Lanes from which on all lanes follow each other, over the end of the first register; 0 if they
  /// do not.
  static unsigned firstLane(const ShuffleVectorInst &shuffle, unsigned lanes) {
    int first = 0;
    for (auto [lane, pick] : enumerate(shuffle.getShuffleMask())) {
      if (pick < 0)
        continue;
      int start = pick - int(lane);
      if (start <= 0 || start >= int(lanes) || (first != 0 && start != first))
        return 0;
      first = start;
    }
    return first;
  }

  std::optional<int64_t> distance(const LoadInst &from, const LoadInst &to) const {
    return to.getPointerOperand()->getPointerOffsetFrom(from.getPointerOperand(), layout_);
  }

  /// Before `user`, at any time in the block.
  bool isUnwritten(const LoadInst &load, const Instruction &user) {
    return none_of(writers_, [&](Instruction *writer) {
      return !match(writer, m_Intrinsic<Intrinsic::prefetch>()) && writer->comesBefore(&user) &&
             isModSet(aliases_.getModRefInfo(writer, MemoryLocation::get(&load)));
    });
  }

  bool replace(ShuffleVectorInst &shuffle) {
    LoadInst *low = loadOf(shuffle.getOperand(0)), *high = loadOf(shuffle.getOperand(1));
    if (!low || !high || low->getType() != shuffle.getType() ||
        distance(*low, *high) != int64_t(bits_ / 8))
      return false;
    unsigned lanes = cast<FixedVectorType>(low->getType())->getNumElements();
    unsigned first = firstLane(shuffle, lanes);
    if (first == 0 || !isUnwritten(*low, shuffle) || !isUnwritten(*high, shuffle))
      return false;
    uint64_t bytes = uint64_t(first) * low->getType()->getScalarSizeInBits() / 8;
    IRBuilder<> builder(&shuffle);
    Value *address =
        builder.CreateGEP(builder.getInt8Ty(), low->getPointerOperand(), builder.getInt64(bytes));
    LoadInst *load =
        builder.CreateAlignedLoad(low->getType(), address, commonAlignment(low->getAlign(), bytes));
    load->setAAMetadata(low->getAAMetadata().merge(high->getAAMetadata()));
    shuffle.replaceAllUsesWith(load);
    shuffle.eraseFromParent();
    return true;
  }

  BasicBlock &block_;
  const DataLayout &layout_;
  AAResults &aliases_;
  unsigned bits_; ///< of a register
  SmallVector<Instruction *, 32> writers_;
};

/// Such a shuffle is more than one instruction.
bool isDear(LLVMContext &context, const TargetTransformInfo &target, unsigned bits) {
  auto *type = FixedVectorType::get(Type::getFloatTy(context), bits / 32);
  SmallVector<int, 16> picks;
  for (unsigned lane = 0; lane < bits / 32; ++lane)
    picks.push_back(lane + 1);
  return target.getShuffleCost(TargetTransformInfo::SK_PermuteTwoSrc, type, type, picks,
                               TargetTransformInfo::TCK_RecipThroughput) > 1;
}

} // namespace

PreservedAnalyses FoldShiftedLoads::run(Function &function, FunctionAnalysisManager &analyses) {
  const TargetTransformInfo &target = analyses.getResult<TargetIRAnalysis>(function);
  unsigned bits = simt::vectorRegisters(target).bits;
  if (!isDear(function.getContext(), target, bits))
    return PreservedAnalyses::all();
  AAResults &aliases = analyses.getResult<AAManager>(function);
  bool isChanged = false;
  for (BasicBlock &block : function)
    isChanged |= ShiftedLoads(block, aliases, bits).run();
  return simt::changedInBlocks(isChanged);
}

} // namespace heddle::jit
