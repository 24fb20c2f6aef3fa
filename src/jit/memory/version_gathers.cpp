// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests at run time whether gathers and scatters are dense.
//
// Sorting networks, Fourier transforms, scans and trees use indices `i & (n - 1)` or `i % n` with
// an n that changes from step to step. The shapes (simt) know nothing of such an index, but n is
// mostly large, and 16 lanes (8 if a program has no more) are neighbours:
//
//     %d = (and %i, splat %m);  %p = gep float, ptr %a, %d;  gather %p
//  ->
//     %dense = all(%p == first of 16 lanes of %p + 4 * <0, 1, ... 15>)      ; once, next to %p
//     br %dense, a vector load for each 16 lanes, the gather
//
// The test costs an addition and a comparison for 8 lanes, a gather of 16 lanes about 27. Only
// addresses that are computed from the lane's number and uniform values by `and`, `xor` or a
// remainder are tested: the lanes of one access are either all dense or all not. One test serves
// all accesses that differ by a uniform offset.
//
// Before that, two gathers or scatters of 4 bytes at p and p + 4 (a float2) become one of 8 bytes.
//
// Rejected: the test in simt, where it would have to find the parts of an address in other blocks.
//
// Legality (version-gathers):
//  1. Whether the lanes lie side by side is asked at run time, of all lanes, idle ones too. An
//     index that no uniform value changes is left alone. [asked]
//  2. Elements of 4 or 8 bytes, and so many lanes that groups come out even. [groups]
//  3. Two halves of 8 bytes are of the same lanes: the masks are one value. [same mask]
//  4. The first half is aligned to 8 bytes, so no lane's first half is another one's second, and
//     the order of their stores does not matter. [aligned]
//  5. Nothing between the halves writes to memory, or reads it if they are stores. [between]
//  6. Nobody wants what idle lanes of a gather give. [idle lanes]
#include "jit/memory/version_gathers.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr unsigned MostTogether = 16, LeastTogether = 8; ///< lanes that must lie side by side

bool isGather(const IntrinsicInst &call) {
  return call.getIntrinsicID() == Intrinsic::masked_gather;
}
bool isScatter(const IntrinsicInst &call) {
  return call.getIntrinsicID() == Intrinsic::masked_scatter;
}
unsigned pointerAt(const IntrinsicInst &call) { return isGather(call) ? 0 : 1; }
Value *maskOf(const IntrinsicInst &call) { return call.getArgOperand(isGather(call) ? 1 : 2); }
Align alignOfGather(const IntrinsicInst &call) {
  return call.getParamAlign(pointerAt(call)).valueOrOne();
}
FixedVectorType *valuesOf(const IntrinsicInst &call) {
  return cast<FixedVectorType>(isGather(call) ? call.getType() : call.getArgOperand(0)->getType());
}

unsigned groupOf(unsigned lanes) { return std::min(lanes, MostTogether); }

bool isUniform(Value *value) { return !value->getType()->isVectorTy() || getSplatValue(value); }

/// The pointers without uniform offsets.
Value *coreOf(Value *pointers) {
  auto *gep = dyn_cast<GetElementPtrInst>(pointers);
  while (gep && gep->getPointerOperand()->getType()->isVectorTy() &&
         all_of(gep->indices(), [](Value *index) { return isUniform(index); })) {
    pointers = gep->getPointerOperand();
    gep = dyn_cast<GetElementPtrInst>(pointers);
  }
  return pointers;
}

/// A vector that is computed from constants and uniform values alone; `found` if by one of the
/// operations that make an index dense or not from step to step.
bool isArithmetic(Value *value, bool &found, unsigned depth = 0) {
  if (isa<Constant>(value) || isUniform(value))
    return true;
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || depth > 10 ||
      !(isa<BinaryOperator>(instruction) || isa<CastInst>(instruction) ||
        isa<GetElementPtrInst>(instruction) || isa<FreezeInst>(instruction)))
    return false;
  switch (instruction->getOpcode()) {
  case Instruction::And:
  case Instruction::Xor:
  case Instruction::URem:
  case Instruction::SRem:
    found |= any_of(instruction->operands(),
                    [](Value *operand) { return !isa<Constant>(operand) && isUniform(operand); });
    break;
  default:
    break;
  }
  return all_of(instruction->operands(),
                [&](Value *operand) { return isArithmetic(operand, found, depth + 1); });
}

