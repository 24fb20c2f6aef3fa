// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masked memory operations of bytes and 16-bit values, which x86 has only in part, and of
// everything on machines without gather and scatter.
//
// LLVM's own lowering (ScalarizeMaskedMemIntrin) makes a test, a branch and an access for each
// lane. At 32 lanes a kernel that copies a few structures becomes thousands of blocks, which take
// seconds to compile and are slow. In their place:
//
//   gather of bytes or aligned 16-bit values, where 32-bit gathers exist
//       gathers the aligned words that the values lie in, and shifts. A word lies in one page, so
//       nothing is touched that the lane could not touch.
//   gather of words, with AVX2
//       its instruction, which LLVM does not take for fast (gather_words.h).
//   masked load and store of neighbours
//       one vector access if all lanes are active; also a load of which no lane lies in another
//       page than an active one, for what no lane may fault at none will. Else
//   neighbours under a constant mask
//       the vector is halved until all lanes of a part are active, or none is. What is left of a
//       register goes lane by lane, for which LLVM needs no branches
//   one lane
//       an access to its place if it is active, else a load of zeros, or a store to a spare place
//       on the stack. What else may lie on the stack (small integers are denormal numbers) can take
//       arithmetic hundreds of cycles, though nobody uses its result
//   everything else
//       a loop over the active lanes, lowest first (so the highest of several stores to one address
//       stays, as with the scatter instruction):
//
//     addresses and values to the stack; bits = mask
//     do { lane = cttz(bits); access(lane); bits &= bits - 1 } while (bits)
//
// An access of more lanes than a word has bits is cut first.
//
// An access that the machine does have, to a register that is only a part of the program's lanes,
// goes to a spare place if none of its lanes is active. Where a whole program has no active lane
// it has jumped past the access; of a part nobody has asked. Processors take hundreds of cycles for
// a masked access to a page that is absent, though no lane touches it, and lanes that a condition
// leaves out often lie behind their array: the last rows of a tile with a halo, at whose end is
// a guard page, or rows of a matrix that are beyond its last.
#include "jit/memory/lower_masked.h"

#include "jit/memory/gather_words.h"
#include "jit/memory/lanes_in_turn.h"
#include "simt/analysis/launch_facts.h"
#include "simt/vector/word_places.h"

#include "llvm/Analysis/TargetTransformInfo.h"
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

constexpr unsigned MostMaskLanes = 64; ///< of a mask in one word
constexpr unsigned MostInTurn = 32;    ///< of a gather whose mask is known at run time
constexpr unsigned ManyLanes = 4;      ///< where one of so many is active, all are gathered
constexpr uint64_t SmallestPage = 4096;

bool isMasked(const IntrinsicInst &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::masked_load:
  case Intrinsic::masked_store:
  case Intrinsic::masked_gather:
  case Intrinsic::masked_scatter:
    return isa<FixedVectorType>(call.getArgOperand(0)->getType()) ||
           isa<FixedVectorType>(call.getType());
  default:
    return false;
  }
}

bool isLegalGather(const TargetTransformInfo &target, FixedVectorType *type, Align align) {
  return target.isLegalMaskedGather(type, align) && !target.forceScalarizeMaskedGather(type, align);
}

bool isLegal(const TargetTransformInfo &target, const Access &access) {
  unsigned space = 0;
  if (access.isIndexed && access.isStore)
    return target.isLegalMaskedScatter(access.type, access.align) &&
           !target.forceScalarizeMaskedScatter(access.type, access.align);
  if (access.isIndexed)
    return isLegalGather(target, access.type, access.align);
  return access.isStore ? target.isLegalMaskedStore(access.type, access.align, space)
                        : target.isLegalMaskedLoad(access.type, access.align, space);
}

class Lowering {
public:
  Lowering(Function &function, const TargetTransformInfo &target, const TargetMachine &machine,
           bool gathersWords)
      : target_(target), machine_(machine), gathersWords_(gathersWords),
        builder_(function.getContext()), entry_(function.getEntryBlock()),
        layout_(function.getParent()->getDataLayout()),
        registerBits_(
            target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue()) {
  }

