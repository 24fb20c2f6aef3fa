// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of one thread, and short rows of threads.
//
// Problem. `add<<<n, 1>>>` and `julia<<<dim3(1024, 1024), 1>>>` give each block one thread, and a
// program that holds a block has one lane to work with.
//
// Method. Blocks may run in any order, so they may run together, and neighbours in x are to a
// program what threads of a block are:
//
//     %x = blockIdx.x        ->   %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
//     %t = threadIdx.x            %x = add %blockIdx.x, %lane
//                                 %t = 0
//
// All passes behind take it for the program of a block of so many threads, and shapes see that
// neighbours access neighbouring elements. The entry (entry_blocks.cpp) runs whole groups of a
// row's blocks without a mask, what is left of a row, or of the runner's share, under one, and few
// blocks one by one, at width 1: single-threaded kernels are launched as `<<<1, 1>>>`, and a vector
// with one active lane is slow. A program must not take it for granted that all its lanes are
// active (ThreadProgram::neighbours): unlike a block's last warp, it does not know which are.
//
// Rejected: to run all that is left one by one (a row of 1000 blocks has 104 behind groups of 128,
// and one by one takes up to 44 times as long), or all of it under masks (few blocks that are
// long).
//
// When it is legal. A lane has what a thread has, so nothing may be left that belongs to a block:
// shared memory, warp operations (a block of one thread is a warp with one lane), services that
// name the block that calls them or come in the order of blocks (printf, assert, trap, the tests of
// alignment). A barrier of one thread is nothing. Loops that may wait for other blocks are left
// alone: lanes do not progress independently. So are functions that stay functions.
//
// When it pays is for the caller to ask (costOfVectors in choose_width.h): one block after the
// other is what there is without.
//
// Up to 128 blocks go together, of kernels of at most 1000 instructions (single threads should not
// wait for a compilation that gains them nothing) and with at most 16 KB of arrays in memory.
// costOfVectors is asked without its benefit of the doubt, and with atomics and 64-bit divisions of
// integers counted lane by lane. The runner gives each worker its share of few long blocks at once
// (`schedule::asLanes`). Searches whose neighbours take very different numbers of steps get slower,
// as they are with blocks of 256 threads.
//
// Rows of 16 threads that go along rows of bytes fill a quarter of a register. There so many blocks
// beside each other are one as fill it:
//
//     %x = blockIdx.x        ->   %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
//     %t = threadIdx.x            %x = add %blockIdx.x, (udiv %lane, 16);  %t = urem %lane, 16
//     add (shl %x, 4), %t         add (shl %blockIdx.x, 4), %lane       the column, with its flags
//
// What is left of a row of blocks goes under a mask, so only where masked accesses have bytes (with
// AVX2 it takes a tenth longer). All that is said above holds, but that a block has one thread; and
// there are no atomics, and the threads' indices are all that is asked of them.
//
// Blocks of 2 to 31 threads of any shape, which leave most of a warp idle, go together in the same
// way, as many as fill warps in rows of a warp's length: 16 of 2x2, 6 of 10, 32 of 1x8. Few blocks
// run one by one, each as a warp of its own, as they would without: the masked program of all lanes
// takes as long as several of them.
//
// Not done: blocks with shared memory, neighbours in y alone (`<<<dim3(1, n), 1>>>`).
//
// Legality (coarsen-blocks):
//  1. A block has one thread. [one thread]
//  2. There is no shared memory. [no shared memory]
//  3. There are no warp operations: a block is a warp with one lane. [no warp operations]
//  4. Nothing names the block that calls it, or comes in the order of blocks: printf, assert,
//     trap, tests of alignment. [no services]
//  5. No loop waits for other blocks: lanes do not progress independently. [no waiting]
//  6. No function stays a function. [no functions]
//
// Legality (coarsen-blocks-in-x):
//  1. What coarsen-blocks asks for holds, but that there may be several threads; then there are no
//     barriers, and nothing tells lanes and warps from each other. [no barriers]
//  2. Nothing orders the threads: no volatile accesses, no atomics but relaxed operations. [no order]
#include "simt/form/coarsen_blocks.h"