bool qualifies(const IntrinsicInst &call) {
  FixedVectorType *type = valuesOf(call);
  unsigned bits = type->getScalarSizeInBits();
  unsigned lanes = type->getNumElements();
  if (lanes < LeastTogether || lanes % groupOf(lanes) != 0 || (bits != 32 && bits != 64) ||
      type->getElementType()->isPointerTy())
    return false;
  bool found = false;
  Value *core = coreOf(call.getArgOperand(pointerAt(call)));
  return isa<Instruction>(core) && isArithmetic(core, found) && found;
}

class DenseAccesses {
public:
  explicit DenseAccesses(Function &function) : function_(function) {}

  bool run() {
    SmallVector<IntrinsicInst *, 16> accesses;
    for (Instruction &instruction : instructions(function_))
      if (auto *call = dyn_cast<IntrinsicInst>(&instruction);
          call && (isGather(*call) || isScatter(*call)) && qualifies(*call))
        accesses.push_back(call);
    for (IntrinsicInst *call : accesses)
      makeDense(*call);
    return !accesses.empty();
  }

private:
  /// True if each group of lanes of `core` lies side by side.
  Value *testOf(Instruction *core, unsigned size) {
    Value *&test = tests_[{core, size}];
    if (test)
      return test;
    IRBuilder<> builder(core->getNextNode());
    builder.SetCurrentDebugLocation(core->getDebugLoc());
    unsigned lanes = cast<FixedVectorType>(core->getType())->getNumElements();
    unsigned group = groupOf(lanes);
    Value *addresses = builder.CreatePtrToInt(builder.CreateFreeze(core),
                                              FixedVectorType::get(builder.getInt64Ty(), lanes));
    SmallVector<int, 32> firsts;
    SmallVector<Constant *, 32> offsets;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      firsts.push_back(lane / group * group);
      offsets.push_back(builder.getInt64(uint64_t(lane % group) * size));
    }
    Value *expected = builder.CreateAdd(builder.CreateShuffleVector(addresses, firsts),
                                        ConstantVector::get(offsets));
    Value *same =
        builder.CreateBitCast(builder.CreateICmpEQ(addresses, expected), builder.getIntNTy(lanes));
    return test = builder.CreateICmpEQ(same, Constant::getAllOnesValue(same->getType()));
  }

  /// The access as vector loads or stores; the loaded value.
  static Value *emitDense(IRBuilder<> &builder, IntrinsicInst &call) {
    FixedVectorType *type = valuesOf(call);
    unsigned group = groupOf(type->getNumElements());
    Type *part = FixedVectorType::get(type->getElementType(), group);
    auto slice = [&](Value *vector, unsigned first) {
      return builder.CreateShuffleVector(vector, createSequentialMask(first, group, 0));
    };
    Value *pointers = builder.CreateFreeze(call.getArgOperand(pointerAt(call)));
    SmallVector<Value *, 8> parts;
    for (unsigned first = 0; first < type->getNumElements(); first += group) {
      Value *pointer = builder.CreateExtractElement(pointers, first);
      Value *mask = slice(maskOf(call), first);
      if (isGather(call))
        parts.push_back(builder.CreateMaskedLoad(part, pointer, alignOfGather(call), mask,
                                                 slice(call.getArgOperand(2), first)));
      else
        builder.CreateMaskedStore(slice(call.getArgOperand(0), first), pointer, alignOfGather(call),
                                  mask);
    }
    return parts.empty() ? nullptr : concatenateVectors(builder, parts);
  }

  void makeDense(IntrinsicInst &call) {
    auto *core = cast<Instruction>(coreOf(call.getArgOperand(pointerAt(call))));
    Value *test = testOf(core, valuesOf(call)->getScalarSizeInBits() / 8);
    Instruction *then = nullptr, *otherwise = nullptr;
    SplitBlockAndInsertIfThenElse(test, call.getIterator(), &then, &otherwise);
    IRBuilder<> builder(then);
    builder.SetCurrentDebugLocation(call.getDebugLoc());
    Value *dense = emitDense(builder, call);
    BasicBlock *join = call.getParent();
    call.moveBefore(otherwise->getIterator());
    if (!dense)
      return;
    PHINode *value = PHINode::Create(call.getType(), 2, "", join->begin());
    call.replaceAllUsesWith(value);
    value->addIncoming(dense, then->getParent());
    value->addIncoming(&call, otherwise->getParent());
  }

  Function &function_;
  DenseMap<std::pair<Instruction *, unsigned>, Value *> tests_;
};

