// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's vectors (int16 of OpenCL, structures of many numbers) are scalars in the warp compiler, since
// lanes are the vectors. Where a kernel runs thread by thread, they become vectors again: a row that
// the lanes would have to gather is one load.
//
// LLVM's pass for straight code finds them. Not in code of lanes: what is scalar there is the same
// in all of them and best broadcast one by one.
//
// Legality (vectorize-neighbours): none: LLVM's pass asks what it must.
#include "jit/vector/vectorize_neighbours.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"

namespace heddle::jit {

using namespace llvm;

PreservedAnalyses VectorizeNeighbours::run(Function &function, FunctionAnalysisManager &analyses) {
  auto isOfLanes = [](const Instruction &instruction) {
    return instruction.getType()->isVectorTy() ||
           any_of(instruction.operands(),
                  [](const Use &use) { return use->getType()->isVectorTy(); });
  };
  if (any_of(instructions(function), isOfLanes))
    return PreservedAnalyses::all();
  return SLPVectorizerPass().run(function, analyses);
}

} // namespace heddle::jit
