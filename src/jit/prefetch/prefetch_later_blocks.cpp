// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of wide loads of a kernel's arrays (simt/thread/mark_streams.h), masked ones too, what lies a
// page ahead: the blocks that follow will want it. Programs that wait do so up to the first wait:
// that is where tiles are copied to shared memory.
//
//     %v = load <32 x float>, ptr %p    ->    prefetch %p + 4096, %p + 4160
//       !heddle.stream                        %v = load <32 x float>, ptr %p
//
// Not in loops of the program, which mostly read again what is in the caches. Kernels of many
// arrays fetch less far ahead, so that what is fetched stays in the nearest cache until it is used.
// Not where one array is read and none written: that the processor follows by itself.
//
// Fewer than eight streams are fetched a whole page ahead each, more share 16 KB. A load that LLVM
// has made of the loads of two branches has lost its mark and counts by its array. The loads of a
// masked copy (the rim of a stencil) count too. Lines of eight rows and more are fetched among the
// stores that follow and not among the loads, which they would hold up (transpositions).
//
// Legality (prefetch-later-blocks): none: it only adds prefetches at addresses that are there, a
// fixed number of bytes on. They never fault.
#include "jit/prefetch/prefetch.h"

#include "simt/analysis/pass_notes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr int64_t AllAhead = 16 * 1024; ///< of many streams together: a part of the nearest cache
constexpr int64_t Narrowest = 32;       ///< bytes of an access: a register of AVX2
/// Rows of a matrix that a block's loads begin at, from which lines are fetched among the stores
/// that follow: so many misses under way fill what the core has for them, and fetches between them
/// only make loads wait.
constexpr unsigned FewestRows = 8;
constexpr size_t ManyStreams = 8; ///< fewer are fetched as far ahead as may be

class LaterBlocks {
public:
  LaterBlocks(const FetchedFunction &where, Fetches &fetches) : where_(where), fetches_(fetches) {}

  void run() {
    for (Instruction &instruction : instructions(where_.function))
      if (isMarked(instruction))
        streams_.insert(arrayOf(instruction));
    for (Instruction &instruction : instructions(where_.function))
      if (isStream(instruction))
        fetches_.add(RangeAccess::from(instruction));
    if (isSingleStream())
      return;
    int64_t ahead = distance();
    for (Fetch &fetch : fetches_.all())
      if (ahead >= 2 * fetch.access.bytes) // else it is hardly more than what is read anyway
        fetches_.setAhead(fetch, ahead);
    spread();
  }

private:
  /// A masked load stands in a copy of what plain loads are in: one of both runs.
  int64_t distance() {
    std::set<const Value *> plain, masked;
    for (const Fetch &fetch : fetches_.all())
      (fetch.access.isMasked ? masked : plain).insert(fetch.access.place().first);
    size_t together = std::max(plain.size(), masked.size());
    return together < ManyStreams ? Page
                                  : std::min<int64_t>(Page, AllAhead / together / Line * Line);
  }

  /// One array is read and none written: the processor's own prefetchers keep up with that, and
  /// fetching by instruction as well takes time (a sum over an array).
  bool isSingleStream() {
    std::set<const Value *> arrays;
    for (const Fetch &fetch : fetches_.all())
      arrays.insert(getUnderlyingObject(fetch.access.address, /*MaxLookup=*/0));
    return arrays.size() < 2 &&
           none_of(
               instructions(where_.function),
               [&](Instruction &store) {
                 const auto *call = dyn_cast<IntrinsicInst>(&store);
                 return isWideStore(store) ||
                        (call && (call->getIntrinsicID() == Intrinsic::masked_store ||
                                  call->getIntrinsicID() == Intrinsic::masked_scatter));
               });
  }

  /// To an array, and no single results: of lines, or of registers that make lines.
  static bool isWideStore(const Instruction &instruction) {
    const auto *store = dyn_cast<StoreInst>(&instruction);
    return store &&
           store->getDataLayout().getTypeStoreSize(store->getValueOperand()->getType()) >=
               uint64_t(Narrowest) &&
           !isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand(), 0));
  }

  /// Of a block that reads many rows, lines are fetched among the stores that follow the last load.
  void spread() {
    MapVector<BasicBlock *, std::vector<Fetch *>> blocks;
    for (Fetch &fetch : fetches_.all())
      blocks[fetch.access.instruction->getParent()].push_back(&fetch);
    for (auto &[block, fetches] : blocks) {
      std::set<const Value *> rows;
      std::vector<Fetch::Part *> parts;
      for (Fetch *fetch : fetches) {
        rows.insert(fetch->access.place().first);
        for (Fetch::Part &part : fetch->parts)
          parts.push_back(&part);
      }
      std::vector<Instruction *> stores;
      for (Instruction &instruction :
           make_range(fetches.back()->access.instruction->getIterator(), block->end()))
        if (isWideStore(instruction))
          stores.push_back(&instruction);
      if (rows.size() >= FewestRows && !stores.empty())
        for (auto [i, part] : enumerate(parts))
          part->place = stores[i * stores.size() / parts.size()];
    }
  }

  /// A load of whole lines, or of a register.
  static bool isWide(Instruction &instruction) {
    RangeAccess access = RangeAccess::from(instruction);
    return access.bytes >= Narrowest && !access.isStore;
  }

  /// In no loop of the program.
  static bool isMarked(Instruction &load) {
    auto numbers = isWide(load) ? simt::StreamMetadata.get(load) : std::nullopt;
    return numbers && numbers->element == numbers->bytes;
  }

  /// The array, and how deep in loops.
  std::pair<const Value *, unsigned> arrayOf(const Instruction &load) const {
    return {getUnderlyingObject(load.getOperand(0), /*MaxLookup=*/0),
            where_.loops.getLoopDepth(load.getParent())};
  }

  /// LLVM drops the mark where it makes one load of those of two branches.
  bool isStream(Instruction &load) const {
    return isWide(load) && streams_.contains(arrayOf(load));
  }

  const FetchedFunction &where_;
  Fetches &fetches_;
  std::set<std::pair<const Value *, unsigned>> streams_; ///< of marked loads
};

} // namespace

void findLaterBlocks(const FetchedFunction &where, Fetches &fetches) {
  StringRef name = where.function.getName();
  if (name == simt::RunBlocksName || name == simt::StartName)
    LaterBlocks(where, fetches).run();
}

} // namespace heddle::jit
