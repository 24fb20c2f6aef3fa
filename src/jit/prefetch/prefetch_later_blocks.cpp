// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: prefetch_later_blocks.h.
//
// Fewer than eight streams are fetched a whole page ahead each, more share 16 KB. A load that LLVM
// has made of the loads of two branches has lost its mark and counts by its array. The loads of a
// masked copy (the rim of a stencil) count too. Lines of eight rows and more are fetched among the
// stores that follow and not among the loads, which they would hold up (transpositions).
//
// Legality (prefetch-later-blocks): none: it only adds prefetches at addresses that are there, a
// fixed number of bytes on. They never fault.
#include "jit/prefetch/prefetch_later_blocks.h"

#include "jit/prefetch/prefetch_grid_strides.h"
#include "simt/analysis/pass_notes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <set>

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr int64_t MostAhead = 4096;     ///< bytes
constexpr int64_t AllAhead = 16 * 1024; ///< of many streams together: a part of the nearest cache
constexpr int64_t Line = 64;            ///< bytes
constexpr int64_t Narrowest = 32;       ///< bytes of an access: a register of AVX2
/// Rows of a matrix that a block's loads begin at, from which lines are fetched among the stores
/// that follow: so many misses under way fill what the core has for them, and fetches between them
/// only make loads wait.
constexpr unsigned FewestRows = 8;
constexpr size_t ManyStreams = 8; ///< fewer are fetched as far ahead as may be

class Prefetches {
public:
  Prefetches(Function &function, const LoopInfo &loops)
      : function_(function), layout_(function.getDataLayout()), loops_(loops) {}

  bool run() {
    for (Instruction &instruction : instructions(function_))
      if (isMarked(instruction))
        streams_.insert(placeOf(instruction));
    for (BasicBlock &block : function_)
      find(block);
    if (found_.empty() || isSingleStream())
      return false;
    // A masked load stands in a copy of what plain loads are in: one of both runs.
    std::set<const Value *> plain, masked;
    for (const auto &[load, lines] : found_)
      (isa<LoadInst>(load) ? plain : masked).insert(baseOf(*load).first);
    size_t together = std::max(plain.size(), masked.size());
    int64_t ahead = together < ManyStreams
                        ? MostAhead
                        : std::min<int64_t>(MostAhead, AllAhead / together / Line * Line);
    findPlaces();
    bool isChanged = false;
    for (auto [load, lines] : found_) {
      if (ahead < 2 * size(*load)) // hardly more than what is read anyway
        continue;
      for (int64_t line : lines) {
        IRBuilder<> builder(placeFor(*load));
        prefetchLines(
            builder,
            builder.CreateConstGEP1_64(builder.getInt8Ty(), addressLoadedFrom(*load), line + ahead),
            Line);
        isChanged = true;
      }
    }
    return isChanged;
  }

private:
  int64_t size(const Instruction &load) const { return layout_.getTypeStoreSize(load.getType()); }

  /// One array is read and none written: the processor's own prefetchers keep up with that, and
  /// fetching by instruction as well takes time (a sum over an array).
  bool isSingleStream() const {
    const Value *array = nullptr;
    for (const auto &[load, lines] : found_) {
      const Value *from = getUnderlyingObject(addressLoadedFrom(*load), /*MaxLookup=*/0);
      if (array && array != from)
        return false;
      array = from;
    }
    return none_of(instructions(function_), [&](const Instruction &instruction) {
      if (isa<StoreInst>(instruction))
        return isWideStore(instruction) && !isLocal(instruction);
      const auto *call = dyn_cast<IntrinsicInst>(&instruction);
      return call && (call->getIntrinsicID() == Intrinsic::masked_store ||
                      call->getIntrinsicID() == Intrinsic::masked_scatter);
    });
  }

  /// No single results: of lines, or of registers that make lines.
  bool isWideStore(const Instruction &store) const {
    return layout_.getTypeStoreSize(store.getOperand(0)->getType()) >= uint64_t(Narrowest);
  }
  static bool isLocal(const Instruction &store) {
    return isa<AllocaInst>(getUnderlyingObject(store.getOperand(1), 0));
  }

