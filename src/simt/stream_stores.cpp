// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/stream_stores.h"

#include "base/kernel_abi.h"
#include "simt/mark_streams.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <map>

namespace heddle::simt {

using namespace llvm;

namespace {

constexpr uint64_t Line = 64; ///< bytes
/// Stores that one test chooses for. The first ones wait for the last: sixteen made scan 10 % slower.
constexpr unsigned MostTogether = 4;

class Streams {
public:
  explicit Streams(Function &function)
      : function_(function), isCoroutine_(function.isPresplitCoroutine()),
        builder_(function.getContext()), dominators_(function), loops_(dominators_) {}

  void run() {
    for (BasicBlock &block : function_)
      findGroups(block);
    bool any = false;
    for (Group &group : groups_)
      if (choosesStreams(group)) {
        choose(group);
        any = true;
      }
    if (!any || isCoroutine_)
      return;
    for (BasicBlock &block : function_)
      if (auto *end = dyn_cast<ReturnInst>(block.getTerminator()))
        new FenceInst(function_.getContext(), AtomicOrdering::SequentiallyConsistent,
                      SyncScope::System, end->getIterator());
  }

private:
  /// Stores that may be made together, at the place of the last one.
  struct Group {
    SmallVector<StoreInst *, MostTogether> stores;
    Value *condition = nullptr;         ///< whether what they write is large
    SmallPtrSet<StoreInst *, 8> whole;  ///< of them: of whole lines, if they begin at one
    SmallPtrSet<StoreInst *, 8> halves; ///< of them: follow one in `whole` to the end of the line
  };

  uint64_t size(const StoreInst &store) const {
    return function_.getDataLayout().getTypeStoreSize(store.getValueOperand()->getType());
  }
  bool isCandidate(const StoreInst &store) const {
    return store.hasMetadata(StreamMetadata) && store.isSimple() &&
           (size(store) % Line == 0 || 2 * size(store) == Line);
  }

  void findGroups(BasicBlock &block) {
    Group group;
    auto close = [&] {
      if (!group.stores.empty())
        groups_.push_back(group);
      group = Group();
    };
    for (Instruction &instruction : block) {
      auto *store = dyn_cast<StoreInst>(&instruction);
      Value *condition = store && isCandidate(*store) ? conditionFor(*store) : nullptr;
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
    std::map<std::pair<Value *, int64_t>, StoreInst *> halves;
    for (StoreInst *store : group.stores) {
      if (size(*store) % Line == 0) {
        group.whole.insert(store);
        continue;
      }
      APInt offset(64, 0);
      Value *base = store->getPointerOperand()->stripAndAccumulateConstantOffsets(
          function_.getDataLayout(), offset, /*AllowNonInbounds=*/true);
      halves[{base, offset.getSExtValue()}] = store;
    }
    int64_t half = Line / 2;
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
  Value *conditionFor(const StoreInst &store) {
    const MDNode *numbers = store.getMetadata(StreamMetadata);
    auto number = [&](unsigned i) {
      return mdconst::extract<ConstantInt>(numbers->getOperand(i))->getZExtValue();
    };
    return number(1) ? inGrid(number(1)) : inLoop(store, number(0));
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
  Value *inLoop(const StoreInst &store, uint64_t size) {
    Loop *loop = loops_.getLoopFor(store.getParent());
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

  /// Past the caches if what they write is large and all begin at a line.
  void choose(Group &group) {
    StoreInst *last = group.stores.back();
    builder_.SetInsertPoint(last);
    Value *bits = builder_.getInt64(0);
    for (StoreInst *store : group.stores)
      if (group.whole.contains(store))
        bits = builder_.CreateOr(
            bits, builder_.CreatePtrToInt(store->getPointerOperand(), builder_.getInt64Ty()));
    Value *areAligned = builder_.CreateIsNull(builder_.CreateAnd(bits, Line - 1));
    Instruction *streams = nullptr, *stays = nullptr;
    SplitBlockAndInsertIfThenElse(builder_.CreateAnd(group.condition, areAligned),
                                  last->getIterator(), &streams, &stays);
    MDNode *nontemporal =
        MDNode::get(function_.getContext(), ConstantAsMetadata::get(builder_.getInt32(1)));
    for (StoreInst *store : group.stores) {
      auto *stream = cast<StoreInst>(store->clone());
      stream->setMetadata(StreamMetadata, nullptr);
      bool isWhole = group.whole.contains(store);
      if (isWhole || group.halves.contains(store)) {
        stream->setAlignment(Align(isWhole ? Line : Line / 2));
        stream->setMetadata(LLVMContext::MD_nontemporal, nontemporal);
      }
      stream->insertBefore(streams->getIterator());
      store->setMetadata(StreamMetadata, nullptr);
      store->moveBefore(stays->getIterator());
    }
  }

  Function &function_;
  bool isCoroutine_; ///< `start`: its first argument is the block, not the launch
  IRBuilder<> builder_;
  DominatorTree dominators_;
  LoopInfo loops_;
  DenseMap<uint64_t, Value *> grids_; ///< conditions by bytes a thread
  std::map<std::pair<Loop *, uint64_t>, Value *> loopConditions_;
  std::vector<Group> groups_;
};

} // namespace

void streamStores(Module &module) {
  Function *function = module.getFunction("runBlocks"), *start = module.getFunction("start");
  if (!function && start && start->isPresplitCoroutine())
    function = start;
  if (function)
    Streams(*function).run();
}

} // namespace heddle::simt
