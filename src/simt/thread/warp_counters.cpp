// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must hold: the accesses found are all to the counters, made by all threads, once, with
// barriers between; the ranks have no other use; and the stores are the last that the kernel does
// to memory.
//
// Legality (merge-warp-counters):
//  1. Each warp's counters are set to zero, each by one thread. [zeros]
//  2. The ranks are used for nothing but the places. [one use]
//  3. A key counts by one. [by one]
//  4. All threads count, under no condition. [all threads]
//  5. There is a counter for each value of a digit. [digits]
//  6. The scan makes of each warp's counters what the warps before have counted. [scan]
//  7. Barriers are between the zeros, the counting, the scan and the stores. [barriers]
//  8. The stores are the last that the kernel does to memory. [last stores]
//  9. What is stored and where to follows from the place, the thread's index, values that all
//     threads have in common, and values that were there before the last barrier or that nobody
//     overwrites. [made again]
#include "simt/thread/warp_counters.h"

#include "simt/analysis/intrinsics.h"
#include "simt/analysis/memory_space.h"
#include "simt/analysis/shape.h"

#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

auto threadIndex() { return m_Intrinsic<Intrinsic::nvvm_read_ptx_sreg_tid_x>(); }

Value *withoutExtension(Value *value) {
  auto *cast = dyn_cast<CastInst>(value);
  return cast && isa<ZExtInst, SExtInst>(cast) ? cast->getOperand(0) : value;
}

} // namespace

bool isPure(const Instruction &instruction) {
  if (const auto *binary = dyn_cast<BinaryOperator>(&instruction))
    return !binary->isIntDivRem();
  return isa<CastInst, GetElementPtrInst, CmpInst, SelectInst>(instruction);
}

WarpCounters::Address WarpCounters::termsOf(Value *pointer) const {
  Address address;
  APInt constant(64, 0);
  while (pointer != &shared) {
    auto *gep = dyn_cast<GEPOperator>(pointer);
    if (gep)
      gep->collectOffset(layout_, 64, address.terms, constant);
    pointer = cast<Operator>(pointer)->getOperand(0);
  }
  address.constant = constant.getSExtValue();
  return address;
}

/// Certainly not in the counters.
bool WarpCounters::isApart(const Instruction &access) const {
  const auto *rmw = dyn_cast<AtomicRMWInst>(&access);
  Address address = termsOf(
      const_cast<Value *>(rmw ? rmw->getPointerOperand() : getLoadStorePointerOperand(&access)));
  Type *accessed = rmw ? rmw->getType() : getLoadStoreType(&access);
  int64_t low = address.constant, end = low + int64_t(layout_.getTypeStoreSize(accessed));
  for (auto &[value, scale] : address.terms) {
    KnownBits known = computeKnownBits(value, layout_);
    if (!known.isNonNegative() || scale.isNegative() || scale.getActiveBits() > 31)
      return false;
    // An index above is beyond the array, which is the program's fault.
    uint64_t most = std::min<uint64_t>(known.getMaxValue().getLimitedValue(), 1u << 31);
    end += int64_t(most * scale.getZExtValue());
  }
  return end <= start || low >= start + int64_t(warps_) * rowBytes_;
}

/// Thread t accesses counter t of a row: which; -1 if it does not.
int WarpCounters::rowOf(Instruction &access) const {
  Value *pointer = getLoadStorePointerOperand(&access);
  if (!pointer || getLoadStoreType(&access) != type)
    return -1;
  Address address = termsOf(pointer);
  int64_t size = layout_.getTypeStoreSize(type), at = address.constant - start;
  if (address.terms.size() != 1 || at < 0 || at % rowBytes_ || at / rowBytes_ >= warps_)
    return -1;
  auto &[value, scale] = *address.terms.begin();
  return scale == size && match(withoutExtension(value), threadIndex()) ? int(at / rowBytes_) : -1;
}

/// A rank by counters[thread / 32][digit], to which what is before the warp is added.
bool WarpCounters::findRound(AtomicRMWInst &rank) {
  if (rank.getOperation() != AtomicRMWInst::Add || rank.isVolatile() || !isSure(rank) ||
      !match(rank.getValOperand(), m_One()) || !rank.hasOneUse())
    return false;
  Round round;
  round.rank = &rank;
  round.place = dyn_cast<BinaryOperator>(rank.user_back());
  if (!round.place ||
      !match(round.place, m_c_Add(m_Specific(&rank), m_Load(m_Specific(rank.getPointerOperand())))))
    return false;
  round.before = cast<LoadInst>(round.place->getOperand(round.place->getOperand(0) == &rank));
  if (!round.before->hasOneUse() || !isSure(*round.before))
    return false;
  Address address = termsOf(rank.getPointerOperand());
  int64_t size = layout_.getTypeStoreSize(rank.getType()), row = 0;
  for (auto &[value, scale] : address.terms)
    if (match(withoutExtension(value), m_LShr(threadIndex(), m_SpecificInt(Log2_32(WarpSize)))))
      row = scale.getSExtValue();
    else if (scale == size)
      round.digit = value;
  if (address.terms.size() != 2 || !round.digit || row != int64_t(threads) * size ||
      computeKnownBits(round.digit, layout_).getMaxValue().uge(threads))
    return false;
  if (rounds.empty()) {
    type = rank.getType();
    start = address.constant;
    rowBytes_ = row;
  }
  rounds.push_back(round);
  return type == rank.getType() && start == address.constant;
}

