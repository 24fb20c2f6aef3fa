// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks on machines without mask registers.
//
// Within a block LLVM makes of a mask a vector of integers, cut to the machine's registers. From
// one block to another it carries values in the registers that the target names for their type,
// and for masks of more lanes than any register has (64 with AVX2, 32 with SSE) these are scalar
// ones: each lane is extracted at the end of a block and put back at the start of the next, 128
// instructions for a mask of 64. So such a mask crosses as bytes:
//
//     a: %m = icmp ...                      a: %m = icmp ...;  %c = sext <64 x i1> %m to <64 x i8>
//     b: use %m                       ->    b: %n = icmp slt <64 x i8> %c, 0;  use %n
//     c: %p = phi <64 x i1> [%m, a]         c: %q = phi <64 x i8> [%c, a]
//
// A mask of fewer lanes crosses as a vector of the shortest integers that fill some register: one
// of 8 lanes as 8 times 16 bits, which are packed and unpacked. It crosses as the longest that fit
// a register, as comparisons make them and accesses take them (8 times 32 bits with AVX2).
//
// Legality (legalize-masks): none: a lane's bit and the sign of its integer are the same, in all
// blocks.
#include "jit/vector/legalize_masks.h"

#include "simt/analysis/launch_facts.h"

#include "llvm/CodeGen/TargetLowering.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::jit {

namespace {

class Carrier {
public:
  Carrier(Function &function, const TargetLowering &target)
      : function_(function), target_(target) {}

  bool run() {
    SmallVector<Instruction *, 32> masks;
    for (Instruction &instruction : instructions(function_))
      if (carrier(instruction.getType()) && crosses(instruction))
        masks.push_back(&instruction);
    // Phis first, and empty: they may need each other.
    for (Instruction *mask : masks)
      if (auto *phi = dyn_cast<PHINode>(mask))
        carried_[phi] = PHINode::Create(carrier(phi->getType()), phi->getNumIncomingValues(), "",
                                        phi->getIterator());
    for (Instruction *mask : masks)
      if (auto *phi = dyn_cast<PHINode>(mask))
        for (auto [value, block] : zip(phi->incoming_values(), phi->blocks()))
          cast<PHINode>(carried_[phi])->addIncoming(carried(value), block);
    for (Instruction *mask : masks)
      replaceUses(*mask);
    for (Instruction *mask : masks)
      if (isa<PHINode>(mask))
        mask->dropAllReferences(); // of phis that fed only each other
    for (Instruction *mask : masks)
      if (isa<PHINode>(mask))
        mask->eraseFromParent();
    return !masks.empty();
  }

private:
  /// What a mask crosses as; null where LLVM carries it well, or for what is none.
  Type *carrier(Type *mask) const {
    auto *vector = dyn_cast<FixedVectorType>(mask);
    if (!vector || !vector->getElementType()->isIntegerTy(1))
      return nullptr;
    auto integers = [&](unsigned bits) {
      return FixedVectorType::get(Type::getIntNTy(mask->getContext(), bits), vector);
    };
    auto carriedAs = [&](Type *type) {
      return target_.getRegisterType(type->getContext(), EVT::getEVT(type));
    };
    MVT own = carriedAs(vector);
    if (!own.isVector())
      return carriedAs(integers(8)).isVector() ? integers(8) : nullptr;
    for (unsigned bits = 64; own.getScalarSizeInBits() > 1 && bits > own.getScalarSizeInBits();
         bits /= 2)
      if (target_.isTypeLegal(EVT::getEVT(integers(bits))))
        return integers(bits);
    return nullptr;
  }

  static bool crosses(const Instruction &mask) {
    return isa<PHINode>(mask) || any_of(mask.users(), [&](const User *user) {
             return isa<PHINode>(user) || cast<Instruction>(user)->getParent() != mask.getParent();
           });
  }

  /// The mask as it crosses, made where it is; a constant is folded.
  Value *carried(Value *mask) {
    Value *&made = carried_[mask];
    if (made)
      return made;
    BasicBlock::iterator place = function_.getEntryBlock().getFirstInsertionPt();
    if (auto *instruction = dyn_cast<Instruction>(mask))
      place = *instruction->getInsertionPointAfterDef();
    IRBuilder<> builder(place->getParent(), place);
    return made = builder.CreateSExt(mask, carrier(mask->getType()));
  }

  /// The mask again, at the start of `block`.
  Value *unpacked(Value *mask, BasicBlock *block) {
    Value *&inBlock = unpacked_[block];
    if (!inBlock) {
      Value *all = carried(mask);
      IRBuilder<> builder(block, block->getFirstInsertionPt());
      inBlock = builder.CreateICmpSLT(all, Constant::getNullValue(all->getType()));
    }
    return inBlock;
  }

  void replaceUses(Instruction &mask) {
    unpacked_.clear();
    for (Use &use : make_early_inc_range(mask.uses())) {
      auto *user = cast<Instruction>(use.getUser());
      bool isOldPhi = isa<PHINode>(user) && carried_.contains(user);
      if (isOldPhi || (user->getParent() == mask.getParent() && !isa<PHINode>(mask)))
        continue;
      use.set(unpacked(&mask, user->getParent()));
    }
  }

  Function &function_;
  const TargetLowering &target_;
  DenseMap<Value *, Value *> carried_;
  DenseMap<BasicBlock *, Value *> unpacked_; ///< of the mask at hand
};

} // namespace

PreservedAnalyses LegalizeMasks::run(Function &function, FunctionAnalysisManager &analyses) {
  TargetMachine &machine = analyses.getResult<simt::LaunchFactsAnalysis>(function).machine;
  Carrier carrier(function, *machine.getSubtargetImpl(function)->getTargetLowering());
  return simt::changedInBlocks(carrier.run());
}

} // namespace heddle::jit
