// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which accesses of a kernel lie outside of the object that they mean?
//
// Method. An address is followed back to the object that it is computed from, as C++ means it:
// through offsets, casts and joins. The check that is put in front of the access compares it with
// that object's bounds. So an access that lands in another allocation, or in the next variable of
// shared memory, is outside, too.
//
//     object                          bounds
//     a pointer parameter             those of the allocation, found once a launch (Launch::check)
//     a variable (global, shared)     its size
//     dynamic shared memory           what the launch asks for
//     a local variable                its size
//     a parameter given by value      its size
//     anything else                   not known: the device looks up the allocation at the address
//
// Not known are pointers that were loaded, made from numbers, given to functions that stayed, and
// joins of several objects. A pointer that was moved by a difference of addresses (`a + (b - a)`)
// counts as not known: it may mean the other object.
//
// Accesses of the device library are not checked where the user has no part in the address: to
// descriptors of textures, and through them, where hardware keeps inside.
//
// An access that is certain, at a constant place inside a local variable, is not checked. Where
// nothing but bounds is looked for, neither is one that is inside of a variable for all threads.
#include "simt/check/insert_checks.h"

#include "base/abi/check_abi.h"
#include "base/abi/kernel_abi.h"
#include "frontend/variable_note.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/pass_notes.h"
#include "simt/check/accesses.h"
#include "simt/check/certain_accesses.h"
#include "simt/check/param_uses.h"
#include "simt/check/pointer_roots.h"
#include "simt/check/proof/alike_blocks.h"
#include "simt/check/proof/own_reads.h"
#include "simt/check/taken_locks.h"
#include "simt/compilation.h"
#include "simt/lower/special_registers.h"
#include "simt/progress/decided_blocks.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <optional>

using namespace llvm;
using heddle::frontend::VariableNote;

namespace heddle::simt {

namespace {

/// An object in memory, as far as the program tells.
struct Object {
  Value *low = nullptr;   ///< null: not known
  Value *bytes = nullptr; ///< i64
  AccessSpace space = AccessSpace::Generic;
  StringRef name = {};
  uint8_t param = NoCheckedParam;
  Value *root = nullptr; ///< what pointers into it are computed from; null: several values
};

bool isOfTexel(const Access &access) { return TexelAccess.isOn(*access.instruction); }

class Inserter {
public:
  Inserter(Compilation &kernel, Function &function, ScalarEvolution &scev, ParamUses &uses,
           bool tellsOfOrder, bool takesLocks)
      : kernel_(kernel), function_(function), scev_(scev), uses_(uses),
        layout_(function.getDataLayout()), tellsOfOrder_(tellsOfOrder), takesLocks_(takesLocks),
        entry_(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()) {}

  bool run() {
    SmallVector<Access, 32> accesses;
    for (Instruction &instruction : instructions(function_))
      collectAccesses(instruction, accesses);
    if (!(kernel_.options.checks & CheckRaces))
      erase_if(accesses, isOfTexel);
    findGuesses();
    for (Access &access : accesses) {
      use(access);
      if (access.instruction->isVolatile() && isPolled(*access.instruction))
        polled_.insert(objectOf(access.pointer->get()).low);
    }
    if (kernel_.thread.areBlocksAlikeByReads && &function_ == kernel_.thread.body)
      findReadsThatMayWrite(accesses);
    for (Access &access : accesses)
      check(access);
    return !accesses.empty();
  }

private:
  void use(const Access &);
  void check(Access &);
  bool isCertain(const Access &) const;
  void findGuesses();
  void findReadsThatMayWrite(ArrayRef<Access>);
  bool isPolled(const Instruction &);
  bool mayBeEarly(const Access &) const;
  uint8_t orderOf(const Access &, AccessSpace);
  void tellBehind(IRBuilder<> &, Instruction &);
  Object objectOf(Value *pointer);
  Object objectAt(Value *root);
  Object ofParam(LoadInst &);
  Value *entryField(Value *object, uint64_t offset, Type *);