  /// Neighbouring loads share lines, which are fetched once.
  void find(BasicBlock &block) {
    std::set<std::pair<const Value *, int64_t>> seen;
    std::map<std::pair<const Value *, int64_t>, int64_t>
        bytesOf; ///< of lines that several loads read
    for (Instruction &instruction : block) {
      Instruction *load = &instruction;
      if (!isStream(*load))
        continue;
      auto [base, offset] = baseOf(*load);
      SmallVector<int64_t, 4> lines;
      if (size(*load) < Line) {
        int64_t line = divideFloorSigned(offset, Line), &bytes = bytesOf[{base, line}];
        bytes += size(*load);
        if (bytes >= Line && seen.insert({base, line}).second)
          lines.push_back(line * Line - offset);
      }
      int64_t first = divideFloorSigned(offset + Line / 2, Line);
      for (int64_t line = 0; line < size(*load) / Line; ++line)
        if (seen.insert({base, first + line}).second)
          lines.push_back(line * Line);
      if (lines.empty())
        continue;
      found_.push_back({load, lines});
      Places &places = places_[&block];
      places.lines += lines.size();
      places.rows.insert(base);
      places.last = load;
    }
  }

  /// Where a block's lines are fetched: with its loads, or shared out among the stores that follow
  /// the last of them.
  struct Places {
    unsigned lines = 0, given = 0;
    SmallPtrSet<const Value *, 16> rows; ///< that loads begin at
    const Instruction *last = nullptr;
    std::vector<Instruction *> stores;
  };

  void findPlaces() {
    for (auto &[block, places] : places_) {
      if (places.rows.size() < FewestRows)
        continue;
      for (auto store = places.last->getIterator(); store != block->end(); ++store)
        if (isa<StoreInst>(*store) && isWideStore(*store) && !isLocal(*store))
          places.stores.push_back(const_cast<Instruction *>(&*store));
    }
  }

  Instruction *placeFor(Instruction &load) {
    Places &places = places_[load.getParent()];
    if (places.stores.empty())
      return &load;
    return places.stores[places.given++ * places.stores.size() / places.lines];
  }

  /// What neighbouring loads count from, and bytes from there.
  std::pair<const Value *, int64_t> baseOf(const Instruction &load) const {
    APInt offset(64, 0);
    const Value *base = addressLoadedFrom(load)->stripAndAccumulateConstantOffsets(
        layout_, offset, /*AllowNonInbounds=*/true);
    return {base, offset.getSExtValue()};
  }

  static Value *addressLoadedFrom(const Instruction &load) { return load.getOperand(0); }

  /// A load of whole lines, or of a register.
  bool isWide(const Instruction &load) const {
    const auto *plain = dyn_cast<LoadInst>(&load);
    const auto *call = dyn_cast<IntrinsicInst>(&load);
    bool isMasked = call && call->getIntrinsicID() == Intrinsic::masked_load;
    return (isMasked || (plain && plain->isSimple())) && size(load) >= Narrowest;
  }

  /// In no loop of the program.
  bool isMarked(const Instruction &load) const {
    auto numbers = isWide(load) ? simt::StreamMetadata.get(load) : std::nullopt;
    return numbers && numbers->element == numbers->bytes;
  }

  /// The array, and how deep in loops.
  std::pair<const Value *, unsigned> placeOf(const Instruction &load) const {
    return {getUnderlyingObject(addressLoadedFrom(load), /*MaxLookup=*/0),
            loops_.getLoopDepth(load.getParent())};
  }

  /// LLVM drops the mark where it makes one load of those of two branches.
  bool isStream(const Instruction &load) const {
    return isWide(load) && streams_.contains(placeOf(load));
  }

  Function &function_;
  const DataLayout &layout_;
  const LoopInfo &loops_;
  std::set<std::pair<const Value *, unsigned>> streams_; ///< places of marked loads
  std::vector<std::pair<Instruction *, SmallVector<int64_t, 4>>> found_;
  MapVector<const BasicBlock *, Places> places_;
};

} // namespace

PreservedAnalyses PrefetchLaterBlocks::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.getName() != simt::RunBlocksName)
    return PreservedAnalyses::all();
  return simt::changedInBlocks(
      Prefetches(function, analyses.getResult<LoopAnalysis>(function)).run());
}

} // namespace heddle::jit
