// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: combine_member_loads.h. Bytes of pixels in textbooks (`p[4 * i + 1] = ...`) would
// be stored lane by lane otherwise.
//
// Legality (combine-member-loads):
//  1. Nothing between the first member and the last may see or change what they touch, or not come
//     to the next one. [nothing between]
//  2. A store's members fill the word. A load may leave one of them out, if the word is aligned.
//     [filled]
//  3. The word is known to be aligned, or is a word of an array. [aligned]
//  4. Words of neighbouring threads do not overlap. [words apart]
//  5. The accesses are neither volatile nor atomic. [plain accesses]
#include "simt/canonical/combine_member_loads.h"

#include "simt/analysis/neighbours.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr int64_t LargestWord = 4; ///< bytes
constexpr unsigned Reach = 256;    ///< instructions between the first member and the last

struct Member {
  Instruction *access;
  int64_t offset; ///< from the root of its address, bytes
};

/// Accesses of one kind, relative to one root, between which no other access can see or change what
/// they touch.
struct Members {
  Value *root = nullptr;
  int64_t size = 0; ///< of each, bytes
  SmallVector<Member, 4> all;
};

/// Null if the access is no plain one of a byte or two.
Type *memberType(const Instruction &access) {
  const auto *load = dyn_cast<LoadInst>(&access);
  const auto *store = dyn_cast<StoreInst>(&access);
  if (!(load && load->isSimple()) && !(store && store->isSimple()))
    return nullptr;
  Type *type = getLoadStoreType(&access);
  bool isNumber = type->isIntegerTy() || type->isFloatingPointTy();
  bool isSmall = is_contained({8u, 16u}, type->getScalarSizeInBits());
  return isNumber && !type->isVectorTy() && isSmall ? type : nullptr;
}

Member memberOf(Instruction &access, Value *&root) {
  APInt offset(64, 0);
  root = getLoadStorePointerOperand(&access)->stripAndAccumulateConstantOffsets(
      access.getDataLayout(), offset, /*AllowNonInbounds=*/true);
  return {&access, offset.getSExtValue()};
}

/// `first` and those behind it in its block that go with it.
Members membersFrom(Instruction &first) {
  Members members;
  members.size = memberType(first)->getScalarSizeInBits() / 8;
  members.all.push_back(memberOf(first, members.root));
  bool isLoad = isa<LoadInst>(first);
  Instruction *next = first.getNextNode();
  for (unsigned i = 0; i < Reach && next; ++i, next = next->getNextNode()) {
    Type *type = next->getOpcode() == first.getOpcode() ? memberType(*next) : nullptr;
    if (type && type->getScalarSizeInBits() == unsigned(8 * members.size)) {
      Value *root;
      Member member = memberOf(*next, root);
      bool isFresh =
          none_of(members.all, [&](const Member &other) { return other.offset == member.offset; });
      if (root == members.root && isFresh) {
        members.all.push_back(member);
        continue;
      }
    }
    if (next->mayWriteToMemory() || (!isLoad && next->mayReadFromMemory()) ||
        !isGuaranteedToTransferExecutionToSuccessor(next))
      break;
  }
  return members;
}

/// Members that fill a word of memory.
struct Word {
  int64_t bytes;
  Align align;
  int64_t low; ///< where it begins, from the root
  SmallVector<Member, 4> members;
};

/// The first address of an array: it is the same for all threads.
bool isArray(const Value *pointer) {
  const auto *load = dyn_cast<LoadInst>(pointer);
  return isa<Argument, GlobalVariable>(pointer) ||
         (load && load->hasMetadata(LLVMContext::MD_invariant_load));
}

/// Whether it lies a multiple of `bytes` behind an array's first address, whatever thread it is
/// of: `pixels[4 * i]`. Words of neighbouring threads do not overlap then.
bool isWholeWords(Value *address, int64_t bytes, const DataLayout &layout) {
  unsigned width = layout.getIndexTypeSizeInBits(address->getType());
  for (auto *element = dyn_cast<GEPOperator>(address); element;
       element = dyn_cast<GEPOperator>(address)) {
    SmallMapVector<Value *, APInt, 4> variable;
    APInt constant(width, 0);
    if (!element->collectOffset(layout, width, variable, constant) || constant.srem(bytes) != 0 ||
        any_of(variable, [&](const auto &term) {
          return computeKnownBits(term.first, layout).countMinTrailingZeros() +
                     term.second.countr_zero() <
                 Log2_64(bytes);
        }))
      return false;
    address = element->getPointerOperand();
  }
  return isArray(address);
}