  Compilation &kernel_;
  Function &function_;
  ScalarEvolution &scev_;
  ParamUses &uses_;
  const DataLayout &layout_;
  bool tellsOfOrder_;  ///< OrderTold
  bool takesLocks_;    ///< the module does
  Instruction *entry_; ///< where what is computed once goes
  DenseMap<Value *, Object> objects_;
  SmallPtrSet<const Value *, 4> polled_;         ///< Object::low of what a loop waits for
  SmallPtrSet<const Instruction *, 4> mayWrite_; ///< OrderMayWrite
  SmallPtrSet<const Instruction *, 4> guesses_;  ///< loads that only a compare-and-swap relies on
  std::optional<DominatorTree> dominators_;
  std::optional<LoopInfo> loops_;
  std::optional<PostDominatorTree> ends_;
};

Object Inserter::objectOf(Value *pointer) {
  Object found;
  bool isFirst = true;
  bool isOne = forEachRoot(pointer, [&](Value *root) {
    Object object = objectAt(root);
    if (!object.low || (!isFirst && object.low != found.low))
      return false;
    found = object;
    found.root = isFirst ? root : nullptr;
    isFirst = false;
    return true;
  });
  return isOne ? found : Object();
}

Value *Inserter::entryField(Value *object, uint64_t offset, Type *type) {
  IRBuilder<> builder(entry_);
  return loadField(builder, type, object, offset, /*invariant=*/true);
}

Object Inserter::ofParam(LoadInst &load) {
  auto param = kernel_.thread.paramLoads.find(&load);
  if (param == kernel_.thread.paramLoads.end())
    return {};
  size_t number = checkedParam(kernel_.thread.checkedParams, param->second);
  uint64_t slot = number * sizeof(Bounds);
  Type *pointer = PointerType::get(function_.getContext(), 0);
  Value *check = entryField(function_.getArg(ParamLaunch), offsetof(Launch, check), pointer);
  Value *bounds = entryField(check, offsetof(CheckedLaunch, bounds), pointer);
  return {
      entryField(bounds, slot + offsetof(Bounds, low), pointer),
      entryField(bounds, slot + offsetof(Bounds, bytes), Type::getInt64Ty(function_.getContext())),
      AccessSpace::Global,
      {},
      uint8_t(std::min<size_t>(number, NoCheckedParam))};
}

Object Inserter::objectAt(Value *root) {
  auto known = objects_.find(root);
  if (known != objects_.end())
    return known->second;
  Object object;
  Type *i64 = Type::getInt64Ty(function_.getContext());
  if (auto *alloca = dyn_cast<AllocaInst>(root)) {
    if (std::optional<TypeSize> bytes = alloca->getAllocationSize(layout_))
      object = {alloca, ConstantInt::get(i64, bytes->getFixedValue()), AccessSpace::Local,
                alloca->getName()};
  } else if (auto *load = dyn_cast<LoadInst>(root)) {
    object = ofParam(*load);
  }
  if (auto *address = dyn_cast<Instruction>(root))
    if (auto variable = VariableNote::get(*address)) {
      object = {address, nullptr, variable->space, variable->name};
      if (variable->isDynamic) {
        Value *all = entryField(function_.getArg(ParamLaunch), offsetof(Launch, sharedBytes),
                                Type::getInt32Ty(function_.getContext()));
        IRBuilder<> builder(entry_);
        object.bytes =
            builder.CreateSub(builder.CreateZExt(all, i64), builder.getInt64(variable->bytes));
      } else {
        object.bytes = ConstantInt::get(i64, variable->bytes);
      }
    }
  return objects_[root] = object;
}

/// A constant place in a local variable.
bool Inserter::isCertain(const Access &access) const {
  APInt offset(64, 0);
  const Value *base =
      access.pointer->get()->stripAndAccumulateConstantOffsets(layout_, offset, true);
  const auto *alloca = dyn_cast<AllocaInst>(base);
  std::optional<TypeSize> bytes = alloca ? alloca->getAllocationSize(layout_) : std::nullopt;
  return bytes && !access.length && offset.isNonNegative() &&
         offset.getZExtValue() + access.bytes <= bytes->getFixedValue();
}

/// The plain load in front of a loop with a compare-and-swap: if what it reads is not there any
/// more, the swap fails.
///
///     seen = *p;  do { assumed = seen; seen = atomicCAS(p, assumed, f(assumed)); } while (...);
void Inserter::findGuesses() {
  // Swaps of 16 bytes, by their object and by the call of the header's function that makes one.
  DenseMap<std::tuple<const Value *, DISubprogram *, DILocation *>, int64_t> wide;
  auto placeOf = [&](Instruction &instruction, int64_t &offset) {
    APInt bytes(64, 0);
    const Value *base = instruction.getOperand(0)->stripAndAccumulateConstantOffsets(
        layout_, bytes, /*AllowNonInbounds=*/true);
    offset = bytes.getSExtValue();
    DILocation *location = instruction.getDebugLoc();
    return std::tuple(base, location ? location->getScope()->getSubprogram() : nullptr,
                      location ? location->getInlinedAt() : nullptr);
  };
  int64_t offset;
  for (Instruction &instruction : instructions(function_))
    if (auto *call = dyn_cast<CallInst>(&instruction);
        call && callKind(*call) == CallKind::Cas128) {
      auto place = placeOf(*call, offset);
      wide[place] = offset;
    }
  for (Instruction &instruction : instructions(function_))
    if (isa<LoadInst>(instruction) && !wide.empty())
      if (auto at = wide.find(placeOf(instruction, offset));
          at != wide.end() && offset >= at->second && offset < at->second + 16)
        guesses_.insert(&instruction);
  for (Instruction &instruction : instructions(function_)) {
    auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction);
    if (!swap)
      continue;
    const Value *place = swap->getPointerOperand()->stripPointerCasts();
    SmallVector<const Value *, 8> open = {swap->getCompareOperand()};
    SmallPtrSet<const Value *, 8> seen;
    while (!open.empty()) {
      const auto *value = dyn_cast<Instruction>(open.pop_back_val());
      if (!value || !seen.insert(value).second)
        continue;
      if (auto *load = dyn_cast<LoadInst>(value)) {
        if (load->getPointerOperand()->stripPointerCasts() == place)
          guesses_.insert(load);
      } else if (isa<PHINode, CastInst, FreezeInst>(value)) {
        append_range(open, value->operand_values());
      }
    }
  }
}

/// What the proof says of blocks must hold for the code as it is now, too
/// (proof/prove_launches.cpp).
void Inserter::findReadsThatMayWrite(ArrayRef<Access> accesses) {
  SmallVector<LoadInst *, 16> loads;
  SmallVector<StoreInst *, 16> stores;
  SmallVector<Value *, 16> addresses;
  SmallPtrSet<const Instruction *, 16> shared;
  bool isKnown = true;
  for (const Access &access : accesses) {
    AccessSpace space = objectOf(access.pointer->get()).space;
    isKnown &= space != AccessSpace::Generic;
    if (space != AccessSpace::Shared)
      continue;
    addresses.push_back(access.pointer->get());
    shared.insert(access.instruction);
    if (auto *load = dyn_cast<LoadInst>(access.instruction))
      loads.push_back(load);
    else if (auto *store = dyn_cast<StoreInst>(access.instruction))
      stores.push_back(store);
  }
  DominatorTree dominators(function_);
  auto reads = findOwnReads(dominators, loads, stores);
  PostDominatorTree ends(function_);
  LoopInfo loops(dominators);
  AlikeBlocks alike(function_, dominators, ends, loops, AlikeBlocks::By::Memory);
  auto conditions = alike.find(addresses, [&](const Instruction &instruction) {
    return (shared.contains(&instruction) && !reads.contains(&instruction)) ||
           ordersThreads(instruction);
  });
  if (!isKnown || !conditions || !conditions->empty()) {
    kernel_.thread.proof.flags &= ~uint32_t(BlocksAlike);
    return;
  }
  for (auto &[store, load] : reads)
    mayWrite_.insert(load);
}

/// In a loop that gives way (progress/polls), for whether it goes on.
bool Inserter::isPolled(const Instruction &instruction) {
  auto givesWay = [](const Instruction &one) {
    const auto *call = dyn_cast<CallInst>(&one);
    return call && callKind(*call) == CallKind::Yield;
  };
  if (!loops_) {
    dominators_.emplace(function_);
    loops_.emplace(*dominators_);
    ends_.emplace(function_);
  }
  for (const Loop *loop = loops_->getLoopFor(instruction.getParent()); loop;
       loop = loop->getParentLoop())
    if (any_of(loop->blocks(), [&](const BasicBlock *block) { return any_of(*block, givesWay); }) &&
        decidesEnd(instruction, *loop, *ends_))
      return true;
  return false;
}

/// All that is made of a value is chosen or dropped by a condition.
bool isOnlyChosen(const Value &value, unsigned depth = 6) {
  return !value.use_empty() && all_of(value.uses(), [&](const Use &use) {
    const auto *user = cast<Instruction>(use.getUser());
    if (isa<SelectInst>(user))
      return use.getOperandNo() != 0;
    return depth && isSafeToSpeculativelyExecute(user) && !isa<PHINode, LoadInst>(user) &&
           isOnlyChosen(*user, depth - 1);
  });
}

/// A load that the compiler may have brought before a branch, since it knows that it cannot fault,
/// so that threads make it that need nothing of it.
///
///     if (thread == 0) x = total;    ->    x' = load total;  x = thread == 0 ? x' : x
bool Inserter::mayBeEarly(const Access &access) const {
  if (access.kind != AccessKind::Read || !isa<LoadInst>(access.instruction) ||
      access.instruction->isVolatile() || access.instruction->isAtomic())
    return false;
  APInt offset(64, 0);
  const Value *base =
      access.pointer->get()->stripAndAccumulateConstantOffsets(layout_, offset, true);
  const auto *root = dyn_cast<Instruction>(base);
  return root && VariableNote::get(*root) && isOnlyChosen(*access.instruction);
}

/// Of PTX's .cg and __ldcg(), with which libraries read and write flags.
bool isWatched(const Instruction &instruction) {
  return instruction.hasMetadata("heddle.watched") ||
         (isa<LoadInst>(instruction) && instruction.hasMetadata(LLVMContext::MD_nontemporal));
}

uint8_t Inserter::orderOf(const Access &access, AccessSpace space) {
  const Instruction &instruction = *access.instruction;
  AtomicOrdering order = AtomicOrdering::NotAtomic;
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    order = load->getOrdering();
  else if (auto *store = dyn_cast<StoreInst>(&instruction))
    order = store->getOrdering();
  else if (auto *rmw = dyn_cast<AtomicRMWInst>(&instruction))
    order = rmw->getOrdering();
  else if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction))
    order = swap->getMergedOrdering();
  uint8_t bits = 0;
  if (access.kind == AccessKind::Atomic || guesses_.contains(&instruction) ||
      order != AtomicOrdering::NotAtomic || instruction.isVolatile() || isWatched(instruction) ||
      (isa<CallInst>(instruction) && !isa<MemIntrinsic>(instruction)))
    bits |= OrderStrong;
  if (isAcquireOrStronger(order))
    bits |= OrderAcquire;
  if (isReleaseOrStronger(order))
    bits |= OrderRelease;
  if (instruction.isVolatile() && polled_.contains(objectOf(access.pointer->get()).low))
    bits |= OrderPolled;
  if (tellsOfOrder_ && findTakenLock(instruction))
    bits |= OrderTakes | OrderTold;
  else if (tellsOfOrder_ && bits & OrderStrong &&
           (space == AccessSpace::Generic || space == AccessSpace::Global ||
            (takesLocks_ && isa<AtomicRMWInst>(instruction))))
    bits |= OrderTold;
  if (mayWrite_.contains(&instruction))
    return bits | OrderMayWrite;
  if (mayBeEarly(access))
    bits |= OrderMaybeUnused;
  return bits;
}

