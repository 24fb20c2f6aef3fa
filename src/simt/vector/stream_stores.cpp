// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arrays that go past the caches are a quarter larger than the last cache: most of an array
// that just fits is found there by the next kernel. Up to four stores that follow each other are
// chosen by one test. A store under a mask goes too where no lane is idle, which pays with mask
// registers; with AVX2 masked stores are slow. A kernel with atomic operations or fences has none:
// other blocks may wait for what it writes.
//
// In a program that waits the choice is made before it is split. Where a block of such a program
// stores more than half of what the registers hold, the test comes before what it computes; what
// several blocks compute for one that stores, each of them stores. Not done: the same in programs
// that do not wait.
//
// Legality (hoist-store-choices):
//  1. What is asked (where the stores go, and under which masks) can be computed before all else
//     in the block, without accesses to memory or divisions. [known first]
//  2. What is made twice may be: no calls of functions, nothing that waits or allocates.
//     [made twice]
#include "simt/vector/stream_stores.h"

#include "base/abi/kernel_abi.h"
#include "simt/analysis/function_facts.h"
#include "simt/analysis/pass_notes.h"
#include "simt/vector/stream_choices.h"
#include "simt/vector/two_forms.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <map>

namespace heddle::simt {

using namespace llvm;

namespace {

/// Stores that one test chooses for. The first ones wait for the last: sixteen made scan 10 %
/// slower.
constexpr unsigned MostTogether = 4;
constexpr unsigned MostCopies = 4;    ///< of stores, to blocks that compute what is stored
constexpr unsigned LongestCopy = 128; ///< instructions

class Streams {
public:
  Streams(Function &function, std::optional<VectorRegisters> registers)
      : function_(function), isCoroutine_(function.isPresplitCoroutine()), registers_(registers),
        builder_(function.getContext()), facts_(function) {}

  bool run() {
    for (BasicBlock &block : function_)
      findGroups(block);
    bool asks = !grids_.empty() ||
                any_of(loopConditions_, [](const auto &one) { return one.second != nullptr; });
    erase_if(groups_, [&](Group &group) { return !choosesStreams(group); });
    for (size_t first = 0, end; first < groups_.size(); first = end) {
      BasicBlock *block = groups_[first].block();
      for (end = first; end < groups_.size() && groups_[end].block() == block;)
        ++end;
      MutableArrayRef<Group> groups = MutableArrayRef(groups_).slice(first, end - first);
      if (!fillsRegisters(groups) || !chooseFirst(groups))
        for (Group &group : groups)
          choose(group);
    }
    if (groups_.empty() || isCoroutine_)
      return asks;
    for (BasicBlock &block : function_)
      if (auto *end = dyn_cast<ReturnInst>(block.getTerminator()))
        new FenceInst(function_.getContext(), AtomicOrdering::SequentiallyConsistent,
                      SyncScope::System, end->getIterator());
    return true;
  }

private:
  /// Stores that may be made together, at the place of the last one.
  struct Group {
    SmallVector<AnyStore, MostTogether> stores;
    Value *condition = nullptr;           ///< whether what they write is large
    SmallPtrSet<Instruction *, 8> whole;  ///< of them: of whole lines, if they begin at one
    SmallPtrSet<Instruction *, 8> halves; ///< of them: follow one in `whole` to the end of the line

    BasicBlock *block() const { return stores[0].made->getParent(); }
  };

  uint64_t size(AnyStore store) const {
    return function_.getDataLayout().getTypeStoreSize(store.value()->getType());
  }
  bool isCandidate(AnyStore store) const {
    return store.made && StreamMetadata.isOn(*store.made) &&
           (size(store) % StreamLine == 0 || 2 * size(store) == StreamLine);
  }

  void findGroups(BasicBlock &block) {
    Group group;
    auto close = [&] {
      if (!group.stores.empty())
        groups_.push_back(group);
      group = Group();
    };
    for (Instruction &instruction : block) {
      AnyStore store = AnyStore::from(instruction);
      Value *condition = isCandidate(store) ? conditionFor(*store.made) : nullptr;
      if (!condition) {
        if (instruction.mayReadOrWriteMemory() && !isPrefetch(instruction))
          close();
        continue;
      }
      if (condition != group.condition || group.stores.size() == MostTogether)
        close();
      group.condition = condition;
      group.stores.push_back(store);
    }
    close();
  }

  static bool isPrefetch(const Instruction &instruction) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    return call && (call->getIntrinsicID() == Intrinsic::prefetch || call->isAssumeLikeIntrinsic());
  }