/// `pointers` is `base` + 4.
bool isNextWord(Value *pointers, Value *base) {
  auto *gep = dyn_cast<GetElementPtrInst>(pointers);
  APInt offset(64, 0);
  return gep && gep->getPointerOperand() == base &&
         gep->accumulateConstantOffset(gep->getModule()->getDataLayout(), offset) && offset == 4;
}

/// The access to the second halves that follows this one to first halves, with nothing between that
/// would notice if both happened at once.
IntrinsicInst *secondHalf(IntrinsicInst &first) {
  auto isHalf = [](IntrinsicInst &call) {
    return valuesOf(call)->getScalarSizeInBits() == 32 &&
           (isScatter(call) || isa<UndefValue>(call.getArgOperand(2)));
  };
  if (!isHalf(first) || alignOfGather(first) < Align(8))
    return nullptr;
  for (Instruction *next = first.getNextNode(); next; next = next->getNextNode()) {
    auto *call = dyn_cast<IntrinsicInst>(next);
    if (call && call->getIntrinsicID() == first.getIntrinsicID() && isHalf(*call) &&
        maskOf(*call) == maskOf(first) &&
        isNextWord(call->getArgOperand(pointerAt(*call)), first.getArgOperand(pointerAt(first))))
      return call;
    if (isScatter(first) ? next->mayReadOrWriteMemory() : next->mayWriteToMemory())
      return nullptr;
  }
  return nullptr;
}

/// In the place of the second, whose values are known there.
void mergeScatters(IntrinsicInst &first, IntrinsicInst &second) {
  IRBuilder<> builder(&second);
  unsigned lanes = valuesOf(first)->getNumElements();
  auto words = [&](IntrinsicInst &call) {
    return builder.CreateBitCast(call.getArgOperand(0),
                                 FixedVectorType::get(builder.getInt32Ty(), lanes));
  };
  SmallVector<int, 64> picks;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    picks.push_back(static_cast<int>(lane));
    picks.push_back(static_cast<int>(lanes + lane));
  }
  Value *both =
      builder.CreateBitCast(builder.CreateShuffleVector(words(first), words(second), picks),
                            FixedVectorType::get(builder.getInt64Ty(), lanes));
  builder.CreateMaskedScatter(both, first.getArgOperand(1), alignOfGather(first), maskOf(first));
}

/// In the place of the first.
void mergeGathers(IntrinsicInst &first, IntrinsicInst &second) {
  IRBuilder<> builder(&first);
  unsigned lanes = valuesOf(first)->getNumElements();
  Value *both =
      builder.CreateMaskedGather(FixedVectorType::get(builder.getInt64Ty(), lanes),
                                 first.getArgOperand(0), alignOfGather(first), maskOf(first));
  Value *words = builder.CreateBitCast(both, FixedVectorType::get(builder.getInt32Ty(), 2 * lanes));
  for (auto [call, half] : {std::pair(&first, 0), std::pair(&second, 1)}) {
    SmallVector<int, 32> picks;
    for (unsigned lane = 0; lane < lanes; ++lane)
      picks.push_back(static_cast<int>(2 * lane) + half);
    call->replaceAllUsesWith(
        builder.CreateBitCast(builder.CreateShuffleVector(words, picks), call->getType()));
  }
}

bool mergeHalves(Function &function) {
  SmallVector<IntrinsicInst *, 16> accesses;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction);
        call && (isScatter(*call) || isGather(*call)))
      accesses.push_back(call);
  SmallPtrSet<IntrinsicInst *, 16> gone;
  for (IntrinsicInst *first : accesses) {
    IntrinsicInst *second = gone.contains(first) ? nullptr : secondHalf(*first);
    if (!second)
      continue;
    isScatter(*first) ? mergeScatters(*first, *second) : mergeGathers(*first, *second);
    gone.insert(first);
    gone.insert(second);
  }
  for (IntrinsicInst *call : gone)
    call->eraseFromParent();
  return !gone.empty();
}

} // namespace

PreservedAnalyses VersionGathers::run(Function &function, FunctionAnalysisManager &) {
  if (function.getDataLayout().isBigEndian())
    return PreservedAnalyses::all();
  bool isMerged = mergeHalves(function);
  return DenseAccesses(function).run() ? PreservedAnalyses::none()
                                       : simt::changedInBlocks(isMerged);
}

} // namespace heddle::jit
