// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that are read shifted.
//
// A stencil stores a tile and reads it a lane to the left and to the right. Such a load lies across
// two stores that are still under way, which no processor forwards, and across two cache lines. But
// in a block that is one program it is known which store has written each place:
//
//     store <32 x float> %v, %tile + 4          %rim = load float, %tile
//     ...                                  ->   %a = shuffle %v, %rim, <32, 0, 1, ... 30>
//     %a = load <32 x float>, %tile
//
// Lanes whose place several stores may have written, or one under a mask, or none in this round,
// are loaded one by one where they are few: the rim of the tile, which only some blocks load. A
// store that no load asks any more goes. With AVX2 the shuffles of shifted lanes take as long as
// the loads, and only the stores and the loads of whole rows are won.
//
// Which store: the only one in the program that touches the place, and it dominates the load, so
// what it stored last is the value that the program still has. A tile that fits in registers whole
// is not seen here (promote_shared.cpp); with a rim that is loaded behind branches that costs
// more, for all of its cells would go through them.
//
// Legality (forward-shared-stores):
//  1. One program holds the block. [whole block]
//  2. The places of all accesses are known. [known places]
//  3. One store writes to the place, and no other. [one writer]
//  4. It does so under no mask. [no mask]
//  5. It comes before the load whatever way the program takes. [stored before]
//  6. The address goes nowhere but into loads and stores. [plain accesses]
//  7. What is stored has the type of what is loaded. [same type]
#include "simt/shared/forward_shared_stores.h"

#include "simt/analysis/pass_notes.h"
#include "simt/canonical/normalize.h"
#include "simt/shared/promote_shared.h"
#include "simt/shared/shared_accesses.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"

#include <map>
#include <set>

using namespace llvm;

namespace heddle::simt {

namespace {

/// Lanes of a vector, of which one may come from memory.
constexpr unsigned LanesOfOne = 8;

class Forwarding {
public:
  Forwarding(Function &function, Instruction &shared, unsigned staticBytes)
      : shared_(shared), layout_(function.getDataLayout()), staticBytes_(staticBytes),
        dominators_(function) {}

  void run() {
    std::optional<std::vector<SharedAccess>> accesses = findSharedAccesses(shared_);
    if (!accesses || any_of(*accesses, isVolatile))
      return;
    for (SharedAccess &access : *accesses)
      if (access.isStore)
        note(access);
    std::vector<std::pair<SharedAccess *, Sources>> forwarded;
    for (SharedAccess &access : *accesses)
      if (!access.isStore)
        if (Sources sources = sourcesOf(access); sources.isWorthIt)
          forwarded.push_back({&access, sources});
    for (auto &[access, sources] : forwarded)
      forward(*access, sources);
    if (!forwarded.empty())
      dropUnread(*accesses);
  }

private:
  /// A lane of what a store writes.
  struct Stored {
    SharedAccess *store = nullptr;
    unsigned lane = 0;
    bool isOnly = true; ///< nothing else writes there
  };
  struct Sources {
    std::vector<Stored> lanes; ///< without a store: from memory
    bool isWorthIt = false;
  };

  static bool isVolatile(const SharedAccess &access) { return access.instruction->isVolatile(); }

  int64_t size(const SharedAccess &access) const {
    return layout_.getTypeStoreSize(access.element);
  }
  static bool storesAllLanes(const SharedAccess &store) {
    auto *mask = dyn_cast_or_null<Constant>(store.mask());
    return !store.mask() || (mask && mask->isAllOnesValue());
  }

  /// Each byte has a writer, or several.
  void note(SharedAccess &store) {
    for (auto [lane, place] : enumerate(store.places))
      if (store.mayTouch(lane))
        for (int64_t byte = 0; byte < size(store); ++byte) {
          auto [writer, isNew] = writers_.try_emplace(place + byte);
          writer->second = {&store, unsigned(lane), isNew && storesAllLanes(store)};
        }
  }

  Stored storedAt(int64_t place, const SharedAccess &load) const {
    for (int64_t byte = place; byte < place + size(load); ++byte)
      if (auto writer = writers_.find(byte); writer == writers_.end() || !writer->second.isOnly)
        return {};
    const Stored &writer = writers_.at(place);
    const SharedAccess &store = *writer.store;
    bool fits = store.element == load.element && store.places[writer.lane] == place &&
                store.value()->getType()->isVectorTy() &&
                dominators_.dominates(store.instruction, load.instruction);
    return fits ? writer : Stored();
  }