  /// Finds the stores of whole lines, and of halves that make one together.
  bool choosesStreams(Group &group) const {
    std::map<std::pair<Value *, int64_t>, Instruction *> halves;
    for (AnyStore store : group.stores) {
      if (size(store) % StreamLine == 0) {
        group.whole.insert(store.made);
        continue;
      }
      APInt offset(64, 0);
      Value *base = store.address()->stripAndAccumulateConstantOffsets(
          function_.getDataLayout(), offset, /*AllowNonInbounds=*/true);
      halves[{base, offset.getSExtValue()}] = store.made;
    }
    int64_t half = StreamLine / 2;
    for (auto [place, store] : halves) {
      auto other = halves.find({place.first, place.second + half});
      if (other == halves.end() || group.halves.contains(store))
        continue;
      group.whole.insert(store);
      group.halves.insert(other->second);
    }
    return !group.whole.empty();
  }

  Value *launchField(uint64_t offset, Type *type) {
    Value *launch = function_.getArg(0);
    static_assert(offsetof(Block, launch) == 0);
    if (isCoroutine_)
      launch = builder_.CreateLoad(builder_.getPtrTy(), launch);
    return builder_.CreateLoad(type,
                               builder_.CreateConstGEP1_64(builder_.getInt8Ty(), launch, offset));
  }

  Value *isLarge(Value *bytes) {
    return builder_.CreateICmpUGE(
        bytes, launchField(offsetof(Launch, streamBytes), builder_.getInt64Ty()));
  }

  /// Computed outside of loops, once for all stores that ask alike; null where the amount cannot be
  /// told.
  Value *conditionFor(const Instruction &store) {
    StreamNote::Numbers numbers = *StreamMetadata.get(store);
    return numbers.bytes ? inGrid(numbers.bytes) : inLoop(store, numbers.element);
  }

