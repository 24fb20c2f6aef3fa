// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations all over memory.
//
// An insertion into a hash table, or a histogram of many bins, waits for a cache line with each
// atomic operation, and locked instructions hardly overlap. Fetching the lines right before does
// not help: there is nothing to do meanwhile. But the addresses follow from what a thread loads
// (its key), by arithmetic and its index alone, so they can be computed for a block that comes
// later, and are, one warp after the other:
//
//     %i = 256 * %blockIdx.x + %threadIdx.x      ahead = %blockIdx.x + 2
//     br (%i < %n), work, end                    br (ahead < gridDim.x && 256 * ahead + ... < %n)
//     work: %key = load keys[%i]            ->   fetch: %key' = load keys[256 * ahead + ...]
//           %slot = hash(%key)                          heddle.fetch table[hash(%key')]
//           atomicrmw add table[%slot], 1        work:  ...
//
// What decides whether the thread of that block comes to its load is computed for it too, so
// nothing is read that it would not read. Its load may fault before its time: meanwhile the block's
// state names the block that would have, and the report is right.
//
// In a loop an address is that of the first round: a key's place before others are tried. Additions
// that a worker puts off (privatize_atomics.cpp) are left alone.
//
// The later block is the one that comes 512 threads later. Neighbouring blocks that are lanes of
// one program do not fetch.
//
// Legality (prefetch-atomics):
//  1. Whether the thread of the later block comes to its load follows from indices and parameters:
//     what it would not read is not read. [comes to the load]
//  2. The address takes one load, whose own address takes none but of parameters. [one load]
//  3. That load is neither volatile nor atomic, and in no loop. [plain load]
//  4. What the address is computed by cannot trap. [no traps]
#include "simt/thread/prefetch_atomics.h"

#include "simt/analysis/intrinsics.h"
#include "simt/analysis/memory_space.h"
#include "simt/analysis/pass_notes.h"
#include "simt/analysis/recompute.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned ThreadsAhead = 512;
constexpr unsigned MostInstructions = 64;          ///< that an address is computed by
constexpr unsigned LeastWidth = 8, MostWidth = 64; ///< lanes whose lines are fetched one by one

/// What is computed from the thread's place in the grid, and how it is computed for another block.
class Elsewhere {
public:
  Elsewhere(Function &thread, const LoopInfo &loops)
      : blockX_(thread.getArg(ParamBlockX)), loops_(loops) {}

  /// The value follows from indices, parameters and one load at most, which becomes `load`.
  bool follows(Value *value, LoadInst *&load) const {
    SmallVector<Value *, 16> pending = {value};
    SmallPtrSet<Value *, 16> seen;
    while (!pending.empty()) {
      auto *instruction = dyn_cast<Instruction>(pending.pop_back_val());
      if (!instruction || !seen.insert(instruction).second)
        continue;
      if (seen.size() > MostInstructions)
        return false;
      if (auto *phi = dyn_cast<PHINode>(instruction)) {
        pending.push_back(firstValue(*phi));
        if (!pending.back())
          return false;
      } else if (auto *found = dyn_cast<LoadInst>(instruction);
                 found && !found->hasMetadata(LLVMContext::MD_invariant_load)) {
        if (load || !isKnownElsewhere(*found))
          return false;
        load = found;
      } else if (isArithmetic(*instruction)) {
        append_range(pending, instruction->operands());
      } else if (!isThreadIndex(*instruction)) {
        return false;
      }
    }
    return true;
  }

  bool followsFromIndices(Value *value) const {
    LoadInst *load = nullptr;
    return follows(value, load) && !load;
  }

  /// Values are made by `builder`, as the block `blockX` has them.
  void begin(IRBuilder<> &builder, Value &blockX) {
    values_.emplace(builder, [this, &blockX](Value &value) -> Value * {
      if (&value == blockX_)
        return &blockX;
      auto *phi = dyn_cast<PHINode>(&value);
      if (phi)
        return make(firstValue(*phi));
      return isa<Instruction>(value) ? nullptr : &value;
    });
  }
  Value *make(Value *value) { return values_->of(*value); }

private:
  /// Of a loop's variable, or of a phi that only passes a value on; null for others.
  Value *firstValue(PHINode &phi) const {
    const Loop *loop = loops_.getLoopFor(phi.getParent());
    if (loop && loop->getHeader() == phi.getParent() && loop->getLoopPredecessor())
      return phi.getIncomingValueForBlock(loop->getLoopPredecessor());
    return phi.hasConstantValue();
  }

  /// In no loop, at an address that takes no other load.
  bool isKnownElsewhere(LoadInst &load) const {
    return load.isSimple() && !loops_.getLoopFor(load.getParent()) &&
           followsFromIndices(load.getPointerOperand());
  }

