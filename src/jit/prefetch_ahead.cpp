// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/prefetch_ahead.h"

#include "jit/prefetch_steps.h"
#include "simt/mark_streams.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"

#include <set>

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr int64_t MostAhead = 4096;     ///< bytes
constexpr int64_t AllAhead = 16 * 1024; ///< of all loads together: a part of the nearest cache
constexpr int64_t Line = 64;            ///< bytes

class Prefetches {
public:
  explicit Prefetches(Function &function)
      : function_(function), layout_(function.getDataLayout()), dominators_(function),
        loops_(dominators_) {}

  void run() {
    for (Instruction &instruction : instructions(function_))
      if (isMarked(instruction))
        streams_.insert(placeOf(instruction));
    for (BasicBlock &block : function_)
      find(block);
    if (found_.empty() || isSingleStream())
      return;
    // A masked load stands in a copy of what plain loads are in: one of both runs.
    size_t plain = count_if(found_, [](const auto &one) { return isa<LoadInst>(one.first); });
    size_t together = std::max(plain, found_.size() - plain);
    int64_t ahead = std::min<int64_t>(MostAhead, AllAhead / together / Line * Line);
    for (auto [load, lines] : found_) {
      if (ahead < 2 * size(*load)) // hardly more than what is read anyway
        continue;
      IRBuilder<> builder(load);
      for (int64_t line : lines)
        prefetchLines(
            builder,
            builder.CreateConstGEP1_64(builder.getInt8Ty(), addressOf(*load), line + ahead), Line);
    }
  }

private:
  int64_t size(const Instruction &load) const { return layout_.getTypeStoreSize(load.getType()); }

  /// One array is read and none written: the processor's own prefetchers keep up with that, and
  /// fetching by instruction as well takes time (a sum over an array).
  bool isSingleStream() const {
    const Value *array = nullptr;
    for (const auto &[load, lines] : found_) {
      const Value *from = getUnderlyingObject(addressOf(*load), /*MaxLookup=*/0);
      if (array && array != from)
        return false;
      array = from;
    }
    return none_of(instructions(function_), [&](const Instruction &instruction) {
      if (const auto *store = dyn_cast<StoreInst>(&instruction))
        return layout_.getTypeStoreSize(store->getValueOperand()->getType()) >= uint64_t(Line) &&
               !isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand(), 0));
      const auto *call = dyn_cast<IntrinsicInst>(&instruction);
      return call && (call->getIntrinsicID() == Intrinsic::masked_store ||
                      call->getIntrinsicID() == Intrinsic::masked_scatter);
    });
  }

  /// Neighbouring loads share lines, which are fetched once.
  void find(BasicBlock &block) {
    std::set<std::pair<Value *, int64_t>> seen;
    for (Instruction &instruction : block) {
      Instruction *load = &instruction;
      if (!isStream(*load))
        continue;
      APInt offset(64, 0);
      Value *base = addressOf(*load)->stripAndAccumulateConstantOffsets(layout_, offset,
                                                                        /*AllowNonInbounds=*/true);
      SmallVector<int64_t, 4> lines;
      int64_t first = divideFloorSigned(offset.getSExtValue() + Line / 2, Line);
      for (int64_t line = 0; line < size(*load) / Line; ++line)
        if (seen.insert({base, first + line}).second)
          lines.push_back(line * Line);
      if (!lines.empty())
        found_.push_back({load, lines});
    }
  }

  static Value *addressOf(const Instruction &load) { return load.getOperand(0); }

  /// A load of whole lines.
  bool isWide(const Instruction &load) const {
    const auto *plain = dyn_cast<LoadInst>(&load);
    const auto *call = dyn_cast<IntrinsicInst>(&load);
    bool isMasked = call && call->getIntrinsicID() == Intrinsic::masked_load;
    return (isMasked || (plain && plain->isSimple())) && size(load) >= Line;
  }

  /// In no loop of the program.
  bool isMarked(const Instruction &load) const {
    const MDNode *numbers = isWide(load) ? load.getMetadata(simt::StreamMetadata) : nullptr;
    return numbers && numbers->getOperand(0) == numbers->getOperand(1);
  }

  /// The array, and how deep in loops.
  std::pair<const Value *, unsigned> placeOf(const Instruction &load) const {
    return {getUnderlyingObject(addressOf(load), /*MaxLookup=*/0),
            loops_.getLoopDepth(load.getParent())};
  }

  /// LLVM drops the mark where it makes one load of those of two branches.
  bool isStream(const Instruction &load) const {
    return isWide(load) && streams_.contains(placeOf(load));
  }

  Function &function_;
  const DataLayout &layout_;
  DominatorTree dominators_;
  LoopInfo loops_;
  std::set<std::pair<const Value *, unsigned>> streams_; ///< places of marked loads
  std::vector<std::pair<Instruction *, SmallVector<int64_t, 4>>> found_;
};

} // namespace

void prefetchAhead(Module &module) {
  if (Function *function = module.getFunction("runBlocks"))
    Prefetches(*function).run();
}

} // namespace heddle::jit
