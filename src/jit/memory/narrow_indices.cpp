// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices of gathers and scatters.
//
// x86 gathers 16 lanes at once with indices of 32 bits, and 8 with indices of 64. LLVM takes the
// first form where it sees, within the block of the access, that an index fits. Mostly the
// extension of an index lies in an earlier block, since it is shared by several accesses; then its
// 64 bits are carried from block to block too. So each access gets an extension of its own, with
// the sign, which is what the instruction does:
//
//     a: %i = zext <32 x i32> %x          b: %i = sext <32 x i32> %x     ; %x is never negative
//        %p = gep %base, %i         ->       %p = gep %base, %i
//     b: gather %p                           gather %p
//
// Uniform offsets of the addresses go to the base.
//
// Where there are no instructions for them (AVX2), a gather or scatter of all lanes goes lane by
// lane with these indices from memory, and needs no vectors of addresses (lanes_in_turn.cpp); so
// does a gather with a quarter of its lanes active, of which the others read what the first active
// one does.
//
// Legality (narrow-indices):
//  1. The index is that of its low 32 bits with the sign: extended so, by zeros from what is never
//     negative, or with known bits of the sign. [fits]
//  2. All lanes count from one base, by one index and what is the same in all of them. [one base]
#include "jit/memory/narrow_indices.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr unsigned Narrow = 32; ///< bits
constexpr unsigned Deepest = 4; ///< operations that are followed

/// An address: `base` and an index, and what must be added to the base.
struct Address {
  GetElementPtrInst *element;                ///< from a scalar base by a vector of indices
  SmallVector<GetElementPtrInst *, 2> steps; ///< by the same in all lanes, last first
};

/// The one value in all lanes, or null.
Value *uniformOf(Value *index) {
  return index->getType()->isVectorTy() ? getSplatValue(index) : index;
}

std::optional<Address> indexedAddressOf(Value *pointers) {
  Address address;
  auto *gep = dyn_cast<GetElementPtrInst>(pointers);
  while (gep && gep->getPointerOperand()->getType()->isVectorTy()) {
    if (!all_of(gep->indices(), [](Value *index) { return uniformOf(index); }))
      return {};
    address.steps.push_back(gep);
    gep = dyn_cast<GetElementPtrInst>(gep->getPointerOperand());
  }
  if (!gep || gep->getNumIndices() != 1 || !gep->getOperand(1)->getType()->isVectorTy() ||
      gep->getOperand(1)->getType()->getScalarSizeInBits() != 64)
    return {};
  address.element = gep;
  return address;
}

class Narrowing {
public:
  explicit Narrowing(const DataLayout &layout) : layout_(layout) {}

  bool narrow(IntrinsicInst &access, unsigned operand) {
    std::optional<Address> address = indexedAddressOf(access.getArgOperand(operand));
    auto *index = address ? dyn_cast<Instruction>(address->element->getOperand(1)) : nullptr;
    Value *narrow = index ? narrowed(*index) : nullptr;
    if (!narrow)
      return false;
    IRBuilder<> builder(&access);
    Value *base = address->element->getPointerOperand();
    for (GetElementPtrInst *step : reverse(address->steps)) {
      SmallVector<Value *, 2> indices;
      for (Value *each : step->indices())
        indices.push_back(uniformOf(each));
      base = builder.CreateGEP(step->getSourceElementType(), base, indices);
    }
    Value *old = access.getArgOperand(operand);
    access.setArgOperand(operand, builder.CreateGEP(address->element->getSourceElementType(), base,
                                                    builder.CreateSExt(narrow, index->getType())));
    RecursivelyDeleteTriviallyDeadInstructions(old);
    return true;
  }

private:
  /// The index in 32 bits, to be extended with the sign; null if it may not fit.
  Value *narrowed(Instruction &index) {
    auto *extension = dyn_cast<CastInst>(&index);
    bool isWord = extension && extension->getSrcTy() == narrowType(index);
    bool isSigned = isWord && (isa<SExtInst>(index) || (isa<ZExtInst>(index) && index.hasNonNeg()));
    if (!isSigned && ComputeNumSignBits(&index, layout_) <= 64 - Narrow)
      return nullptr;
    return lowHalf(&index, 0);
  }

  static Type *narrowType(Value &wide) {
    return VectorType::get(Type::getIntNTy(wide.getContext(), Narrow),
                           cast<VectorType>(wide.getType()));
  }

  /// The low bits, computed in narrow vectors where `wide` is.
  Value *lowHalf(Value *wide, unsigned depth) {
    Type *type = narrowType(*wide);
    if (auto *constant = dyn_cast<Constant>(wide))
      return ConstantExpr::getTrunc(constant, type);
    if (auto *argument = dyn_cast<Argument>(wide))
      return IRBuilder<>(&*argument->getParent()->getEntryBlock().getFirstInsertionPt())
          .CreateTrunc(wide, type);
    auto *instruction = cast<Instruction>(wide);
    if (Value *known = narrow_.lookup(instruction))
      return known;
    IRBuilder<> builder(instruction->getParent(), *instruction->getInsertionPointAfterDef());
    builder.SetCurrentDebugLocation(instruction->getDebugLoc());
    auto low = [&](unsigned operand) {
      return lowHalf(instruction->getOperand(operand), depth + 1);
    };
    bool isMore = depth < Deepest;
    Value *result;
    if (isa<ZExtInst>(instruction))
      result = builder.CreateZExtOrTrunc(instruction->getOperand(0), type);
    else if (isa<SExtInst>(instruction))
      result = builder.CreateSExtOrTrunc(instruction->getOperand(0), type);
    else if (auto *select = dyn_cast<SelectInst>(instruction); select && isMore)
      result = builder.CreateSelect(select->getCondition(), low(1), low(2));
    else if (isModular(instruction->getOpcode()) && isMore)
      result =
          builder.CreateBinOp(Instruction::BinaryOps(instruction->getOpcode()), low(0), low(1));
    else
      result = builder.CreateTrunc(instruction, type);
    narrow_[instruction] = result;
    return result;
  }

  /// The low bits of the result are those of the low bits.
  static bool isModular(unsigned opcode) {
    return is_contained({Instruction::Add, Instruction::Sub, Instruction::Mul, Instruction::And,
                         Instruction::Or, Instruction::Xor},
                        opcode);
  }

  DenseMap<Instruction *, WeakTrackingVH> narrow_;
  const DataLayout &layout_;
};

} // namespace

PreservedAnalyses NarrowIndices::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<IntrinsicInst *, 32> accesses;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction);
        call && (call->getIntrinsicID() == Intrinsic::masked_gather ||
                 call->getIntrinsicID() == Intrinsic::masked_scatter))
      accesses.push_back(call);
  Narrowing narrowing(function.getDataLayout());
  bool isChanged = false;
  for (IntrinsicInst *access : accesses)
    isChanged |= narrowing.narrow(*access, access->getType()->isVoidTy() ? 1 : 0);
  return simt::changedInBlocks(isChanged);
}

} // namespace heddle::jit