  bool lower(const Access &access) {
    bool words = canGatherWords(access), byInstruction = hasInstruction(access),
         inTurn = takesAllInTurn(access), isKnown = canCutByMask(access);
    if (!words && !byInstruction && !inTurn && !isKnown && !canLoop(access))
      return false;
    builder_.SetInsertPoint(access.call);
    Value *result = isKnown                          ? accessByMask(access)
                    : access.lanes() == 1            ? accessOrSpare(access)
                    : words                          ? gatherFromWords(access)
                    : byInstruction                  ? gatherWords(builder_, access)
                    : inTurn                         ? accessInTurn(builder_, access)
                    : access.lanes() > MostMaskLanes ? cut(access)
                                                     : branchAndLoop(access);
    if (result)
      access.call->replaceAllUsesWith(result);
    access.call->eraseFromParent();
    return true;
  }

  /// Of a register none of whose lanes is active, at a spare place.
  void avoidAbsentPages(const Access &access) {
    builder_.SetInsertPoint(access.call);
    Type *bits = builder_.getIntNTy(access.lanes());
    Value *any =
        builder_.CreateICmpNE(builder_.CreateBitCast(access.mask, bits), ConstantInt::get(bits, 0));
    AllocaInst *&spare = spares_[access.type];
    if (!spare)
      spare = slot(access, access.element());
    access.call->setArgOperand(access.isStore ? 1 : 0,
                               builder_.CreateSelect(any, access.address, spare));
  }

private:
  /// A constant mask costs LLVM no branches. An array of odd-sized integers is not laid out as a
  /// vector of them.
  bool canLoop(const Access &access) {
    return !isa<Constant>(access.mask) &&
           (access.lanes() <= MostMaskLanes || isPowerOf2_32(access.lanes())) &&
           isLaidOutAsArray(access);
  }

  bool isLaidOutAsArray(const Access &access) {
    return layout_.getTypeSizeInBits(access.element()) ==
           layout_.getTypeAllocSizeInBits(access.element());
  }

  static bool isOfNoLane(const Access &access) {
    auto *mask = dyn_cast<Constant>(access.mask);
    return mask && mask->isNullValue();
  }

  /// All of its lanes, none, or more than a register has.
  bool canCutByMask(const Access &access) {
    uint64_t bits = layout_.getTypeSizeInBits(access.element()).getFixedValue();
    return isa<Constant>(access.mask) && !access.isIndexed && access.lanes() > 1 &&
           isLaidOutAsArray(access) &&
           (isOfAllLanes(access) || isOfNoLane(access) || access.lanes() * bits > registerBits_);
  }

  static bool isOfAllLanes(const Access &access) {
    auto *mask = dyn_cast<Constant>(access.mask);
    return mask && mask->isAllOnesValue();
  }

  /// A gather of words.
  bool hasInstruction(const Access &access) {
    bool isSlow = simt::hasSlowGathers(machine_);
    return gathersWords_ && hasWordGather(access, machine_) &&
           (isOfAllLanes(access) ? !isSlow : !isa<Constant>(access.mask));
  }

  /// A gather or scatter of all lanes.
  bool takesAllInTurn(const Access &access) {
    return access.isIndexed && isOfAllLanes(access) && access.lanes() <= MostMaskLanes &&
           isLaidOutAsArray(access);
  }

  /// Where many lanes are active, the others read what the first active one does: the way there and
  /// back through memory costs a loop as much as several lanes.
  Value *gather(const Access &access, Value *bits, BasicBlock *after) {
    auto block = [&](const char *name) {
      return BasicBlock::Create(after->getContext(), name, after->getParent(), after);
    };
    BasicBlock *many = block("many"), *few = block("few");
    Value *count = builder_.CreateUnaryIntrinsic(Intrinsic::ctpop, bits);
    unsigned least = std::max(1u, access.lanes() / ManyLanes);
    builder_.CreateCondBr(builder_.CreateICmpUGE(count, ConstantInt::get(bits->getType(), least)),
                          many, few);
    builder_.SetInsertPoint(many);
    Value *inMany = accessInTurn(builder_, access, bits);
    builder_.CreateBr(after);
    builder_.SetInsertPoint(few);
    Value *inFew = laneLoop(access, bits);
    BasicBlock *fewEnd = builder_.GetInsertBlock();
    builder_.CreateBr(after);
    builder_.SetInsertPoint(access.call);
    PHINode *value = builder_.CreatePHI(access.type, 2);
    value->addIncoming(inMany, many);
    value->addIncoming(inFew, fewEnd);
    return value;
  }

