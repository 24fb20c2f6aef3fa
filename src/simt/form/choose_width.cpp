// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many lanes a program has: of the widths that are possible, the one at which a thread costs
// least (thread_cost.h).
//
// Several warps of a block as one program load what they share once, do scalar work once, and wait
// for nobody at barriers if they are the block. They lose registers, and time where lanes part. The
// warps of a block may run in any order between barriers, so they may run together, if no warp
// waits for another in a loop of its own, and if they come to each barrier together: a branch that
// sends whole warps to different barriers is legal, and divergence for us.
//
// A thread alone is what gathers and searches want. Part of a warp, down to the lanes of one
// register, is for threads that hold much, and for those that lose as their number grows.
#include "simt/form/choose_width.h"

#include "simt/analysis/intrinsics.h"
#include "simt/form/thread_cost.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"

#include <cmath>

using namespace llvm;

namespace heddle::simt {

namespace {

/// Atomic operations on global memory do not count: each thread's goes its way.
bool threadsWorkTogether(const Instruction &instruction, const Function &thread) {
  bool isOperation = isa<AtomicRMWInst>(instruction);
  if ((instruction.isAtomic() && !isOperation) || instruction.isVolatile())
    return true;
  if (is_contained(instruction.operands(), thread.getArg(ParamShared)))
    return true;
  const auto *call = dyn_cast<CallInst>(&instruction);
  if (!call)
    return false;
  switch (callKind(*call)) {
  case CallKind::Drop:
  case CallKind::Aligned:
  case CallKind::Widen:
  case CallKind::Math:
  case CallKind::Native:
  case CallKind::ThreadIndex:
  case CallKind::Memory:
    return false;
  default:
    return true;
  }
}

/// A call that a program of several CUDA warps has a form for.
bool canSpanWarps(const CallInst &call) {
  switch (callKind(call)) {
  case CallKind::Match:
  case CallKind::Elect:
  case CallKind::Device:
  case CallKind::Indirect:
    return false;
  case CallKind::Reduce:
    return isa<Constant>(memberMask(call));
  case CallKind::BlockBarrier: // named barriers and those with a count: for some warps only
    return call.getCalledFunction()->getName().ends_with(".all") &&
           isa<ConstantInt>(call.getArgOperand(0)) &&
           cast<ConstantInt>(call.getArgOperand(0))->isZero();
  default:
    return true;
  }
}

/// Warps that wait for each other other than at barriers.
bool waitsInLoop(const Instruction &instruction, LoopInfo &loops) {
  const auto *load = dyn_cast<LoadInst>(&instruction);
  bool ordered = instruction.isAtomic() || (load && load->isVolatile());
  return ordered && !instruction.getType()->isVoidTy() && !instruction.use_empty() &&
         loops.getLoopFor(instruction.getParent());
}

/// What the instructions of a program allow, at every width.
struct Allowed {
  bool alone = true; ///< threads do not work together
  bool severalWarps = true;
  bool partOfWarp = true; ///< no warp operations, for which half a warp would have to wait
};

Allowed allowedIn(const ThreadProgram &program) {
  Function &thread = *program.body;
  Allowed allowed;
  allowed.severalWarps = !program.polls; // for what another warp may write
  for (const Function &function : *thread.getParent()) {
    bool isOther = !function.isDeclaration() && &function != &thread; // recursion, pointers
    allowed.severalWarps &= !isOther;
    allowed.alone &= !isOther;
    for (const Instruction &instruction : instructions(function)) {
      const auto *call = dyn_cast<CallInst>(&instruction);
      allowed.partOfWarp &= !(call && isWarpOperation(*call));
    }
  }
  LoopFacts facts(thread);
  for (const Instruction &instruction : instructions(thread)) {
    const auto *call = dyn_cast<CallInst>(&instruction);
    allowed.alone &= !threadsWorkTogether(instruction, thread);
    allowed.severalWarps &= !(call && !canSpanWarps(*call)) &&
                            !(program.maySpin && waitsInLoop(instruction, facts.loops));
  }
  return allowed;
}

/// Those to choose from: a thread alone, a register's lanes up to a warp's, several warps, the
/// block.
SmallVector<unsigned, 12> widthsOf(const ThreadProgram &program, const Options &options) {
  Allowed allowed = allowedIn(program);
  SmallVector<unsigned, 12> widths;
  if (allowed.alone)
    widths.push_back(1);
  for (unsigned width = options.registers.bits / 32; width < WarpSize && allowed.partOfWarp;
       width *= 2)
    widths.push_back(width);
  widths.push_back(WarpSize);
  unsigned block = PowerOf2Ceil(options.threads());
  for (unsigned width = 2 * WarpSize; width <= block && allowed.severalWarps; width *= 2)
    if (width <= MostFused || (width == block && width <= WidestChosen))
      widths.push_back(width);
  return widths;
}

unsigned widestPossible(const ThreadProgram &program, const Options &options,
                        const TargetMachine &machine) {
  if (!allowedIn(program).severalWarps)
    return WarpSize;
  ThreadCost cost(program, options, machine);
  unsigned width = std::min<unsigned>(options.width, PowerOf2Ceil(options.threads()));
  while (width > WarpSize && !cost.isPossible(width))
    width /= 2;
  return std::max(width, WarpSize);
}

unsigned cheapest(const ThreadProgram &program, const Options &options,
                  const TargetMachine &machine) {
  if (program.body->getInstructionCount() > LargestThread)
    return WarpSize;
  ThreadCost cost(program, options, machine);
  auto widths = widthsOf(program, options);
  if (options.printsForms)
    cost.print(errs(), widths);
  unsigned best = WarpSize;
  double least = cost.at(WarpSize);
  for (unsigned width : widths)
    if (double one = cost.at(width); one < least) {
      best = width;
      least = one;
    }
  if (options.printsForms)
    errs() << "chosen " << best << '\n';
  return best;
}

/// Whether threads that come to `call` wait for others outside their program.
bool waitsForThreadsOutside(const CallInst &call, unsigned width, unsigned threads) {
  switch (callKind(call)) {
  case CallKind::BlockBarrier:
    return threads > width;
  case CallKind::GridBarrier:
  case CallKind::Yield:
    return true;
  case CallKind::Shuffle:
  case CallKind::Vote:
  case CallKind::Match:
  case CallKind::Reduce:
  case CallKind::WarpSync:
    return width < WarpSize;
  default:
    return false;
  }
}

} // namespace

bool waitsInFunctions(const ThreadProgram &program, const Options &options) {
  unsigned threads = options.blockDim[0] * options.blockDim[1] * options.blockDim[2];
  auto waitsAt = [&](unsigned width) {
    return any_of(*program.body->getParent(), [&](Function &function) {
      return &function != program.body && any_of(instructions(function), [&](Instruction &i) {
        auto *call = dyn_cast<CallInst>(&i);
        return call && waitsForThreadsOutside(*call, width, threads);
      });
    });
  };
  if (!waitsAt(1)) // most programs: no need to ask for the width
    return false;
  return waitsAt(options.width ? options.width : WarpSize);
}

double costOfThread(const ThreadProgram &program, const Options &options, unsigned width,
                    const TargetMachine &machine) {
  return width > WarpSize && !allowedIn(program).severalWarps
             ? INFINITY
             : ThreadCost(program, options, machine).at(width);
}

unsigned widestFused(const Options &options) {
  return std::clamp<unsigned>(PowerOf2Ceil(options.threads()), WarpSize, MostFused);
}

unsigned chooseWidth(const ThreadProgram &program, const Options &options,
                     const TargetMachine &machine) {
  if (options.width == 0)
    return cheapest(program, options, machine);
  return options.width <= WarpSize ? options.width : widestPossible(program, options, machine);
}

} // namespace heddle::simt
