// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program without loops costs beyond its instructions: waiting for its own results.
//
// A formula is a chain of operations that wait for each other, four cycles each, and two
// multipliers want eight at a time that do not. They find them in the program's other registers, in
// other chains, and in the programs that follow; but a processor looks ahead only until some
// hundred operations wait (the scheduler of Intel's processors holds 97, those of AMD's for vectors
// about as many). A program of more warps has more that does not wait.
//
// So a program takes its longest chain at least. Of 32 lanes, blackscholes and a polynomial of
// degree 40 on AVX-512 take 148 and 142 cycles in programs of 32 lanes, 127 and 110 in those of 64.
//
// Not where threads work together: what they wait for there is each other. Nor where a thread holds
// more values than there are registers: it waits for the stack.
//
// A round of a loop that is longer than a processor looks ahead is such a program, too
// (loop_cost.cpp): a row of 64 products summed up in registers, a key of attention.
//
// Legality (straight-cost): none: it only helps to choose how many threads are one program, and
// programs of any number are right.
#include "simt/form/thread_cost.h"

#include "simt/analysis/intrinsics.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::simt {

/// Each thread computes for itself, with operations only, and goes one way through them.
bool ThreadCost::isStraight() const {
  if (!facts_.loops.empty())
    return false;
  return none_of(instructions(thread_), [&](const Instruction &instruction) {
    const auto *call = dyn_cast<CallInst>(&instruction);
    CallKind kind = call ? callKind(*call) : CallKind::Drop;
    bool isOperation = is_contained({CallKind::Drop, CallKind::Aligned, CallKind::Widen,
                                     CallKind::Scalar, CallKind::Native, CallKind::ThreadIndex},
                                    kind);
    return instruction.isAtomic() || !isOperation ||
           is_contained(instruction.operands(), thread_.getArg(ParamShared));
  });
}

/// Cycles from the start of a program, or of a round of `loop`, to its last result, in vectors.
double ThreadCost::straightLatency(const Loop *loop, const Shapes &shapes) const {
  DenseMap<const Value *, double> ready;
  double longest = 0;
  for (const BasicBlock *block : path_.order.blocks) {
    if (loop && !loop->contains(block))
      continue;
    for (const Instruction &instruction : *block) {
      double start = 0;
      for (const Value *operand : instruction.operands())
        start = std::max(start, ready.lookup(operand));
      bool isFree = shapes.isScalar(&instruction) ||
                    isa<LoadInst, PHINode, BitCastInst, ZExtInst, SExtInst>(instruction);
      bool divides = instruction.getOpcode() == Instruction::FDiv;
      double latency = isFree                                      ? 0
                       : divides                                   ? costs_.DivisionLatency
                       : instruction.getType()->isFPOrFPVectorTy() ? costs_.FloatLatency
                                                                   : costs_.IntegerLatency;
      ready[&instruction] = start + latency;
      longest = std::max(longest, start + latency);
    }
  }
  return longest;
}

/// What a straight program takes beside the `work` of its instructions.
double ThreadCost::straightCost(double work, const Shapes &shapes) const {
  return std::max(0.0, costs_.Multipliers * straightLatency(nullptr, shapes) - work);
}

} // namespace heddle::simt