  /// Of one lane, without a branch.
  Value *accessOrSpare(const Access &access) {
    Value *bit = builder_.CreateExtractElement(access.mask, uint64_t(0));
    Value *address = access.isIndexed ? builder_.CreateExtractElement(access.address, uint64_t(0))
                                      : access.address;
    if (access.isStore) {
      AllocaInst *&spare = spares_[access.element()];
      if (!spare)
        spare = slot(access, access.element());
      address = builder_.CreateSelect(bit, address, spare);
      return builder_.CreateAlignedStore(access.value, address, access.align), nullptr;
    }
    address = builder_.CreateSelect(bit, address, zeros());
    Value *loaded = builder_.CreateAlignedLoad(access.type, address, access.align);
    return isa<UndefValue>(access.value) ? loaded
                                         : builder_.CreateSelect(access.mask, loaded, access.value);
  }

  /// As long and as aligned as a register.
  Constant *zeros() {
    constexpr const char *Name = "heddle.zeros";
    constexpr unsigned Bytes = 64;
    Module &module = *entry_.getModule();
    if (GlobalVariable *known = module.getGlobalVariable(Name, /*AllowInternal=*/true))
      return known;
    auto *type = ArrayType::get(builder_.getInt8Ty(), Bytes);
    auto *made = new GlobalVariable(module, type, /*isConstant=*/true, GlobalValue::PrivateLinkage,
                                    Constant::getNullValue(type), Name);
    made->setAlignment(Align(Bytes));
    return made;
  }

  FixedVectorType *words(const Access &access) {
    return FixedVectorType::get(builder_.getInt32Ty(), access.lanes());
  }

  bool canGatherWords(const Access &access) {
    if (!access.isIndexed || access.isStore || !layout_.isLittleEndian())
      return false;
    uint64_t bits = layout_.getTypeSizeInBits(access.element()).getFixedValue();
    return (bits == 8 || (bits == 16 && access.align >= Align(2))) &&
           isLegalGather(target_, words(access), Align(4));
  }

  Value *gatherFromWords(const Access &access) {
    Type *i64s = FixedVectorType::get(builder_.getInt64Ty(), access.lanes());
    Value *numbers = builder_.CreatePtrToInt(access.address, i64s);
    Value *wordAddress =
        builder_.CreateIntrinsic(Intrinsic::ptrmask, {access.address->getType(), i64s},
                                 {access.address, ConstantInt::get(i64s, ~uint64_t(3))});
    Value *word = builder_.CreateMaskedGather(words(access), wordAddress, Align(4), access.mask,
                                              PoisonValue::get(words(access)));
    Value *byte = builder_.CreateTrunc(builder_.CreateAnd(numbers, 3), words(access));
    Value *shifted = builder_.CreateLShr(word, builder_.CreateShl(byte, 3));
    unsigned bits = unsigned(layout_.getTypeSizeInBits(access.element()).getFixedValue());
    Type *narrow = FixedVectorType::get(builder_.getIntNTy(bits), access.lanes());
    Value *value = builder_.CreateBitCast(builder_.CreateTrunc(shifted, narrow), access.type);
    return isa<UndefValue>(access.value) ? value
                                         : builder_.CreateSelect(access.mask, value, access.value);
  }

  /// Of neighbours under a constant mask.
  Value *accessByMask(const Access &access) {
    if (isOfAllLanes(access))
      return accessWhole(access);
    if (isOfNoLane(access))
      return access.isStore ? nullptr : access.value;
    return cut(access);
  }

  /// Two of half the lanes, lowered; the first one's number is a power of two.
  Value *cut(const Access &access) {
    unsigned half = unsigned(PowerOf2Ceil(access.lanes()) / 2);
    Value *parts[2];
    for (unsigned part : {0u, 1u}) {
      builder_.SetInsertPoint(access.call);
      auto lanesOf = [&](Value *vector) {
        unsigned lanes = part ? access.lanes() - half : half;
        return builder_.CreateShuffleVector(
            vector, createSequentialMask(part * half, lanes, /*NumUndefs=*/0));
      };
      Value *mask = lanesOf(access.mask), *value = lanesOf(access.value);
      Value *address = access.isIndexed ? lanesOf(access.address)
                                        : builder_.CreateConstGEP1_64(access.element(),
                                                                      access.address, part * half);
      Align align =
          part && !access.isIndexed
              ? commonAlignment(access.align, half * layout_.getTypeAllocSize(access.element()))
              : access.align;
      CallInst *call =
          access.isIndexed
              ? (access.isStore
                     ? builder_.CreateMaskedScatter(value, address, align, mask)
                     : builder_.CreateMaskedGather(value->getType(), address, align, mask, value))
          : access.isStore
              ? builder_.CreateMaskedStore(value, address, align, mask)
              : builder_.CreateMaskedLoad(value->getType(), address, align, mask, value);
      WeakTrackingVH result(call);
      lower(Access(*cast<IntrinsicInst>(call)));
      parts[part] = result;
    }
    if (access.isStore)
      return nullptr;
    builder_.SetInsertPoint(access.call);
    return concatenateVectors(builder_, parts);
  }