bool WarpCounters::findRounds() {
  for (Instruction &instruction : instructions(thread_))
    if (auto *call = dyn_cast<CallInst>(&instruction);
        call && callKind(*call) == CallKind::BlockBarrier && isPlainBarrier(*call) && isSure(*call))
      barriers_.push_back(call);
  for (Instruction *access : accesses_)
    if (auto *rank = dyn_cast<AtomicRMWInst>(access); rank && !findRound(*rank))
      return false;
  llvm::sort(rounds, [&](const Round &one, const Round &other) {
    return one.rank != other.rank && facts.dominators.dominates(one.rank, other.rank);
  });
  return !rounds.empty();
}

/// All other accesses to the counters: zeros before the ranking, and a scan over the warps behind
/// it.
bool WarpCounters::findScan() {
  SmallVector<LoadInst *, 8> counts(warps_);
  zeros.resize(warps_);
  sums.resize(warps_);
  auto take = [](auto &place, auto *access) { return std::exchange(place, access) == nullptr; };
  for (Instruction *access : accesses_) {
    if (any_of(
            rounds,
            [&](const Round &round) { return round.rank == access || round.before == access; }) ||
        isApart(*access))
      continue;
    int row = isa<AtomicRMWInst>(access) ? -1 : rowOf(*access);
    if (row < 0 || !isSure(*access))
      return false;
    auto *store = dyn_cast<StoreInst>(access);
    if (store && match(store->getValueOperand(), m_Zero()) &&
        areApart(*store, *rounds.front().rank)) {
      if (!take(zeros[row], store))
        return false;
      continue;
    }
    if (!areApart(*rounds.back().rank, *access) || !areApart(*access, *rounds.front().before) ||
        !(store ? take(sums[row], store) : take(counts[row], cast<LoadInst>(access))))
      return false;
  }
  return !is_contained(zeros, nullptr) && !is_contained(sums, nullptr) && isScan(counts);
}

/// sums[w + 1] = sums[w] + counts[w], and nobody else wants the counts, nor sums but the first.
bool WarpCounters::isScan(ArrayRef<LoadInst *> counts) {
  for (unsigned row = 0; row + 1 < warps_; ++row) {
    LoadInst *count = counts[row];
    Value *next = sums[row + 1]->getValueOperand();
    if (!count || !count->hasOneUse() || !facts.dominators.dominates(count, sums[row]) ||
        !match(next, m_c_Add(m_Specific(sums[row]->getValueOperand()), m_Specific(count))) ||
        !next->hasNUses(row + 2 < warps_ ? 2 : 1))
      return false;
  }
  return !counts.back() || counts.back()->use_empty();
}

/// An instruction that needs the place of one round's key. False if the pass cannot make it again.
bool WarpCounters::takeIntoTail(Instruction &instruction, unsigned round, unsigned &last) {
  auto *store = dyn_cast<StoreInst>(&instruction);
  if (store && (!store->isSimple() || round < last ||
                getUnderlyingObject(store->getPointerOperand(), 0) == &shared))
    return false;
  if (!store && (!isPure(instruction) || instruction.isTerminator()))
    return false;
  if (store)
    rounds[last = round].stores.push_back(store);
  roundOf[&instruction] = round;
  tail.push_back(&instruction);
  return true;
}

/// Memory is left alone behind it.
bool WarpCounters::isEnd(const BasicBlock &block) const {
  return all_of(depth_first(&block), [&](const BasicBlock *after) {
    return after == &block || none_of(*after, [](const Instruction &instruction) {
             return instruction.mayReadOrWriteMemory();
           });
  });
}

/// What is made of the places, in one block.
bool WarpCounters::findStores() {
  BasicBlock *block = rounds.front().before->getParent();
  DenseMap<const Instruction *, unsigned> roundsOf; // of places
  for (auto [i, round] : enumerate(rounds)) {
    if (round.before->getParent() != block ||
        (i > 0 && !rounds[i - 1].before->comesBefore(round.before)))
      return false;
    roundsOf[round.place] = i;
  }
  unsigned last = 0;
  for (Instruction &instruction : make_range(rounds.front().before->getIterator(), block->end())) {
    SmallSet<unsigned, 2> needed;
    if (auto place = roundsOf.find(&instruction); place != roundsOf.end())
      needed.insert(place->second);
    else
      for (const Value *operand : instruction.operands())
        if (const auto *other = dyn_cast<Instruction>(operand); other && roundOf.contains(other))
          needed.insert(roundOf[other]);
    if (needed.empty()) {
      bool isBefore = any_of(rounds, [&](const Round &one) { return one.before == &instruction; });
      if (instruction.mayReadOrWriteMemory() && !isBefore &&
          !instruction.hasMetadata(LLVMContext::MD_invariant_load))
        return false;
    } else if (needed.size() > 1 || !takeIntoTail(instruction, *needed.begin(), last)) {
      return false;
    }
  }
  bool staysInTail = all_of(tail, [&](const Instruction *instruction) {
    return all_of(instruction->users(),
                  [&](const User *user) { return roundOf.contains(cast<Instruction>(user)); });
  });
  return staysInTail && isEnd(*block);
}

bool WarpCounters::find() {
  return findPlainAccesses(shared, /*andAtomics=*/true, accesses_) && findRounds() && findScan() &&
         findStores();
}

} // namespace heddle::simt
