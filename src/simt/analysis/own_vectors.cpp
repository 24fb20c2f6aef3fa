// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two costs of a lone thread, in instructions that are not free, each loop level counted alike: as
// scalars each element of a vector is one, and taking vectors apart is none; as vectors each register
// is one, and each shuffle half of one. Elements wider than 64 bits (high halves of products) are
// scalars either way.
#include "simt/analysis/own_vectors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstdlib>

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned FewestBits = 256, FewestElements = 8; ///< shorter ones are as good in lanes
constexpr StringLiteral ShareNote = "heddle-vector-share";

/// What an instruction computes, stores or compares.
Type *typeOf(const Instruction &instruction) {
  if (isa<StoreInst, CmpInst>(instruction))
    return instruction.getOperand(0)->getType();
  return instruction.getType();
}

bool isFree(const Instruction &instruction) {
  return isa<PHINode, GetElementPtrInst, CastInst>(instruction);
}

bool isPartition(const Instruction &instruction) {
  return isa<ShuffleVectorInst, InsertElementInst, ExtractElementInst>(instruction);
}

struct Count {
  double scalars = 1, vectors = 1;
};

Count countOf(const Instruction &instruction, unsigned registerBits) {
  if (isPartition(instruction)) // a lower half is a part of the register
    return {0, 0.5};
  auto *vector = dyn_cast<FixedVectorType>(typeOf(instruction));
  if (!vector)
    return {};
  const double elements = vector->getNumElements();
  const unsigned bits = instruction.getDataLayout().getTypeSizeInBits(vector->getElementType());
  if (bits > 64)
    return {elements, elements};
  return {elements, double(divideCeil(uint64_t(bits) * vector->getNumElements(), registerBits))};
}

} // namespace

bool hasOwnVectors(const Function &function) {
  return any_of(instructions(function), [&](const Instruction &instruction) {
    auto *vector = dyn_cast<FixedVectorType>(typeOf(instruction));
    return vector && !isPartition(instruction) &&
           (vector->getNumElements() >= FewestElements ||
            function.getDataLayout().getTypeSizeInBits(vector) >= FewestBits);
  });
}

bool hasOwnVectors(const Module &module) {
  return any_of(module, [](const Function &function) { return hasOwnVectors(function); });
}

void noteOwnVectors(Function &function, unsigned registerBits, double loopFactor) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  Count sum = {0, 0};
  for (const BasicBlock &block : function) {
    const double times = std::pow(loopFactor, loops.getLoopDepth(&block));
    for (const Instruction &instruction : block) {
      if (isFree(instruction))
        continue;
      const Count count = countOf(instruction, registerBits);
      sum.scalars += times * count.scalars;
      sum.vectors += times * count.vectors;
    }
  }
  if (sum.vectors < sum.scalars)
    function.addFnAttr(ShareNote, std::to_string(sum.vectors / sum.scalars));
}

double shareWithVectors(const Function &function) {
  const Attribute note = function.getFnAttribute(ShareNote);
  return note.isValid() ? std::strtod(note.getValueAsString().str().c_str(), nullptr) : 1;
}

} // namespace heddle::simt