  Sources sourcesOf(const SharedAccess &load) const {
    Sources sources;
    auto *type = dyn_cast<FixedVectorType>(load.instruction->getType());
    if (!type || type->getNumElements() < LanesOfOne)
      return sources;
    unsigned fromMemory = 0, lanes = type->getNumElements();
    SmallPtrSet<const SharedAccess *, 4> stores;
    for (auto [lane, place] : enumerate(load.places)) {
      Stored stored = load.mayTouch(lane) ? storedAt(place, load) : Stored();
      if (stored.store) {
        stores.insert(stored.store);
      } else if (load.mayTouch(lane)) {
        ++fromMemory;
        if (place < 0 || place + size(load) > staticBytes_)
          return sources;
      }
      sources.lanes.push_back(stored);
    }
    sources.isWorthIt = !stores.empty() && stores.size() <= 2 && fromMemory <= lanes / LanesOfOne;
    return sources;
  }

  void forward(SharedAccess &access, const Sources &sources) {
    IRBuilder<> builder(access.instruction);
    auto *type = cast<FixedVectorType>(access.instruction->getType());
    unsigned lanes = type->getNumElements();
    Value *result = PoisonValue::get(type);
    SmallVector<const SharedAccess *, 2> stores;
    for (const Stored &stored : sources.lanes)
      if (stored.store && !is_contained(stores, stored.store))
        stores.push_back(stored.store);
    for (const SharedAccess *store : stores) {
      SmallVector<int, 64> picks(lanes, PoisonMaskElem), blend(lanes);
      for (auto [lane, stored] : enumerate(sources.lanes)) {
        blend[lane] = lane;
        if (stored.store == store) {
          picks[lane] = stored.lane;
          blend[lane] = lanes + lane;
        }
      }
      Value *part = builder.CreateShuffleVector(store->value(), picks);
      result = store == stores[0] ? part : builder.CreateShuffleVector(result, part, blend);
    }
    for (auto [lane, stored] : enumerate(sources.lanes))
      if (!stored.store && access.mayTouch(lane)) {
        Value *at = builder.CreateConstGEP1_64(builder.getInt8Ty(), &shared_, access.places[lane]);
        Align align = commonAlignment(Align(16), access.places[lane]);
        Value *cell =
            builder.CreateAlignedLoad(access.element, at, std::min(align, Align(size(access))));
        result = builder.CreateInsertElement(result, cell, uint64_t(lane));
        read_.insert({access.places[lane], access.places[lane] + size(access)});
      }
    if (access.mask() && !isa<PoisonValue>(access.value()))
      result = builder.CreateSelect(access.mask(), result, access.value());
    access.instruction->replaceAllUsesWith(result);
    access.instruction->eraseFromParent();
    access.instruction = nullptr;
  }

  /// Nobody sees shared memory but the block's program, which is this one.
  void dropUnread(ArrayRef<SharedAccess> accesses) {
    for (const SharedAccess &access : accesses)
      if (!access.isStore && access.instruction)
        for (auto [lane, place] : enumerate(access.places))
          if (access.mayTouch(lane))
            read_.insert({place, place + size(access)});
    for (const SharedAccess &access : accesses) {
      auto isRead = [&](int64_t place) {
        return any_of(read_, [&](std::pair<int64_t, int64_t> bytes) {
          return place < bytes.second && bytes.first < place + size(access);
        });
      };
      if (access.isStore && storesAllLanes(access) && access.bytes().second <= staticBytes_ &&
          none_of(access.places, isRead))
        access.instruction->eraseFromParent();
    }
  }

  Instruction &shared_;
  const DataLayout &layout_;
  int64_t staticBytes_;
  DominatorTree dominators_;
  std::map<int64_t, Stored> writers_; ///< by byte
  std::set<std::pair<int64_t, int64_t>> read_;
};

} // namespace

void forwardSharedStores(Module &module, TargetMachine &machine, unsigned staticBytes) {
  Function *function = module.getFunction(RunBlocksName), *start = module.getFunction(StartName);
  if (!function && start && start->isPresplitCoroutine())
    function = start;
  Instruction *shared = function ? findSharedMemory(*function) : nullptr;
  if (!shared || shared->use_empty())
    return;
  fold(*function, machine);
  shared = findSharedMemory(*function);
  if (shared)
    Forwarding(*function, *shared, staticBytes).run();
}

} // namespace heddle::simt