void Inserter::use(const Access &access) {
  Object object = objectOf(access.pointer->get());
  if (object.param != NoCheckedParam)
    return uses_.add(object.param, access.pointer->get(), object.root, access.kind, access.bytes);
  bool isApart = object.space == AccessSpace::Local || object.space == AccessSpace::Shared ||
                 object.space == AccessSpace::Param || object.space == AccessSpace::Constant;
  if (!isApart)
    uses_.addUnknown(access.kind);
}

void Inserter::tellBehind(IRBuilder<> &builder, Instruction &instruction) {
  std::optional<TakenLock> lock = findTakenLock(instruction);
  if (!lock) {
    emitHappened(builder, builder.getFalse(), builder.getInt64(0));
    return;
  }
  Value *isTaken =
      isa<AtomicCmpXchgInst>(instruction)
          ? builder.CreateExtractValue(&instruction, 1)
          : builder.CreateICmpEQ(&instruction, ConstantInt::get(instruction.getType(), lock->free));
  emitHappened(builder, isTaken, builder.getInt64(lock->free));
}

void Inserter::check(Access &access) {
  if (isCertain(access))
    return;
  constexpr uint32_t Others = CheckSync | CheckFloat | CheckCancellation; // ask nothing of accesses
  if (!(kernel_.options.checks & ~(CheckMemory | Others)) && !access.length &&
      isSurelyInside(access.pointer->get(), access.bytes, access.align, kernel_.options, scev_,
                     layout_))
    return;
  IRBuilder<> builder(access.instruction);
  Value *pointer = access.pointer->get();
  Object object = objectOf(pointer);
  Value *plain = builder.CreateAddrSpaceCast(pointer, builder.getPtrTy());
  Value *length = access.length ? builder.CreateZExtOrTrunc(access.length, builder.getInt64Ty())
                                : builder.getInt64(access.bytes);
  if (isOfTexel(access))
    object.low = plain, object.bytes = length, object.space = AccessSpace::Global;
  else if (object.low)
    object.low = IRBuilder<>(entry_).CreateAddrSpaceCast(object.low, builder.getPtrTy());
  CallInst *call = emitCheck(builder, plain, length, object.low, object.bytes);
  uint8_t order = orderOf(access, object.space);
  CheckedSite.put(*call, {access.bytes, access.align, access.kind, object.space,
                          access.instruction->isVolatile(), object.name, order,
                          scopeOf(*access.instruction), object.param});
  access.pointer->set(builder.CreateAddrSpaceCast(call, pointer->getType()));
  builder.SetInsertPoint(access.instruction->getNextNode());
  builder.SetCurrentDebugLocation(access.instruction->getDebugLoc());
  if (order & OrderTold)
    tellBehind(builder, *access.instruction);
  if (access.kind != AccessKind::Read)
    emitChecked(builder, plain, call);
}

