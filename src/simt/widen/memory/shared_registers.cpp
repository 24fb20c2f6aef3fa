// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory that will be in registers is accessed by vectors, and not lane by lane.
//
// What wavefronts.cpp will keep in registers is widened as gathers and scatters.
// Lanes on a diagonal of a tile: from lane to lane the place moves by an element and so many rows,
// from step to step by one row. A vector in a row of the tile gives each of its lanes to another
// step; that pays where there are many steps. Lanes and places must be known, which they are where
// one program holds the block and the loop over the steps is unrolled.
#include "simt/widen/memory/shared_registers.h"

#include "simt/analysis/intrinsics.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

#include <map>

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned FewestSteps = 12;

bool isSimpleAccess(const Instruction &instruction) {
  const auto *load = dyn_cast<LoadInst>(&instruction);
  const auto *store = dyn_cast<StoreInst>(&instruction);
  return (load && load->isSimple()) || (store && store->isSimple());
}

/// Goes nowhere but into accesses.
bool isOnlyAccessed(Value *address) {
  SmallVector<Value *, 32> addresses = {address};
  for (unsigned i = 0; i < addresses.size(); ++i)
    for (User *user : addresses[i]->users())
      if (isa<GetElementPtrInst, AddrSpaceCastInst>(user))
        addresses.push_back(user);
      else if (auto *store = dyn_cast<StoreInst>(user);
               store ? store->getValueOperand() == addresses[i]
                     : !isa<LoadInst, AtomicRMWInst, AtomicCmpXchgInst>(user))
        return false;
  return true;
}

/// Rows that lanes are in, by their first bytes: `row` lane 0, each next lane so many bytes on.
struct Diagonal {
  int64_t row, distance;
};

/// The places of these lanes, if they are on a diagonal.
std::optional<Diagonal> diagonalOf(ArrayRef<int64_t> places, const BitVector &lanes, int64_t size) {
  if (places.size() < 2)
    return {};
  SmallVector<int64_t, 32> rows;
  SmallVector<unsigned, 32> numbers(lanes.set_bits());
  for (auto [place, lane] : zip(places, numbers))
    rows.push_back(place - int64_t(lane) * size);
  int64_t distance = (rows[1] - rows[0]) / int64_t(numbers[1] - numbers[0]);
  Diagonal diagonal = {rows[0] - int64_t(numbers[0]) * distance, distance};
  for (auto [row, lane] : zip(rows, numbers))
    if (row != diagonal.row + int64_t(lane) * distance)
      return {};
  return distance ? std::optional(diagonal) : std::nullopt;
}

/// Addresses by the distance of the rows that neighbouring lanes are in, and by the row of lane 0.
using Families = std::map<int64_t, std::map<int64_t, SmallVector<const Value *, 4>>>;

/// Those of walks that are long enough.
void keepFamilies(const Families &families, DenseSet<const Value *> &waves) {
  for (auto &[distance, steps] : families) {
    unsigned count = 0;
    for (auto &[row, addresses] : steps)
      count += steps.contains(row + distance);
    if (count >= FewestSteps)
      for (auto &[row, addresses] : steps)
        waves.insert_range(addresses);
  }
}

} // namespace

bool isShared(const Emitter &emitter, Value *pointer) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects);
  return all_of(objects,
                [&](const Value *object) { return object == emitter.thread.getArg(ParamShared); });
}

/// The program holds the block and accesses shared memory at places only that are known for each
/// lane: it will be in registers (promote_shared.cpp), if vectors access it.
bool SharedRegisters::mayBePromoted() {
  unsigned threads = e_.options.threads();
  if (e_.width < std::max(threads, 32u) || !e_.options.isEnabled("promote-shared"))
    return false;
  SmallVector<Value *, 32> addresses = {e_.thread.getArg(ParamShared)};
  for (unsigned i = 0; i < addresses.size(); ++i)
    for (User *user : addresses[i]->users()) {
      auto *gep = dyn_cast<GetElementPtrInst>(user);
      bool isAddress = isa<AddrSpaceCastInst>(user) ||
                       (gep && all_of(gep->indices(),
                                      [&](Value *index) { return facts_.subsets.isKnown(index); }));
      if (isAddress)
        addresses.push_back(user);
      else if (getLoadStorePointerOperand(user) != addresses[i])
        return false;
    }
  return true;
}

bool SharedRegisters::isPromoted(Instruction &access) {
  const Value *object = getUnderlyingObject(getLoadStorePointerOperand(&access));
  if (object != e_.thread.getArg(ParamShared))
    return false;
  if (!mayBePromoted_)
    mayBePromoted_ = mayBePromoted();
  return *mayBePromoted_;
}

/// Which lanes come to a block is known when it is compiled, so that no branch is left of the ones
/// before it. Of a step's copies for all lanes and for some one is never come to.
SharedRegisters::Reach SharedRegisters::reachOf(const BasicBlock &block) {
  const BasicBlock *at = &block;
  while (facts_.sameMasks[facts_.order.index(const_cast<BasicBlock *>(at))] != 0) {
    const BasicBlock *from = at->getSinglePredecessor();
    auto *branch = from ? dyn_cast<BranchInst>(from->getTerminator()) : nullptr;
    if (!branch)
      return Reach::Unknown;
    if (branch->isConditional()) {
      Value *condition = branch->getCondition();
      bool forAll = isAllLanes(condition);
      if (forAll)
        condition = cast<CallInst>(condition)->getArgOperand(0);
      if (!facts_.subsets.isKnown(condition))
        return Reach::Unknown;
      if (forAll && facts_.subsets.isAlways(condition) != (at == branch->getSuccessor(0)))
        return Reach::Never;
    }
    at = from;
  }
  return Reach::Known;
}

void SharedRegisters::findWaves() {
  unsigned threads = e_.options.threads();
  Value *shared = e_.thread.getArg(ParamShared);
  if (e_.width < std::max(threads, 32u) || !e_.options.isOptimised() ||
      !e_.options.isEnabled("wavefronts") || threads < 2 || !isOnlyAccessed(shared))
    return;
  Families families;
  auto take = [&](Instruction &instruction, const BitVector &lanes) {
    Value *address =
        isSimpleAccess(instruction) ? getLoadStorePointerOperand(&instruction) : nullptr;
    if (!address || getUnderlyingObject(address, 0) != shared)
      return;
    int64_t size = e_.sizeOf(getLoadStoreType(&instruction));
    SmallVector<int64_t, 0> places = facts_.subsets.offsetsFrom(shared, address, lanes);
    if (std::optional<Diagonal> diagonal = diagonalOf(places, lanes, size))
      families[diagonal->distance][diagonal->row].push_back(address);
  };
  for (auto [index, block] : enumerate(facts_.order.blocks)) {
    Reach reach = reachOf(*block);
    for (Instruction &instruction : *block)
      if (reach == Reach::Known)
        take(instruction, facts_.subsets.at(index));
    if (reach == Reach::Unknown ||
        index + 1 == facts_.order.blocks.size()) { // here straight code ends
      keepFamilies(families, *waves_);
      families.clear();
    }
  }
}

bool SharedRegisters::isOnWavefront(const Value *address) {
  if (!waves_) {
    waves_.emplace();
    findWaves();
  }
  return waves_->contains(address);
}

} // namespace heddle::simt