#include "simt/analysis/access_forms.h"
#include "simt/analysis/function_facts.h"
#include "simt/analysis/intrinsics.h"
#include "simt/form/columns.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// Bytes of arrays that a thread has in memory. Programs of all widths lie in one stack frame.
constexpr uint64_t MostLocal = 16 << 10;
/// Of a program that may be for `<<<1, 1>>>` only, the two other forms are compiled for nothing.
constexpr unsigned MostInstructions = 1000;
/// Threads that blocks beside each other have together.
constexpr unsigned MostBeside = 1024;
/// Lanes that blocks of a part of a warp fill (a chain of operations takes as long for two warps as
/// for one), and the threads for each lane that they leave idle.
constexpr unsigned LanesToFill = 2 * WarpSize, BusyForIdle = 8;

/// Waits for the only thread of the block.
bool isNothing(const CallInst &call) {
  CallKind kind = callKind(call);
  return kind == CallKind::WarpSync || (kind == CallKind::BlockBarrier && isPlainBarrier(call));
}

/// What a call does concerns its thread alone, whatever block that is in.
bool concernsThread(const CallInst &call) {
  switch (callKind(call)) {
  case CallKind::Drop:
  case CallKind::Widen:
  case CallKind::Math:
  case CallKind::Native:
  case CallKind::Scalar:
  case CallKind::ThreadIndex:
  case CallKind::Memory:
  case CallKind::Allocate:
  case CallKind::Release:
  case CallKind::Cas128:
  case CallKind::LoadPair:
  case CallKind::StorePair:
    return true;
  default:
    return isNothing(call);
  }
}

/// What a register that differs between the threads of a block is for its only thread.
uint32_t onlyThreads(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_eq:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_le:
    return 1;
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_ge:
    return ~0u;
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_gt:
    return ~1u;
  default: // indices
    return 0;
  }
}

void replaceIndices(Function &thread) {
  for (Instruction &instruction : make_early_inc_range(instructions(thread))) {
    auto *call = dyn_cast<CallInst>(&instruction);
    if (!call || callKind(*call) != CallKind::ThreadIndex)
      continue;
    call->replaceAllUsesWith(
        ConstantInt::get(call->getType(), onlyThreads(call->getIntrinsicID())));
    call->eraseFromParent();
  }
}

/// Neither the block nor its warps have anything of their own.
bool concernsThreads(const ThreadProgram &program, const Options &options) {
  Function &thread = *program.body;
  if (options.width == 1 || options.threadwise || program.maySpin)
    return false;
  if (program.staticShared > 0 || program.usesDynamicShared ||
      !thread.getArg(ParamShared)->use_empty() || thread.getArg(ParamBlockX)->use_empty())
    return false;
  if (any_of(*thread.getParent(), [&](const Function &function) {
        return !function.isDeclaration() && &function != &thread;
      }))
    return false;
  if (thread.getInstructionCount() > MostInstructions)
    return false;
  uint64_t local = 0;
  for (const Instruction &instruction : instructions(thread)) {
    if (const auto *array = dyn_cast<AllocaInst>(&instruction))
      local += array->getAllocationSize(thread.getDataLayout())
                   .value_or(TypeSize::getFixed(MostLocal + 1));
    if (const auto *call = dyn_cast<CallInst>(&instruction); call && !concernsThread(*call))
      return false;
  }
  return local <= MostLocal;
}

/// Nothing orders threads, or names them but by their indices.
bool mayGoBeside(const Instruction &instruction) {
  if (const auto *call = dyn_cast<CallInst>(&instruction))
    return !isNothing(*call) && (callKind(*call) != CallKind::ThreadIndex || threadDimension(call));
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return load->isSimple();
  if (const auto *store = dyn_cast<StoreInst>(&instruction))
    return store->isSimple();
  if (const auto *operation = dyn_cast<AtomicRMWInst>(&instruction))
    return !operation->isVolatile() && operation->getOrdering() == AtomicOrdering::Monotonic;
  return !instruction.isAtomic();
}

