// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/stream_stores.h"

#include "base/kernel_abi.h"
#include "simt/mark_streams.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::simt {

using namespace llvm;

namespace {

constexpr uint64_t Line = 64; ///< bytes

class Streams {
public:
  explicit Streams(Function &function)
      : function_(function), isCoroutine_(function.isPresplitCoroutine()),
        builder_(function.getContext()), dominators_(function), loops_(dominators_) {}

  void run() {
    SmallVector<std::pair<StoreInst *, Value *>, 8> stores;
    for (Instruction &instruction : instructions(function_)) {
      auto *store = dyn_cast<StoreInst>(&instruction);
      if (store && isWhole(*store))
        if (Value *condition = conditionFor(*store))
          stores.push_back({store, condition});
    }
    for (auto [store, condition] : stores)
      choose(*store, condition);
    if (stores.empty() || isCoroutine_)
      return;
    for (BasicBlock &block : function_)
      if (auto *end = dyn_cast<ReturnInst>(block.getTerminator()))
        new FenceInst(function_.getContext(), AtomicOrdering::SequentiallyConsistent,
                      SyncScope::System, end->getIterator());
  }

private:
  /// Of whole lines, if it begins at one.
  bool isWhole(const StoreInst &store) const {
    return store.hasMetadata(StreamMetadata) && store.isSimple() &&
           function_.getDataLayout().getTypeStoreSize(store.getValueOperand()->getType()) % Line ==
               0;
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

  /// Computed outside of loops; null where the amount cannot be told.
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

  void choose(StoreInst &store, Value *isLarge) {
    builder_.SetInsertPoint(&store);
    Value *address = builder_.CreatePtrToInt(store.getPointerOperand(), builder_.getInt64Ty());
    Value *isAligned = builder_.CreateIsNull(builder_.CreateAnd(address, Line - 1));
    Instruction *streams = nullptr, *stays = nullptr;
    SplitBlockAndInsertIfThenElse(builder_.CreateAnd(isLarge, isAligned), store.getIterator(),
                                  &streams, &stays);
    auto *stream = cast<StoreInst>(store.clone());
    stream->setMetadata(StreamMetadata, nullptr);
    stream->setAlignment(Align(Line));
    stream->setMetadata(
        LLVMContext::MD_nontemporal,
        MDNode::get(function_.getContext(), ConstantAsMetadata::get(builder_.getInt32(1))));
    stream->insertBefore(streams->getIterator());
    store.setMetadata(StreamMetadata, nullptr);
    store.moveBefore(stays->getIterator());
  }

  Function &function_;
  bool isCoroutine_; ///< `start`: its first argument is the block, not the launch
  IRBuilder<> builder_;
  DominatorTree dominators_;
  LoopInfo loops_;
  DenseMap<uint64_t, Value *> grids_; ///< conditions by bytes a thread
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