/// The word of `bytes` that the first member is in, if it is known to be aligned, or to be one of
/// an array's words, and filled. Three loads of four bytes that may begin anywhere stay together:
/// one wide access is for them (interleaved_accesses.cpp).
std::optional<Word> wordOf(const Members &members, int64_t bytes) {
  auto aligned = find_if(members.all, [&](const Member &member) {
    return int64_t(getLoadStoreAlignment(member.access).value()) >= bytes;
  });
  bool isAligned = aligned != members.all.end();
  const Instruction &first = *members.all.front().access;
  if (!isAligned && !isWholeWords(members.root, bytes, first.getDataLayout()))
    return {};
  int64_t begin = isAligned ? aligned->offset : 0;
  int64_t phase = members.all.front().offset - begin;
  Word word{
      bytes, Align(isAligned ? bytes : 1), begin + bytes * divideFloorSigned(phase, bytes), {}};
  for (const Member &member : members.all) {
    int64_t from = member.offset - word.low;
    if (from <= -members.size || from >= bytes)
      continue;
    if (from % members.size != 0)
      return {};
    word.members.push_back(member);
    word.align = std::max(word.align, commonAlignment(getLoadStoreAlignment(member.access), from));
  }
  int64_t missing = bytes / members.size - int64_t(word.members.size());
  bool isLoad = isa<LoadInst>(first), isAll = word.members.size() == members.all.size();
  bool isFilled = missing == 0 ? isAligned || !isLoad || isAll || bytes == LargestWord
                               : isAligned && isLoad && missing == 1 && word.members.size() > 2;
  return isFilled ? std::optional(word) : std::nullopt;
}

Value *emitWordAddress(const Members &members, const Word &word, IRBuilder<> &builder) {
  return word.low ? builder.CreatePtrAdd(members.root, builder.getInt64(word.low)) : members.root;
}

void joinStores(const Members &members, const Word &word) {
  IRBuilder<> builder(word.members.back().access);
  Type *type = builder.getIntNTy(8 * word.bytes), *part = builder.getIntNTy(8 * members.size);
  Value *number = nullptr;
  for (auto [access, offset] : word.members) {
    Value *value = cast<StoreInst>(access)->getValueOperand();
    if (isa<UndefValue>(value)) // which would make the whole word undefined
      value = Constant::getNullValue(value->getType());
    value = builder.CreateZExt(builder.CreateBitCast(value, part), type);
    if (int64_t from = offset - word.low)
      value = builder.CreateShl(value, 8 * from);
    number = number ? builder.CreateOr(number, value) : value;
  }
  builder.CreateAlignedStore(number, emitWordAddress(members, word, builder), word.align);
}

void joinLoads(const Members &members, const Word &word) {
  IRBuilder<> builder(word.members.front().access);
  Type *type = builder.getIntNTy(8 * word.bytes), *part = builder.getIntNTy(8 * members.size);
  LoadInst *number =
      builder.CreateAlignedLoad(type, emitWordAddress(members, word, builder), word.align);
  if (all_of(word.members, [](const Member &member) {
        return member.access->hasMetadata(LLVMContext::MD_invariant_load);
      }))
    number->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(builder.getContext(), {}));
  for (auto [access, offset] : word.members) {
    Value *value = number;
    if (int64_t from = offset - word.low)
      value = builder.CreateLShr(value, 8 * from);
    value = builder.CreateBitCast(builder.CreateTrunc(value, part), access->getType());
    access->replaceAllUsesWith(value);
  }
}

/// Joins `first` with those behind it, if they fill a word.
bool join(Instruction &first) {
  Members members = membersFrom(first);
  for (int64_t bytes = LargestWord; bytes > members.size; bytes /= 2) {
    std::optional<Word> word = wordOf(members, bytes);
    if (!word)
      continue;
    if (isa<LoadInst>(first))
      joinLoads(members, *word);
    else
      joinStores(members, *word);
    for (const Member &member : word->members)
      member.access->eraseFromParent();
    return true;
  }
  return false;
}

/// Bytes, or numbers of two, become others or come from others.
bool convertsMembers(const Instruction &instruction) {
  auto isMember = [](const Type *type) {
    return type->isIntegerTy(8) || type->isIntegerTy(16) || type->isHalfTy();
  };
  return isa<CastInst>(instruction) &&
         (isMember(instruction.getType()) || isMember(instruction.getOperand(0)->getType()));
}

} // namespace

PreservedAnalyses CombineMemberLoads::run(Function &function, FunctionAnalysisManager &) {
  bool isChanged = false;
  for (BasicBlock &block : function) {
    SmallVector<WeakVH, 16> accesses;
    // A block that only computes with rows as they are (uchar16 of OpenCL) has vectors of them.
    const auto rows = findNeighbours(block);
    const bool keepsRows =
        NeighbourRows(block, ShortestVector).storesRows() && none_of(block, convertsMembers);
    for (Instruction &instruction : block)
      if (const Type *type = memberType(instruction))
        if (!keepsRows || rows.lookup(&instruction) * type->getScalarSizeInBits() < ShortestVector)
          accesses.push_back(&instruction);
    for (WeakVH &access : accesses)
      if (access)
        isChanged |= join(*cast<Instruction>(access));
  }
  return changedInBlocks(isChanged);
}

} // namespace heddle::simt