  static bool isThreadIndex(const Instruction &instruction) {
    auto *call = dyn_cast<CallInst>(&instruction);
    return call && callKind(*call) == CallKind::ThreadIndex;
  }

  /// Cannot trap; the loads are those of parameters.
  static bool isArithmetic(const Instruction &instruction) {
    return isa<LoadInst, CastInst, GetElementPtrInst, ICmpInst, SelectInst, FreezeInst>(
               instruction) ||
           (isa<BinaryOperator>(instruction) &&
            (!instruction.isIntDivRem() || isa<Constant>(instruction.getOperand(1))));
  }

  const Value *blockX_;
  const LoopInfo &loops_;
  std::optional<Recomputation> values_;
};

class Fetches {
public:
  Fetches(const ThreadProgram &program, const Options &options)
      : thread_(*program.body), options_(options), dominators_(thread_), loops_(dominators_),
        elsewhere_(thread_, loops_) {}

  void run() {
    findAtomics();
    if (atomics_.empty() || !findGuards())
      return;
    unsigned threads = options_.blockDim[0] * options_.blockDim[1] * options_.blockDim[2];
    IRBuilder<> builder(load_);
    Value *blockX = builder.CreateAdd(thread_.getArg(ParamBlockX),
                                      builder.getInt32(divideCeil(ThreadsAhead, threads)));
    Value *blocks = builder.CreateLoad(builder.getInt32Ty(),
                                       builder.CreateConstGEP1_64(builder.getInt8Ty(),
                                                                  thread_.getArg(ParamLaunch),
                                                                  offsetof(Launch, gridDim)));
    Value *goes = builder.CreateICmpULT(blockX, blocks);
    elsewhere_.begin(builder, *blockX);
    for (auto [condition, wanted] : guards_) {
      Value *made = elsewhere_.make(condition);
      goes = builder.CreateAnd(goes, wanted ? made : builder.CreateNot(made));
    }
    builder.SetInsertPoint(
        SplitBlockAndInsertIfThen(goes, load_->getIterator(), /*Unreachable=*/false));
    emitFetches(builder, blockX);
  }

private:
  /// Those whose addresses follow from one and the same load.
  void findAtomics() {
    for (Instruction &instruction : instructions(thread_)) {
      bool isAtomic = isa<AtomicCmpXchgInst>(instruction) ||
                      (isa<AtomicRMWInst>(instruction) && !DeferredAddition.isOn(instruction));
      if (!isAtomic || !isGivenMemory(instruction.getOperand(0)))
        continue;
      LoadInst *load = nullptr;
      if (elsewhere_.follows(instruction.getOperand(0), load) && load &&
          (!load_ || load == load_)) {
        load_ = load;
        atomics_.push_back(&instruction);
      }
    }
  }

  /// The branches that decide whether the load is executed.
  bool findGuards() {
    const BasicBlock *block = load_->getParent();
    for (auto *node = dominators_.getNode(block)->getIDom(); node; node = node->getIDom()) {
      auto *branch = dyn_cast<BranchInst>(node->getBlock()->getTerminator());
      if (!branch)
        return false;
      if (branch->isUnconditional())
        continue;
      for (unsigned side : {0, 1})
        if (dominators_.dominates(BasicBlockEdge(node->getBlock(), branch->getSuccessor(side)),
                                  block)) {
          if (!elsewhere_.followsFromIndices(branch->getCondition()))
            return false;
          guards_.push_back({branch->getCondition(), side == 0});
        }
    }
    return true;
  }

  void emitFetches(IRBuilder<> &builder, Value *blockX) {
    Value *current = builder.CreateConstGEP1_64(builder.getInt8Ty(), thread_.getArg(ParamBlock),
                                                offsetof(Block, blockIdx));
    builder.CreateStore(blockX, current, /*isVolatile=*/true);
    elsewhere_.make(load_);
    builder.CreateStore(thread_.getArg(ParamBlockX), current, /*isVolatile=*/true);
    SmallPtrSet<Value *, 4> fetched;
    for (Instruction *atomic : atomics_)
      if (Value *address = elsewhere_.make(atomic->getOperand(0)); fetched.insert(address).second)
        emitFetch(builder, address, builder.getInt64(0), 1);
  }

  Function &thread_;
  const Options &options_;
  DominatorTree dominators_;
  LoopInfo loops_;
  Elsewhere elsewhere_;
  LoadInst *load_ = nullptr;
  SmallVector<Instruction *, 4> atomics_;
  SmallVector<std::pair<Value *, bool>, 4> guards_;
};

} // namespace

void prefetchAtomics(const ThreadProgram &program, const Options &options) {
  if (options.width >= LeastWidth && options.width <= MostWidth)
    Fetches(program, options).run();
}

} // namespace heddle::simt