  IntegerType *bitsType(const Access &access) {
    return access.lanes() > 32 ? builder_.getInt64Ty() : builder_.getInt32Ty();
  }

  Value *maskBits(const Access &access) {
    Value *bits = builder_.CreateBitCast(access.mask, builder_.getIntNTy(access.lanes()));
    return builder_.CreateZExt(bits, bitsType(access));
  }

  /// No two lanes lie in different pages, and there is an active one; or all are active.
  Value *canAccessWhole(const Access &access, Value *bits) {
    Type *type = bits->getType();
    Value *all = builder_.CreateICmpEQ(
        bits, ConstantInt::get(type, maskTrailingOnes<uint64_t>(access.lanes())));
    uint64_t size = layout_.getTypeAllocSize(access.element()) * access.lanes();
    if (access.isStore || size > SmallestPage)
      return all;
    Value *inPage = builder_.CreateAnd(
        builder_.CreatePtrToInt(access.address, builder_.getInt64Ty()), SmallestPage - 1);
    Value *onePage =
        builder_.CreateAnd(builder_.CreateICmpULE(inPage, builder_.getInt64(SmallestPage - size)),
                           builder_.CreateICmpNE(bits, ConstantInt::get(type, 0)));
    return builder_.CreateOr(all, onePage);
  }

  AllocaInst *slot(const Access &access, Type *element) {
    IRBuilder<> builder(&entry_, entry_.getFirstInsertionPt());
    AllocaInst *slot = builder.CreateAlloca(ArrayType::get(element, access.lanes()));
    slot->setAlignment(Align(64));
    return slot;
  }

  /// The access splits its block; the ways between go from `before` to `after`.
  Value *branchAndLoop(const Access &access) {
    BasicBlock *before = access.call->getParent();
    BasicBlock *after = SplitBlock(before, access.call);
    before->getTerminator()->eraseFromParent();
    builder_.SetInsertPoint(before);
    Value *bits = maskBits(access);
    if (access.isIndexed && (access.isStore || access.lanes() > MostInTurn)) {
      Value *value = laneLoop(access, bits);
      builder_.CreateBr(after);
      return value;
    }
    if (access.isIndexed)
      return gather(access, bits, after);
    BasicBlock *whole = BasicBlock::Create(after->getContext(), "whole", after->getParent(), after);
    BasicBlock *part = BasicBlock::Create(after->getContext(), "part", after->getParent(), after);
    builder_.CreateCondBr(canAccessWhole(access, bits), whole, part);
    builder_.SetInsertPoint(whole);
    Value *wholeValue = accessWhole(access);
    builder_.CreateBr(after);
    builder_.SetInsertPoint(part);
    Value *partValue = laneLoop(access, bits);
    BasicBlock *partEnd = builder_.GetInsertBlock();
    builder_.CreateBr(after);
    if (access.isStore)
      return nullptr;
    builder_.SetInsertPoint(access.call);
    PHINode *value = builder_.CreatePHI(access.type, 2);
    value->addIncoming(wholeValue, whole);
    value->addIncoming(partValue, partEnd);
    return value;
  }

  Value *accessWhole(const Access &access) {
    if (access.isStore)
      return builder_.CreateAlignedStore(access.value, access.address, access.align);
    Value *loaded = builder_.CreateAlignedLoad(access.type, access.address, access.align);
    return isa<UndefValue>(access.value) ? loaded
                                         : builder_.CreateSelect(access.mask, loaded, access.value);
  }