  Value *inGrid(uint64_t bytesOfThread) {
    if (Value *known = grids_.lookup(bytesOfThread))
      return known;
    BasicBlock &entry = function_.getEntryBlock();
    builder_.SetInsertPoint(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    Value *bytes = builder_.getInt64(bytesOfThread);
    for (size_t dimensions : {offsetof(Launch, gridDim), offsetof(Launch, blockDim)})
      for (unsigned d = 0; d < 3; ++d)
        bytes = builder_.CreateMul(
            bytes, builder_.CreateZExt(launchField(dimensions + 4 * d, builder_.getInt32Ty()),
                                       builder_.getInt64Ty()));
    return grids_[bytesOfThread] = isLarge(bytes);
  }

  /// From the bound that the loop's variable is compared with.
  Value *inLoop(const Instruction &store, uint64_t size) {
    Loop *loop = facts_.loops.getLoopFor(store.getParent());
    auto [known, isNew] = loopConditions_.try_emplace({loop, size}, nullptr);
    if (isNew)
      known->second = compareBound(loop, size);
    return known->second;
  }

  Value *compareBound(Loop *loop, uint64_t size) {
    BasicBlock *before = loop ? loop->getLoopPredecessor() : nullptr;
    SmallVector<BasicBlock *, 2> exiting;
    if (before)
      loop->getExitingBlocks(exiting);
    for (BasicBlock *block : exiting) {
      auto *branch = dyn_cast<BranchInst>(block->getTerminator());
      auto *compare =
          branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
      if (!compare || !compare->getOperand(0)->getType()->isIntegerTy())
        continue;
      for (Value *bound : compare->operands()) {
        if (!loop->isLoopInvariant(bound))
          continue;
        builder_.SetInsertPoint(before->getTerminator());
        Value *wide = builder_.CreateSExtOrTrunc(bound, builder_.getInt64Ty());
        return isLarge(builder_.CreateMul(wide, builder_.getInt64(size)));
      }
    }
    return nullptr;
  }

  /// Past the caches if what they write is large, all begin at a line, and no lane is idle.
  Value *conditionOf(ArrayRef<Group> groups) {
    SmallVector<Value *, 8> conditions, addresses;
    SmallPtrSet<Value *, 4> asked;
    for (const Group &group : groups) {
      if (asked.insert(group.condition).second)
        conditions.push_back(group.condition);
      for (AnyStore store : group.stores) {
        if (group.whole.contains(store.made))
          addresses.push_back(builder_.CreatePtrToInt(store.address(), builder_.getInt64Ty()));
        if (store.mask() && asked.insert(store.mask()).second)
          conditions.push_back(builder_.CreateAndReduce(store.mask()));
      }
    }
    Value *bits = builder_.CreateOr(addresses);
    conditions.push_back(builder_.CreateIsNull(builder_.CreateAnd(bits, StreamLine - 1)));
    return builder_.CreateAnd(conditions);
  }

  /// At the last of the stores, for which the others wait.
  void choose(Group &group) {
    Instruction *last = group.stores.back().made;
    builder_.SetInsertPoint(last);
    Instruction *streams = nullptr, *stays = nullptr;
    SplitBlockAndInsertIfThenElse(conditionOf(group), last->getIterator(), &streams, &stays);
    for (AnyStore store : group.stores) {
      builder_.SetInsertPoint(streams);
      makeStream(store, formOf(store, group), builder_);
      markCached(store);
      store.made->moveBefore(stays->getIterator());
    }
  }

  /// Values that wait for the choice would go to memory.
  bool fillsRegisters(ArrayRef<Group> groups) const {
    if (!registers_)
      return false;
    uint64_t bytes = 0;
    for (const Group &group : groups)
      for (AnyStore store : group.stores)
        bytes += size(store);
    return bytes * 8 * 2 > uint64_t(registers_->bits) * registers_->count;
  }

  /// Before all that the block computes. False if that is not possible.
  bool chooseFirst(ArrayRef<Group> groups) {
    SmallVector<Value *, 16> inputs;
    for (const Group &group : groups) {
      inputs.push_back(group.condition);
      for (AnyStore store : group.stores) {
        inputs.push_back(store.address());
        if (store.mask())
          inputs.push_back(store.mask());
      }
    }
    Instruction *first = computeFirst(inputs, *groups.back().stores.back().made);
    if (!first)
      return false;
    builder_.SetInsertPoint(first);
    Value *condition = conditionOf(groups);
    SmallVector<std::pair<AnyStore, StreamForm>, 16> stores;
    for (const Group &group : groups)
      for (AnyStore store : group.stores) {
        markCached(store);
        stores.push_back({store, formOf(store, group)});
      }
    markChoice(*first, *condition, ++choices_, stores);
    return true;
  }

  static void markCached(AnyStore store) {
    StreamMetadata.drop(*store.made);
    CachedStore.put(*store.made);
  }

  static StreamForm formOf(AnyStore store, const Group &group) {
    return group.whole.contains(store.made)    ? StreamForm::WholeLine
           : group.halves.contains(store.made) ? StreamForm::HalfLine
                                               : StreamForm::Plain;
  }

  Function &function_;
  bool isCoroutine_; ///< `start`: its first argument is the block, not the launch
  std::optional<VectorRegisters> registers_;
  IRBuilder<> builder_;
  LoopFacts facts_;
  DenseMap<uint64_t, Value *> grids_; ///< conditions by bytes a thread
  std::map<std::pair<Loop *, uint64_t>, Value *> loopConditions_;
  std::vector<Group> groups_;
  unsigned choices_ = 0; ///< made first
};

/// Stores of what several blocks compute go there, where they fill the registers.
bool storeWhereComputed(Function &function, const VectorRegisters &registers) {
  bool isChanged = false;
  DominatorTree dominators(function);
  const DataLayout &layout = function.getDataLayout();
  for (BasicBlock &block : make_early_inc_range(function)) {
    uint64_t bits = 0;
    AnyStore last;
    for (Instruction &instruction : block)
      if (AnyStore store = AnyStore::from(instruction);
          store.made && StreamMetadata.isOn(instruction)) {
        bits += layout.getTypeStoreSizeInBits(store.value()->getType());
        last = store;
      }
    bool joins = last.made && any_of(block.phis(), [&](PHINode &phi) {
                   return layout.getTypeSizeInBits(phi.getType()) > registers.bits;
                 });
    if (joins && std::distance(block.begin(), last.made->getIterator()) <= LongestCopy &&
        2 * bits > uint64_t(registers.bits) * registers.count && pred_size(&block) <= MostCopies &&
        moveToPredecessors(*last.made, dominators)) {
      dominators.recalculate(function);
      isChanged = true;
    }
  }
  return isChanged;
}

} // namespace

bool streamStores(Module &module, std::optional<VectorRegisters> registers) {
  Function *function = module.getFunction(RunBlocksName), *start = module.getFunction(StartName);
  if (!function && start && start->isPresplitCoroutine())
    function = start;
  if (!function)
    return false;
  bool isMoved = registers && storeWhereComputed(*function, *registers);
  return Streams(*function, registers).run() || isMoved;
}

} // namespace heddle::simt