/// Else threads learn nothing of each other by flags and locks.
bool releasesAnything(const Module &module) {
  auto isRelease = [](const Instruction &instruction) {
    if (auto *call = dyn_cast<CallInst>(&instruction))
      return callKind(*call) == CallKind::MbarrierChange;
    auto *rmw = dyn_cast<AtomicRMWInst>(&instruction);
    auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction);
    auto *store = dyn_cast<StoreInst>(&instruction);
    return (rmw && isReleaseOrStronger(rmw->getOrdering())) ||
           (swap && isReleaseOrStronger(swap->getMergedOrdering())) ||
           (store && isReleaseOrStronger(store->getOrdering()));
  };
  return hasFences(module) || any_of(module, [&](const Function &function) {
           return any_of(instructions(function), isRelease);
         });
}

} // namespace

PreservedAnalyses InsertChecks::run(Compilation &kernel, FunctionAnalysisManager &analyses) {
  if (!(kernel.options.checks & (CheckMemory | ChecksOfAll)))
    return PreservedAnalyses::all();
  bool any = false, isOne = true;
  bool tellsOfOrder = kernel.options.checks & CheckRaces && releasesAnything(kernel.module);
  bool takesLocks = tellsOfOrder && any_of(kernel.module, [](const Function &function) {
                      return any_of(instructions(function), findTakenLock);
                    });
  ParamUses uses(kernel.options.blockDim,
                 {kernel.thread.body->getArg(ParamBlockX), nullptr, nullptr});
  for (Function &function : kernel.module)
    if (!function.isDeclaration()) {
      any |= Inserter(kernel, function, analyses.getResult<ScalarEvolutionAnalysis>(function), uses,
                      tellsOfOrder, takesLocks)
                 .run();
      isOne &= &function == kernel.thread.body;
    }
  std::vector<uint32_t> &params = kernel.thread.checkedParams;
  for (size_t i = 0; isOne && i < params.size() && i < NoCheckedParam; ++i)
    params[i] |= uint32_t(uses.of(unsigned(i))) << ParamUseShift;
  return changed(any);
}

} // namespace heddle::simt