  /// Leaves the builder behind the loop. Returns what was loaded.
  Value *laneLoop(const Access &access, Value *mask) {
    AllocaInst *values = slot(access, access.element()), *addresses = nullptr;
    // What inactive lanes get is arithmetic's, too, though nobody uses its result.
    bool isUnset = isa<UndefValue>(access.value) && access.element()->isFloatingPointTy();
    builder_.CreateAlignedStore(isUnset ? Constant::getNullValue(access.type) : access.value,
                                values, Align(64));
    if (access.isIndexed) {
      addresses = slot(access, access.address->getType()->getScalarType());
      builder_.CreateAlignedStore(access.address, addresses, Align(64));
    }
    BasicBlock *before = builder_.GetInsertBlock();
    Function *function = before->getParent();
    BasicBlock *loop = BasicBlock::Create(before->getContext(), "lane", function);
    BasicBlock *done = BasicBlock::Create(before->getContext(), "lanes.done", function);
    Value *none = ConstantInt::get(mask->getType(), 0);
    builder_.CreateCondBr(builder_.CreateICmpNE(mask, none), loop, done);
    builder_.SetInsertPoint(loop);
    PHINode *bits = builder_.CreatePHI(mask->getType(), 2);
    Value *lane = builder_.CreateBinaryIntrinsic(Intrinsic::cttz, bits, builder_.getTrue());
    accessLane(access, builder_.CreateZExt(lane, builder_.getInt64Ty()), values, addresses);
    Value *rest =
        builder_.CreateAnd(bits, builder_.CreateSub(bits, ConstantInt::get(bits->getType(), 1)));
    builder_.CreateCondBr(builder_.CreateICmpNE(rest, none), loop, done);
    bits->addIncoming(mask, before);
    bits->addIncoming(rest, loop);
    builder_.SetInsertPoint(done);
    return access.isStore ? nullptr : builder_.CreateAlignedLoad(access.type, values, Align(64));
  }

  void accessLane(const Access &access, Value *lane, AllocaInst *values, AllocaInst *addresses) {
    Type *element = access.element();
    Value *value = builder_.CreateInBoundsGEP(element, values, lane);
    Type *pointer = access.address->getType()->getScalarType();
    Value *address =
        addresses
            ? builder_.CreateLoad(pointer, builder_.CreateInBoundsGEP(pointer, addresses, lane))
            : builder_.CreateGEP(element, access.address, lane);
    uint64_t size = layout_.getTypeAllocSize(element).getFixedValue();
    Align align = addresses ? access.align : commonAlignment(access.align, size);
    if (access.isStore)
      builder_.CreateAlignedStore(builder_.CreateLoad(element, value), address, align);
    else
      builder_.CreateStore(builder_.CreateAlignedLoad(element, address, align), value);
  }

  const TargetTransformInfo &target_;
  const TargetMachine &machine_;
  bool gathersWords_; ///< by gather_words.h
  IRBuilder<> builder_;
  BasicBlock &entry_;
  DenseMap<Type *, AllocaInst *> spares_; ///< for lanes that are not active
  const DataLayout &layout_;
  uint64_t registerBits_;
};

/// Lanes of the module's programs (KernelCode::width); 0 if it holds no kernel.
unsigned programLanes(const Module &module) {
  const GlobalVariable *kernel = module.getGlobalVariable("heddle_kernel");
  if (!kernel || !kernel->hasInitializer())
    return 0;
  auto *width = dyn_cast_or_null<ConstantInt>(kernel->getInitializer()->getAggregateElement(1));
  return width ? unsigned(width->getZExtValue()) : 0;
}

} // namespace

PreservedAnalyses LowerMasked::run(Function &function, FunctionAnalysisManager &analyses) {
  const TargetTransformInfo &target = analyses.getResult<TargetIRAnalysis>(function);
  auto [machine, options] = analyses.getResult<simt::LaunchFactsAnalysis>(function);
  unsigned width = programLanes(*function.getParent());
  SmallVector<IntrinsicInst *> calls, legal;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction); call && isMasked(*call))
      (isLegal(target, Access(*call)) ? legal : calls).push_back(call);
  Lowering lowering(function, target, machine, options.isEnabled("gather-words"));
  bool isChanged = false;
  for (IntrinsicInst *call : legal)
    if (Access access(*call); !access.isIndexed && access.lanes() > 1 && access.lanes() < width &&
                              !isa<Constant>(access.mask)) {
      lowering.avoidAbsentPages(access);
      isChanged = true;
    }
  for (IntrinsicInst *call : calls)
    isChanged |= lowering.lower(Access(*call));
  return simt::changed(isChanged);
}

} // namespace heddle::jit
