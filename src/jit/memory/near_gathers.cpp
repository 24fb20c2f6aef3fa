// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that creep through memory (simt/analysis/near_lanes.h), as in `in[x / 2]`:
//
//     %v = gather (gep %in, %x)     ->   %start = %x[0]
//                                        %near = all(%x - %start < 16)
//                                        br %near, a load of 16 elements and a permutation of it
//                                                  by %x - %start, or the gather
//
// A gather of 16 floats takes about 40 cycles on AMD's processors, half as many on Intel's, one of
// bytes takes 64; this takes 8. Machines differ in what one permutation takes its elements from:
// 64 bytes, or 128 of words (AVX-512; of bytes with VBMI), 32 (AVX2, words), 16 (bytes).
//
// Rejected: steps that are proved. Most are of floats (`int(x * ratio)`), or by a number that the
// launch gives.
//
// Legality (near-gathers):
//  1. Whether the lanes lie in the window is asked at run time, of all active ones. [asked]
//  2. The window begins beside an active lane's element and does not leave its page, which can be
//     read; where the first lane is idle all of its group have to be. [one page]
//  3. Elements of no lane may be read: not of variables whose size the compiler knows. [no variable]
//  4. Indices are compared as 32 bits only where the window does not wrap around in them. [no wrap]
//  5. Nobody wants what idle lanes give. [idle lanes]
#include "jit/memory/near_gathers.h"

#include "simt/analysis/launch_facts.h"
#include "simt/analysis/pass_notes.h"
#include "simt/lower/native.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr uint64_t PageBytes = 4096; ///< bytes, at least
constexpr unsigned MostWindowBytes = 128;

/// So many lanes take their elements from so many bytes in one permutation; none if `lanes` is 0.
struct NearWindow {
  unsigned lanes = 0, bytes = 0;
};

bool hasFeature(const TargetMachine &machine, const char *feature) {
  return machine.getTargetTriple().isX86() && machine.getMCSubtargetInfo()->checkFeatures(feature);
}

NearWindow nearWindowOf(const TargetMachine &machine, unsigned size, uint64_t step) {
  unsigned words = simt::tableLength(machine);
  switch (size) {
  case 1:
    if (hasFeature(machine, "+avx512vbmi"))
      return {32, 64};
    return hasFeature(machine, "+ssse3") ? NearWindow{16, 16} : NearWindow();
  case 2:
    return hasFeature(machine, "+avx512bw") ? NearWindow{16, 64} : NearWindow();
  case 4:
    return {words, words == 16 && step > size ? MostWindowBytes : words * 4};
  case 8:
    return {words / 2, words * 4};
  default:
    return {};
  }
}

/// Of a gather with a note, in its function.
class NearForm {
public:
  NearForm(IntrinsicInst &gather, const TargetMachine &machine)
      : gather_(gather), machine_(machine), builder_(&gather),
        type_(cast<FixedVectorType>(gather.getType())), size_(type_->getScalarSizeInBits() / 8),
        note_(*simt::NearGather.get(gather)), window_(nearWindowOf(machine, size_, note_.step)) {}

  bool isPossible() const;
  void emit();

private:
  /// What a group of lanes counts from, and where: in elements, 32 bits or 64.
  struct Group {
    Value *start, *offsets, *isNear;
  };
  void findIndices();
  Group groupAt(unsigned first);
  Value *relative(unsigned first, Value *&start, Value *&fits);
  Value *lookup(Value *window, Value *index);
  Value *ofWords(Value *window, Value *index);
  Value *slice(Value *vector, unsigned first) {
    return builder_.CreateShuffleVector(vector, createSequentialMask(first, lanes(), 0));
  }
  unsigned lanes() const { return std::min(window_.lanes, type_->getNumElements()); }
  Constant *zeros();

  IntrinsicInst &gather_;
  const TargetMachine &machine_;
  IRBuilder<> builder_;
  FixedVectorType *type_;
  unsigned size_; ///< of an element, in bytes
  simt::NearNote::Bytes note_;
  NearWindow window_;
  Value *base_ = nullptr, *indices_ = nullptr; ///< of 32 bits that are extended with their sign
  Value *pointers_ = nullptr;                  ///< where there are none
};

