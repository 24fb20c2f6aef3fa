// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/canonical/expand_memory.h"

#include "simt/analysis/launch_facts.h"
#include "simt/canonical/volatile_locals.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/SROA.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// The pieces, at most 8 bytes and as wide as the alignment allows, that an object of `size` bytes
/// falls into.
struct Piece {
  uint64_t offset;
  unsigned bytes;
};

SmallVector<Piece, 16> pieces(uint64_t size, Align align) {
  SmallVector<Piece, 16> result;
  uint64_t widest = std::min<uint64_t>(align.value(), 8);
  for (uint64_t offset = 0; offset < size;) {
    uint64_t bytes = widest;
    while (bytes > size - offset)
      bytes /= 2;
    result.push_back({offset, static_cast<unsigned>(bytes)});
    offset += bytes;
  }
  return result;
}

Value *at(IRBuilder<> &builder, Value *base, uint64_t offset) {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset);
}

Align sourceAlign(const MemTransferInst &copy) { return copy.getSourceAlign().valueOrOne(); }
Align targetAlign(const MemTransferInst &copy) { return copy.getDestAlign().valueOrOne(); }

/// For each variable that is copied, the least alignment of what it is copied from and to. All its
/// copies take pieces of that size, so that none must be taken apart and put together in registers.
using Variables = DenseMap<const Value *, Align>;

Variables findVariables(Function &function) {
  Variables variables;
  for (Instruction &instruction : instructions(function))
    if (auto *copy = dyn_cast<MemTransferInst>(&instruction))
      for (Value *side : {copy->getRawSource(), copy->getRawDest()})
        if (const Value *object = getUnderlyingObject(side); isa<AllocaInst>(object)) {
          Align both = std::min(sourceAlign(*copy), targetAlign(*copy));
          Align &least = variables.try_emplace(object, both).first->second;
          least = std::min(least, both);
        }
  return variables;
}

void expandCopy(MemTransferInst &copy, uint64_t size, const Variables &variables) {
  IRBuilder<> builder(&copy);
  Align source = sourceAlign(copy), target = targetAlign(copy), piece = std::min(source, target);
  for (Value *side : {copy.getRawSource(), copy.getRawDest()})
    if (auto variable = variables.find(getUnderlyingObject(side)); variable != variables.end())
      piece = std::min(piece, variable->second);
  SmallVector<Value *, 16> values; // all are read before any is written: the objects may overlap
  auto parts = pieces(size, piece);
  for (Piece piece : parts)
    values.push_back(builder.CreateAlignedLoad(
        builder.getIntNTy(8 * piece.bytes), at(builder, copy.getRawSource(), piece.offset),
        commonAlignment(source, piece.offset), copy.isVolatile()));
  for (auto [piece, value] : zip(parts, values))
    builder.CreateAlignedStore(value, at(builder, copy.getRawDest(), piece.offset),
                               commonAlignment(target, piece.offset), copy.isVolatile());
  copy.eraseFromParent();
}

void expandSet(MemSetInst &set, uint64_t size) {
  IRBuilder<> builder(&set);
  Align target = set.getDestAlign().valueOrOne();
  for (Piece piece : pieces(size, target)) {
    Type *type = builder.getIntNTy(8 * piece.bytes);
    Value *ones = ConstantInt::get(type, APInt::getSplat(8 * piece.bytes, APInt(8, 1)));
    Value *value = builder.CreateMul(builder.CreateZExt(set.getValue(), type), ones);
    builder.CreateAlignedStore(value, at(builder, set.getRawDest(), piece.offset),
                               commonAlignment(target, piece.offset), set.isVolatile());
  }
  set.eraseFromParent();
}

} // namespace

void expandMemory(Function &function, uint64_t largest) {
  Variables variables = findVariables(function);
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *memory = dyn_cast<MemIntrinsic>(&instruction);
    auto *length = memory ? dyn_cast<ConstantInt>(memory->getLength()) : nullptr;
    if (!length || length->getZExtValue() > largest)
      continue;
    if (auto *copy = dyn_cast<MemTransferInst>(memory))
      expandCopy(*copy, length->getZExtValue(), variables);
    else
      expandSet(*cast<MemSetInst>(memory), length->getZExtValue());
  }
}

PreservedAnalyses ExpandMemory::run(Function &function, FunctionAnalysisManager &analyses) {
  if (analyses.getResult<LaunchFactsAnalysis>(function).options.isOptimised()) {
    readPlainly(function);
    forget(function, analyses);
    forget(function, analyses, SROAPass(SROAOptions::PreserveCFG).run(function, analyses));
  }
  expandMemory(function);
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
