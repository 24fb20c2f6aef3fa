// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes threads along y neighbouring lanes.
//
// Problem. On a GPU the threads of a warp differ in x, and a kernel that uses x for the rows of a
// matrix is slow. Many are written so all the same, because `row` comes before `column` as x before
// y. Here each access of such a program is a gather or a scatter.
//
// Method. If nothing in the kernel depends on warps, we may choose which threads are lanes of one
// program. The two thread indices are exchanged in the thread program, and the two lengths in the
// block's shape. Later passes see a kernel of a block of 8x32 threads instead of 32x8. What the
// thread knows of its place (blockDim, blockIdx, its own indices) stays the same:
//
//     block (32, 8)                                   block (8, 32)
//     %row = call @tid.x()    0, 1, ... 31      ->    %row = call @tid.y()    0, 0, ... 0, 1
//     %column = call @tid.y() 0, 0, ... 0       ->    %column = call @tid.x() 0, 1, ... 7, 0
//
// Only the accesses of a warp are compared, since all else is the same. Blocks then run down the
// columns of the grid: the next one continues where the last one's rows end.
//
// A report of a fault asks all threads of the block which one it was (KernelInterchanged).
//
// Legality (interchange-threads):
//  1. Nothing asks which threads are a warp: no warp operations, no number of a lane or warp, and no
//     barriers but those of the whole block. [no warps]
//  2. The kernel does not count on a warp's threads to go together, and waits for no other thread
//     but at barriers. [no order]
//  3. No thread says who it is but by what it stores: it prints nothing and asserts nothing.
//     [silent]
#include "simt/form/interchange_threads.h"

#include "simt/analysis/function_facts.h"
#include "simt/analysis/intrinsics.h"
#include "simt/compilation.h"
#include "simt/form/coarsen_warps.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace llvm;

namespace heddle::simt {

namespace {

/// Of the registers that all accesses touch: what the other order must save.
constexpr double WorthIt = 0.65;
constexpr unsigned RegisterLanes = 16; ///< of the widest registers, and numbers of 4 bytes
constexpr double RoundsOfLoop = 64;    ///< taken for all loops
/// A gather, in accesses of a register; one of which each lane goes on along a row of its own
/// becomes loads of rows and a transposition (row_gathers.h).
constexpr double Gather = 8, GatherOfRows = 2;

/// What the accesses of a warp cost, in accesses of one register, those in loops as often as these
/// run. What its parts have in common is accessed once: with blocks of 16x16 a warp has the same
/// sixteen columns twice.
class AccessCost {
public:
  AccessCost(Function &thread, const Options &options)
      : thread_(thread), facts_(thread), recurrences_(thread, facts_),
        lanes_(thread, facts_, {WarpSize, options.blockDim}) {}

  double all() {
    double sum = 0;
    for (const Instruction &instruction : instructions(thread_))
      if (const Value *pointer = getLoadStorePointerOperand(&instruction))
        sum += std::pow(RoundsOfLoop, facts_.loops.getLoopDepth(instruction.getParent())) *
               one(instruction, *pointer);
    return sum;
  }

private:
  double one(const Instruction &access, const Value &pointer) {
    Shape shape = lanes_.shapes.of(&pointer);
    int64_t size = access.getDataLayout().getTypeStoreSize(
        getLoadStoreType(const_cast<Instruction *>(&access)));
    if (!shape.known()) // no lane comes there
      return 0;
    if (shape.uniform())
      return 1;
    unsigned segments = std::min(shape.period, WarpSize) / std::min(shape.segment, WarpSize);
    auto registers = [](unsigned lanes) { return double(divideCeil(lanes, RegisterLanes)); };
    bool isSame = shape.stride == 0, isContiguous = shape.stride == size;
    unsigned places = segments * (isSame ? 1 : std::min(shape.segment, WarpSize));
    bool walks = isa<LoadInst>(access) && goesAlongRow(access, pointer, size);
    double gathered = (walks ? GatherOfRows : Gather) * registers(places);
    double straight = isSame         ? segments
                      : isContiguous ? segments * registers(std::min(shape.segment, WarpSize))
                                     : gathered;
    return std::min(straight, gathered);
  }

  bool goesAlongRow(const Instruction &access, const Value &pointer, int64_t size) {
    const Loop *loop = facts_.loops.getLoopFor(access.getParent());
    const APInt *step = constantStep(&pointer, loop, recurrences_.evolution);
    return step && *step == uint64_t(size);
  }

  Function &thread_;
  LoopFacts facts_;
  Recurrences recurrences_;
  LaneShapes lanes_;
};

bool asksForNoWarp(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  if (!call)
    return !instruction.isVolatile();
  if (callKind(*call) == CallKind::ThreadIndex)
    return threadDimension(call).has_value();
  return onlyComputes(*call) || isPlainBarrier(*call);
}

bool isFree(const Compilation &kernel) {
  const ThreadProgram &thread = kernel.thread;
  const Options &options = kernel.options;
  return options.width != 1 && !options.threadwise && options.isOptimised() &&
         options.blockDim[0] > 1 && options.blockDim[1] > 1 && !thread.countsOnWarps &&
         !thread.polls && !thread.maySpin && thread.body->getInstructionCount() <= LargestThread &&
         all_of(kernel.module,
                [&](const Function &function) {
                  return function.isDeclaration() || &function == thread.body;
                }) &&
         all_of(instructions(*thread.body), asksForNoWarp);
}

void interchange(Compilation &kernel) {
  SmallVector<CallInst *, 8> calls;
  for (Instruction &instruction : instructions(*kernel.thread.body))
    if (auto *call = dyn_cast<CallInst>(&instruction); call && threadDimension(call))
      calls.push_back(call);
  Function *x = Intrinsic::getOrInsertDeclaration(&kernel.module,
                                                  Intrinsic::nvvm_read_ptx_sreg_tid_x),
           *y = Intrinsic::getOrInsertDeclaration(&kernel.module,
                                                  Intrinsic::nvvm_read_ptx_sreg_tid_y);
  for (CallInst *call : calls)
    if (Function *called = call->getCalledFunction(); called == x || called == y)
      call->setCalledFunction(called == x ? y : x);
  std::swap(kernel.options.blockDim[0], kernel.options.blockDim[1]);
}

} // namespace

/// Loops are worth it where a column of the block fills a register: what is the same in parts of
/// one has to be put together in each round.
static bool fillsRegisters(const Compilation &kernel) {
  return kernel.options.blockDim[1] >= RegisterLanes ||
         LoopFacts(*kernel.thread.body).loops.empty();
}

PreservedAnalyses InterchangeThreads::run(Compilation &kernel, FunctionAnalysisManager &) {
  if (!isFree(kernel) || !fillsRegisters(kernel))
    return PreservedAnalyses::all();
  auto cost = [&] { return AccessCost(*kernel.thread.body, kernel.options).all(); };
  double before = cost();
  interchange(kernel);
  kernel.thread.interchanged = cost() <= WorthIt * before;
  if (!kernel.thread.interchanged)
    interchange(kernel);
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
