// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks at the thread program before anything is distributed, unrolled or made lanes: what it
// accesses then is what it accesses in any form.
//
// Legality (prove-launches):
//  1. All accesses are of what a parameter points to, of variables or of local memory: pointers that
//     are loaded, asynchronous copies, the kernels' heap and functions prove nothing. [objects]
//  2. Of memcheck: in all threads of the launch their places lie between the object's bounds, and are
//     aligned. [bounds]
//  3. Of racecheck: what is written of global memory is plain, and no other thread comes to where a
//     thread writes; or all accesses are atomic. No other parameter points into the same allocation, and
//     no texture is there, if the kernel reads any. [own]
//  4. Of shared memory: all blocks do the same with it, so that one may stand for all. [alike]
//  5. Of racecheck: nothing runs beside the launch. [alone]
#include "simt/check/proof/prove_launches.h"

#include "base/abi/check_abi.h"
#include "frontend/variable_note.h"
#include "simt/analysis/intrinsics.h"
#include "simt/check/accesses.h"
#include "simt/check/pointer_roots.h"
#include "simt/check/proof/alike_blocks.h"
#include "simt/check/proof/own_reads.h"
#include "simt/check/proof/places.h"
#include "simt/compilation.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

#include <set>

using namespace llvm;
using heddle::frontend::VariableNote;

namespace heddle::simt {

namespace {

/// What an access is computed from.
struct Object {
  enum class Kind : uint8_t { Param, Variable, DynamicShared, Unknown } kind = Kind::Unknown;
  AccessSpace space = AccessSpace::Generic;
  uint32_t param = NoProofParam; ///< its offset
  uint64_t bytes = 0;            ///< of dynamic shared memory: that lie before it
  uint64_t align = 1;
  Value *root = nullptr;
};

class Prover {
public:
  Prover(Compilation &kernel, Function &function, FunctionAnalysisManager &analyses)
      : kernel_(kernel), function_(function), layout_(function.getDataLayout()),
        dominators_(analyses.getResult<DominatorTreeAnalysis>(function)),
        postDominators_(analyses.getResult<PostDominatorTreeAnalysis>(function)),
        loops_(analyses.getResult<LoopAnalysis>(function)), guards_(dominators_),
        extremes_(function, kernel.options, loops_,
                  analyses.getResult<ScalarEvolutionAnalysis>(function), guards_, nodes_),
        places_(extremes_, nodes_, loops_, function.getEntryBlock(), kernel.options.blockDim) {}

  LaunchProofParts run();

private:
  struct UsedPlace {
    Place place; ///< but for its constant
    int64_t low, high;
    bool isWritten;
  };
  static constexpr size_t MostPlaces = 32;
  /// Accesses of what a parameter points to.
  struct Use {
    bool isWritten = false, isOwn = true, isAtomic = false, isPlain = false;
    std::vector<UsedPlace> places;
    std::vector<ProvenFit> fits;
    std::optional<GuardList> guards; ///< that hold for all of them
  };
  bool touchesNothingElse() const;
  bool isAtomicOnly(const Access &) const;
  Object objectOf(Value *pointer);
  void look(const Access &);
  void proveInside(const Access &, const Object &);
  void note(const Access &, const Object &);
  void addPlace(Use &, const Access &, const Object &);
  void writePlace(const UsedPlace &);
  void writeUse(uint32_t param, Use &);
  void writeLimits(Use &);
  void findAlike();
  bool lacksSync();