bool NearForm::isPossible() const {
  unsigned count = type_->getNumElements();
  if (window_.lanes == 0 || count < 8 || !isPowerOf2_32(count) ||
      type_->getElementType()->isPointerTy() || size_ * 8 != type_->getScalarSizeInBits() ||
      !isa<UndefValue>(gather_.getArgOperand(2)))
    return false;
  const auto *gep = dyn_cast<GetElementPtrInst>(gather_.getArgOperand(0));
  while (gep && gep->getPointerOperand()->getType()->isVectorTy())
    gep = dyn_cast<GetElementPtrInst>(gep->getPointerOperand());
  if (!gep)
    return false;
  const Value *object = getUnderlyingObject(gep->getPointerOperand(), 0);
  return !isa<AllocaInst, Constant>(object);
}

void NearForm::findIndices() {
  auto *gep = cast<GetElementPtrInst>(gather_.getArgOperand(0));
  auto *index = gep->getNumIndices() == 1 ? dyn_cast<SExtInst>(gep->getOperand(1)) : nullptr;
  if (!gep->getPointerOperand()->getType()->isVectorTy() && index &&
      index->getSrcTy()->getScalarSizeInBits() == 32 && gep->getSourceElementType()->isSized() &&
      gep->getDataLayout().getTypeAllocSize(gep->getSourceElementType()) == size_) {
    base_ = gep->getPointerOperand();
    indices_ = builder_.CreateFreeze(index->getOperand(0));
    return;
  }
  Type *numbers = FixedVectorType::get(builder_.getInt64Ty(), type_->getNumElements());
  pointers_ = builder_.CreatePtrToInt(builder_.CreateFreeze(gep), numbers);
}

/// Offsets of lanes from the window's beginning, in elements; their beginning's address.
Value *NearForm::relative(unsigned first, Value *&start, Value *&fits) {
  uint64_t before = divideCeil(note_.before, size_);
  Type *i64 = builder_.getInt64Ty();
  if (!indices_) {
    Value *from = builder_.CreateSub(builder_.CreateExtractElement(pointers_, first),
                                     builder_.getInt64(before * size_));
    start = builder_.CreateIntToPtr(from, builder_.getPtrTy());
    fits = builder_.getTrue();
    Value *bytes =
        builder_.CreateSub(slice(pointers_, first), builder_.CreateVectorSplat(lanes(), from));
    return builder_.CreateLShr(bytes, ConstantInt::get(bytes->getType(), Log2_32(size_)));
  }
  Value *from =
      builder_.CreateSub(builder_.CreateSExt(builder_.CreateExtractElement(indices_, first), i64),
                         builder_.getInt64(before));
  start = builder_.CreateGEP(type_->getElementType(), base_, from);
  fits = builder_.CreateICmpULE(builder_.CreateAdd(from, builder_.getInt64(uint64_t(1) << 31)),
                                builder_.getInt64((uint64_t(1) << 32) - window_.bytes / size_));
  Value *low = builder_.CreateTrunc(from, builder_.getInt32Ty());
  return builder_.CreateSub(slice(indices_, first), builder_.CreateVectorSplat(lanes(), low));
}

Constant *NearForm::zeros() {
  Module &module = *gather_.getModule();
  Type *type = ArrayType::get(builder_.getInt8Ty(), MostWindowBytes);
  constexpr const char *Name = "heddle.zeros";
  if (GlobalVariable *known = module.getNamedGlobal(Name))
    return known;
  return new GlobalVariable(module, type, /*isConstant=*/true, GlobalValue::InternalLinkage,
                            Constant::getNullValue(type), Name);
}

NearForm::Group NearForm::groupAt(unsigned first) {
  Value *start = nullptr, *fits = nullptr;
  Value *offsets = relative(first, start, fits);
  Value *mask = slice(gather_.getArgOperand(1), first);
  Value *isFirst = builder_.CreateExtractElement(mask, uint64_t(0));
  start = builder_.CreateSelect(isFirst, start, zeros());
  Value *inPage = builder_.CreateICmpULE(
      builder_.CreateAnd(builder_.CreatePtrToInt(start, builder_.getInt64Ty()), PageBytes - 1),
      builder_.getInt64(PageBytes - window_.bytes));
  Value *inWindow =
      builder_.CreateICmpULT(offsets, ConstantInt::get(offsets->getType(), window_.bytes / size_));
  inWindow = builder_.CreateAnd(inWindow, builder_.CreateVectorSplat(lanes(), isFirst));
  Value *fine = builder_.CreateSelect(mask, inWindow, Constant::getAllOnesValue(mask->getType()));
  Value *bits = builder_.CreateBitCast(fine, builder_.getIntNTy(lanes()));
  Value *all = builder_.CreateICmpEQ(bits, Constant::getAllOnesValue(bits->getType()));
  // What an idle first lane gives does not count.
  fits = builder_.CreateOr(builder_.CreateAnd(fits, inPage), builder_.CreateNot(isFirst));
  Type *words = FixedVectorType::get(builder_.getInt32Ty(), lanes());
  return {start, builder_.CreateTrunc(offsets, words), builder_.CreateAnd(all, fits)};
}