/// Bytes of the shortest elements that threads of a row find side by side; 0: there are none.
int64_t shortestInRow(Function &thread, const Options &options) {
  LoopFacts facts(thread);
  LaneShapes lanes(thread, facts, {WarpSize, options.blockDim});
  int64_t shortest = 0;
  for (Instruction &instruction : instructions(thread)) {
    const Value *address = getLoadStorePointerOperand(&instruction);
    if (!address)
      continue;
    Shape shape = lanes.shapes.of(address);
    int64_t size = instruction.getDataLayout().getTypeStoreSize(getLoadStoreType(&instruction));
    if (shape.stride == size && shape.segment >= options.blockDim[0] &&
        (shortest == 0 || size < shortest))
      shortest = size;
  }
  return shortest;
}

} // namespace

bool canJoinNeighbours(const ThreadProgram &program, const Options &options) {
  return options.blockDim == std::array{1u, 1u, 1u} && concernsThreads(program, options);
}

/// So many blocks with short rows of small elements are one whose rows fill registers.
static unsigned blocksThatFillRegisters(const ThreadProgram &program, const Options &options) {
  unsigned row = options.blockDim[0], threads = options.threads();
  if (row == 1 || !isPowerOf2_32(row) || !isPowerOf2_32(threads) || !storesBytes(options.registers))
    return 1;
  int64_t shortest = shortestInRow(*program.body, options);
  unsigned lanes = shortest ? options.registers.bits / 8 / shortest : 0;
  if (lanes <= row || (options.width > 0 && options.width < lanes))
    return 1;
  return std::min(lanes / row, MostBeside / threads);
}

/// So many blocks of a part of a warp fill warps but for few lanes, in rows of a warp's length.
static unsigned blocksThatFillWarps(const Options &options) {
  for (unsigned count = divideCeil(WarpSize, options.blockDim[0]);; ++count) {
    unsigned together = count * options.threads();
    unsigned idle = alignTo(together, LanesToFill) - together;
    if (idle == 0 || (!isPowerOf2_32(options.threads()) && BusyForIdle * idle <= together))
      return count;
  }
}

unsigned blocksBeside(const ThreadProgram &program, const Options &options) {
  unsigned row = options.blockDim[0];
  bool isPart = options.threads() < WarpSize; // what order saves is little beside idle lanes
  bool isInOrder = program.interchanged || program.countsOnWarps || (program.band > 1 && !isPart);
  if (isInOrder || row >= WarpSize || options.threads() == 1 ||
      !options.isEnabled("coarsen-blocks-in-x") || !concernsThreads(program, options) ||
      !all_of(instructions(*program.body), mayGoBeside))
    return 1;
  return isPart ? blocksThatFillWarps(options) : blocksThatFillRegisters(program, options);
}

void joinNeighbours(Function &thread) {
  for (Instruction &instruction : make_early_inc_range(instructions(thread)))
    if (auto *call = dyn_cast<CallInst>(&instruction); call && isNothing(*call))
      call->eraseFromParent();
  replaceIndices(thread);
  IRBuilder<> builder(&*thread.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  Value *first = thread.getArg(ParamBlockX);
  Value *lane = builder.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
  auto *index = cast<Instruction>(builder.CreateAdd(first, lane, "blockIdx", /*HasNUW=*/true));
  first->replaceUsesWithIf(index, [&](const Use &use) { return use.getUser() != index; });
}

std::unique_ptr<Function> copyForOneBlock(Function &thread, bool hasOneThread) {
  ValueToValueMapTy map;
  Function *copy = CloneFunction(&thread, map);
  if (hasOneThread)
    replaceIndices(*copy);
  copy->removeFromParent();
  return std::unique_ptr<Function>(copy);
}

} // namespace heddle::simt