  Compilation &kernel_;
  Function &function_;
  const DataLayout &layout_;
  const DominatorTree &dominators_;
  const PostDominatorTree &postDominators_;
  const LoopInfo &loops_;
  ProofNodes nodes_;
  Guards guards_;
  Extremes extremes_;
  Places places_;
  LaunchProofParts proof_;
  std::map<uint32_t, Use> uses_;
  bool hasFences_ = false;    ///< so that atomic operations may order others
  bool isSharedKnown_ = true; ///< which accesses are of shared memory
  SmallVector<Value *, 16> sharedAddresses_;
  SmallPtrSet<const Instruction *, 16> sharedAccesses_;
};

/// Calls that touch no memory that is looked at, or only shared memory in ways that all blocks have
/// alike.
bool Prover::touchesNothingElse() const {
  return all_of(instructions(function_), [](const Instruction &instruction) {
    const auto *call = dyn_cast<CallInst>(&instruction);
    if (!call)
      return true;
    switch (callKind(*call)) {
    case CallKind::Drop:
    case CallKind::Widen:
    case CallKind::Math:
    case CallKind::Native:
    case CallKind::Scalar:
    case CallKind::ThreadIndex:
    case CallKind::Shuffle:
    case CallKind::Vote:
    case CallKind::Match:
    case CallKind::Reduce:
    case CallKind::ActiveMask:
    case CallKind::WarpSync:
    case CallKind::Elect:
    case CallKind::BlockBarrier:
    case CallKind::LoadPair:
    case CallKind::StorePair:
    case CallKind::Memory:
    case CallKind::Aligned:
    case CallKind::FloatCheck:
    case CallKind::AssertFail:
    case CallKind::Trap:
    case CallKind::BadCall:
      return true;
    case CallKind::Device:
      return isSample(*call);
    default:
      return false;
    }
  });
}

Object Prover::objectOf(Value *pointer) {
  Object object;
  unsigned roots = 0;
  bool isKnown = forEachRoot(pointer, [&](Value *root) {
    object.root = root;
    return ++roots == 1;
  });
  if (!isKnown || roots != 1)
    return {};
  if (auto *local = dyn_cast<AllocaInst>(object.root)) {
    std::optional<TypeSize> size = local->getAllocationSize(layout_);
    object.kind = size ? Object::Kind::Variable : Object::Kind::Unknown;
    object.space = AccessSpace::Local;
    object.bytes = size ? size->getFixedValue() : 0;
    object.align = local->getAlign().value();
  } else if (auto *load = dyn_cast<LoadInst>(object.root);
             load && kernel_.thread.paramLoads.count(load)) {
    object.kind = Object::Kind::Param;
    object.space = AccessSpace::Global;
    object.param = kernel_.thread.paramLoads.lookup(load);
  } else if (auto *place = dyn_cast<Instruction>(object.root)) {
    std::optional<VariableNote> variable = VariableNote::get(*place);
    APInt before(64, 0);
    place->stripAndAccumulateConstantOffsets(layout_, before, /*AllowNonInbounds=*/true);
    if (!variable)
      return {};
    object.kind = variable->isDynamic ? Object::Kind::DynamicShared : Object::Kind::Variable;
    object.space = variable->space;
    object.bytes = variable->bytes;
    object.align = uint64_t(1) << std::min(before.countr_zero(), 4u);
  }
  return object;
}

void Prover::proveInside(const Access &access, const Object &object) {
  const BasicBlock *at = access.instruction->getParent();
  bool isKnown = object.kind != Object::Kind::Unknown && !access.length &&
                 (object.kind == Object::Kind::Param || access.align <= object.align);
  std::optional<uint32_t> offset =
      isKnown ? extremes_.offset(access.pointer->get(), object.root, at) : std::nullopt;
  if (!offset) {
    proof_.flags &= ~uint32_t(ProvesMemory);
    return;
  }
  bool isDynamic = object.kind == Object::Kind::DynamicShared;
  proof_.accesses.push_back({*offset, object.param, access.bytes, access.align,
                             isDynamic ? OfDynamicShared : object.bytes,
                             isDynamic ? object.bytes : 0, object.space == AccessSpace::Shared});
}

/// Adds one more access to a use. What lies side by side is one place.
void Prover::addPlace(Use &use, const Access &access, const Object &object) {
  const BasicBlock *at = access.instruction->getParent();
  std::optional<Place> place = places_.ofPointer(access.pointer->get(), object.root, at);
  if (!place || place->isTooLarge || access.length || !access.bytes) {
    use.isOwn = false;
    return;
  }
  bool isWritten = access.kind != AccessKind::Read;
  int64_t low = place->constant, high = low + int64_t(access.bytes);
  auto known = find_if(use.places, [&](const UsedPlace &other) {
    return other.isWritten == isWritten && other.place.factors == place->factors &&
           other.place.base == place->base && low <= other.high && high >= other.low;
  });
  if (known != use.places.end()) {
    known->low = std::min(known->low, low);
    known->high = std::max(known->high, high);
  } else if (use.places.size() < MostPlaces) {
    use.places.push_back({*place, low, high, isWritten});
  } else {
    use.isOwn = false;
    return;
  }
  use.fits.insert(use.fits.end(), place->fits.begin(), place->fits.end());
  GuardList guards = guards_.at(at);
  if (!use.guards) {
    use.guards = guards;
    return;
  }
  erase_if(*use.guards, [&](const Guard &guard) {
    return none_of(guards, [&](const Guard &other) {
      return guard.value == other.value && guard.added == other.added &&
             guard.predicate == other.predicate && guard.bound == other.bound;
    });
  });
}

/// An atomic operation for all threads that orders nothing.
bool Prover::isAtomicOnly(const Access &access) const {
  if (access.kind != AccessKind::Atomic || hasFences_ ||
      scopeOf(*access.instruction) == AccessScope::Block)
    return false;
  if (auto *rmw = dyn_cast<AtomicRMWInst>(access.instruction))
    return !rmw->isVolatile() && !isStrongerThanMonotonic(rmw->getOrdering());
  auto *swap = dyn_cast<AtomicCmpXchgInst>(access.instruction);
  return swap && !swap->isVolatile() && !isStrongerThanMonotonic(swap->getMergedOrdering());
}

/// For races.
void Prover::note(const Access &access, const Object &object) {
  const Instruction &instruction = *access.instruction;
  bool isPlain =
      access.kind != AccessKind::Atomic && !instruction.isAtomic() && !instruction.isVolatile();
  switch (object.space) {
  case AccessSpace::Local:
  case AccessSpace::Param:
  case AccessSpace::Constant:
    return;
  case AccessSpace::Shared:
    proof_.flags |= UsesShared;
    sharedAddresses_.push_back(access.pointer->get());
    if (access.length)
      sharedAddresses_.push_back(access.length);
    sharedAccesses_.insert(&instruction);
    return;
  case AccessSpace::Global: {
    bool isRead = access.kind == AccessKind::Read;
    bool isOfParam = object.kind == Object::Kind::Param, isAtomic = isAtomicOnly(access);
    if ((!isPlain && !(isAtomic && isOfParam)) || (!isOfParam && !isRead)) {
      proof_.flags &= ~uint32_t(ProvesRaces);
      return;
    }
    if (!isOfParam)
      return;
    Use &use = uses_[object.param];
    use.isWritten |= !isRead;
    use.isOwn &= !isAtomic;
    (isAtomic ? use.isAtomic : use.isPlain) = true;
    if (use.isOwn)
      addPlace(use, access, object);
    return;
  }
  case AccessSpace::Generic:
    proof_.flags &= ~uint32_t(ProvesRaces);
    isSharedKnown_ = false;
    return;
  }
}

void Prover::look(const Access &access) {
  if (TexelAccess.isOn(*access.instruction)) {
    proof_.flags |= ReadsTexels;
    return;
  }
  Object object = objectOf(access.pointer->get());
  proveInside(access, object);
  note(access, object);
}

/// Guards `sum < bound` of numbers of threads and loops.
void Prover::writeLimits(Use &use) {
  for (const Guard &guard : *use.guards) {
    bool isEqual = guard.predicate == CmpInst::ICMP_EQ;
    bool isLess = guard.predicate == CmpInst::ICMP_SLT || guard.predicate == CmpInst::ICMP_ULT;
    if ((!isEqual && !isLess) || !guard.value->getType()->isIntegerTy() ||
        guard.value->getType()->isIntegerTy(1))
      continue;
    const BasicBlock *entry = &function_.getEntryBlock();
    std::optional<Place> sum = places_.of(guard.value, entry);
    if (!sum || sum->factors.empty() || sum->isTooLarge || guard.added ||
        !extremes_.isOfLaunch(guard.bound))
      continue;
    if (any_of(sum->factors, [&](auto &factor) { return factor.first >= ThreadDims; }))
      continue;
    uint32_t limit = nodes_.add(ProofOp::Add, extremes_.of(guard.bound, entry),
                                nodes_.number(int64_t(isEqual) - sum->constant));
    if (sum->base)
      limit = nodes_.add(ProofOp::Subtract, limit, *sum->base);
    proof_.limits.push_back(
        {limit, uint32_t(proof_.factors.size()), uint32_t(sum->factors.size()), isEqual});
    for (auto [dimension, factor] : sum->factors)
      proof_.factors.push_back({dimension, factor});
    use.fits.insert(use.fits.end(), sum->fits.begin(), sum->fits.end());
  }
}

void Prover::writePlace(const UsedPlace &used) {
  uint32_t one = nodes_.number(1), base = used.place.base.value_or(nodes_.number(0));
  proof_.places.push_back({used.isWritten, uint32_t(proof_.dims.size()),
                           uint32_t(used.place.factors.size()), base, used.low, used.high});
  for (auto [dimension, step] : used.place.factors) {
    std::optional<uint32_t> count;
    if (dimension >= FirstValueDim)
      count = dimension - FirstValueDim;
    else if (dimension >= FirstLoopDim)
      if (std::optional<uint32_t> repeats = extremes_.repeats(*places_.loopOf(dimension)))
        count = nodes_.add(ProofOp::Add, *repeats, one);
    proof_.dims.push_back({step, count.value_or(one), dimension, count.has_value()});
  }
}

void Prover::writeUse(uint32_t param, Use &use) {
  ProvenUse proven = {.param = param, .isWritten = use.isWritten, .isOwn = use.isOwn};
  proven.isAtomic = use.isAtomic && !use.isPlain;
  proven.firstPlace = uint32_t(proof_.places.size());
  proven.firstLimit = uint32_t(proof_.limits.size());
  if (use.isOwn && use.isWritten) {
    for (const UsedPlace &used : use.places)
      writePlace(used);
    proven.places = uint32_t(use.places.size());
    writeLimits(use);
    proven.limits = uint32_t(proof_.limits.size()) - proven.firstLimit;
    proven.firstFit = uint32_t(proof_.fits.size());
    std::set<std::pair<uint32_t, uint32_t>> fits;
    for (const ProvenFit &fit : use.fits)
      if (fits.insert({fit.node, fit.bits}).second)
        proof_.fits.push_back(fit);
    proven.fits = uint32_t(fits.size());
  }
  proof_.uses.push_back(proven);
}

/// Stores that data decides on do not matter if the thread has read their places in any case: then
/// these reads count as writes (insert-checks).
void Prover::findAlike() {
  SmallVector<LoadInst *, 16> loads;
  SmallVector<StoreInst *, 16> stores;
  for (Instruction &instruction : instructions(function_))
    if (sharedAccesses_.contains(&instruction)) {
      if (auto *load = dyn_cast<LoadInst>(&instruction))
        loads.push_back(load);
      else if (auto *store = dyn_cast<StoreInst>(&instruction))
        stores.push_back(store);
    }
  auto reads = findOwnReads(dominators_, loads, stores);
  auto find = [&](bool ofMemory, bool byReads) {
    AlikeBlocks alike(function_, dominators_, postDominators_, loops_,
                      ofMemory ? AlikeBlocks::By::Memory : AlikeBlocks::By::Block);
    return alike.find(sharedAddresses_, [&](const Instruction &instruction) {
      bool isShared =
          sharedAccesses_.contains(&instruction) && !(byReads && reads.contains(&instruction));
      return isShared || ordersThreads(instruction);
    });
  };
  auto decides = [&](bool byReads) { // data
    auto conditions = find(true, byReads);
    return !conditions || !conditions->empty();
  };
  bool byReads = !reads.empty() && decides(false) && !decides(true);
  auto conditions = find(false, byReads);
  if (!conditions)
    return;
  kernel_.thread.areBlocksAlikeByReads = byReads;
  proof_.flags |= BlocksAlike;
  for (Value *condition : *conditions)
    proof_.alike.push_back(extremes_.of(condition, cast<Instruction>(condition)->getParent()));
}

/// Only barriers of the block, which all of its threads come to, or none.
bool Prover::lacksSync() {
  SmallPtrSet<const Instruction *, 16> barriers;
  for (const Instruction &instruction : instructions(function_))
    if (ordersThreads(instruction)) {
      auto *call = dyn_cast<CallInst>(&instruction);
      if (call && (isWarpOperation(*call) || !isWholeBarrier(*call)))
        return false;
      if (call)
        barriers.insert(call);
    }
  if (barriers.empty())
    return true;
  AlikeBlocks alike(function_, dominators_, postDominators_, loops_, AlikeBlocks::By::Thread);
  auto conditions = alike.find(
      {}, [&](const Instruction &instruction) { return barriers.contains(&instruction); });
  return conditions && conditions->empty();
}

LaunchProofParts Prover::run() {
  if (!touchesNothingElse())
    return {};
  proof_.flags = ProvesMemory | ProvesRaces | (lacksSync() ? LacksSync : 0) | LacksFloats;
  SmallVector<Access, 32> accesses;
  for (Instruction &instruction : instructions(function_)) {
    collectAccesses(instruction, accesses);
    hasFences_ |= isa<FenceInst>(instruction);
    auto *call = dyn_cast<CallInst>(&instruction);
    if (call && callKind(*call) == CallKind::FloatCheck)
      proof_.flags &= ~uint32_t(LacksFloats);
    if (call && isSample(*call))
      proof_.flags |= ReadsTexels;
  }
  for (const Access &access : accesses)
    look(access);
  if (proof_.flags & ProvesRaces) {
    for (auto &[param, use] : uses_)
      writeUse(param, use);
    proof_.parts = places_.parts();
  }
  if (proof_.flags & UsesShared && isSharedKnown_)
    findAlike();
  if (nodes_.areTooMany())
    return {};
  proof_.nodes = nodes_.all();
  return std::move(proof_);
}

} // namespace

PreservedAnalyses ProveLaunches::run(Compilation &kernel, FunctionAnalysisManager &analyses) {
  bool isOne = none_of(kernel.module, [&](const Function &function) {
    return !function.isDeclaration() && &function != kernel.thread.body && !onlySamples(function);
  });
  if (kernel.options.checks & ~uint32_t(CheckInit | CheckWrites) && isOne)
    kernel.thread.proof = Prover(kernel, *kernel.thread.body, analyses).run();
  return PreservedAnalyses::all();
}

} // namespace heddle::simt