Value *NearForm::ofWords(Value *window, Value *index) {
  unsigned words = window_.bytes / 4;
  Value *table = builder_.CreateBitCast(window, FixedVectorType::get(builder_.getInt32Ty(), words));
  if (size_ == 8) { // both halves
    SmallVector<int, 32> twice;
    SmallVector<Constant *, 32> halves;
    for (unsigned i = 0; i < 2 * lanes(); ++i) {
      twice.push_back(int(i / 2));
      halves.push_back(builder_.getInt32(i % 2));
    }
    index = builder_.CreateShuffleVector(builder_.CreateShl(index, 1), twice);
    index = builder_.CreateOr(index, ConstantVector::get(halves));
  }
  Value *found = words > simt::tableLength(machine_)
                     ? simt::emitNativePermute(builder_, machine_, table, index)
                     : simt::emitLookup(builder_, table, index);
  return builder_.CreateBitCast(found, FixedVectorType::get(type_->getElementType(), lanes()));
}

/// window[index]
Value *NearForm::lookup(Value *window, Value *index) {
  if (size_ >= 4)
    return ofWords(window, index);
  Intrinsic::ID permute = size_ == 2            ? Intrinsic::x86_avx512_permvar_hi_512
                          : window_.bytes == 64 ? Intrinsic::x86_avx512_permvar_qi_512
                                                : Intrinsic::x86_ssse3_pshuf_b_128;
  unsigned all = window_.bytes / size_;
  auto *integers = FixedVectorType::get(builder_.getIntNTy(8 * size_), all);
  Value *narrow =
      builder_.CreateTrunc(index, FixedVectorType::get(integers->getElementType(), lanes()));
  Value *padded =
      builder_.CreateShuffleVector(narrow, createSequentialMask(0, lanes(), all - lanes()));
  padded = builder_.CreateFreeze(padded);
  Value *table = builder_.CreateBitCast(window, integers);
  Value *found = builder_.CreateIntrinsic(permute, {}, {table, padded});
  found = builder_.CreateShuffleVector(found, createSequentialMask(0, lanes(), 0));
  return builder_.CreateBitCast(found, FixedVectorType::get(type_->getElementType(), lanes()));
}

void NearForm::emit() {
  builder_.SetCurrentDebugLocation(gather_.getDebugLoc());
  findIndices();
  SmallVector<Group, 8> groups;
  Value *isNear = builder_.getTrue();
  for (unsigned first = 0; first < type_->getNumElements(); first += lanes()) {
    groups.push_back(groupAt(first));
    isNear = builder_.CreateAnd(isNear, groups.back().isNear);
  }
  Instruction *then = nullptr, *otherwise = nullptr;
  SplitBlockAndInsertIfThenElse(isNear, gather_.getIterator(), &then, &otherwise,
                                MDBuilder(gather_.getContext()).createLikelyBranchWeights());
  builder_.SetInsertPoint(then);
  Type *window = FixedVectorType::get(type_->getElementType(), window_.bytes / size_);
  SmallVector<Value *, 8> parts;
  for (const Group &group : groups)
    parts.push_back(
        lookup(builder_.CreateAlignedLoad(window, group.start, Align(size_ == 1 ? 1 : size_)),
               group.offsets));
  Value *near = concatenateVectors(builder_, parts);
  BasicBlock *join = gather_.getParent();
  gather_.moveBefore(otherwise->getIterator());
  PHINode *value = PHINode::Create(type_, 2, "", join->begin());
  gather_.replaceAllUsesWith(value);
  value->addIncoming(near, then->getParent());
  value->addIncoming(&gather_, otherwise->getParent());
}

} // namespace

PreservedAnalyses NearGathers::run(Function &function, FunctionAnalysisManager &analyses) {
  const TargetMachine &machine = analyses.getResult<simt::LaunchFactsAnalysis>(function).machine;
  SmallVector<IntrinsicInst *, 16> gathers;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (call && call->getIntrinsicID() == Intrinsic::masked_gather && simt::NearGather.get(*call) &&
        NearForm(*call, machine).isPossible())
      gathers.push_back(call);
  }
  for (IntrinsicInst *gather : gathers)
    NearForm(*gather, machine).emit();
  return gathers.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace heddle::jit
