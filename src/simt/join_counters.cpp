// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One counter for all warps.
//
// Problem. Sorts for GPUs let each warp of a block count on its own: where a key goes is the number
// of its digit's keys in the warps before, and its rank among those of its own warp. So warps need
// not wait for each other. Here they run one after the other in any case, and pay for it twice:
// each key is counted to be ranked, its rank is kept, and both are read again when it is stored.
//
// Method. One counter a digit that starts where the block's first key of the digit goes, and that
// each key takes and counts up, in the order of warps, rounds and lanes, gives the same places:
//
//     counters[w][t] = 0 for all w; barrier         |
//     rank[k] = atomicAdd(&counters[warp][digit[k]], 1)
//     barrier                                       |  keys[warp][k][lane] = key[k]
//     sum = start                                   |  counters[0][t] = start
//     for w: count = counters[w][t];           ->   |  barrier
//            counters[w][t] = sum; sum += count     |  if (t == 0)
//     barrier                                       |    for w, k, l: key = keys[w][k][l];
//     out[counters[warp][digit[k]] + rank[k]] =     |      out[counters[0][digit(key)]++] = key
//         key[k]                                    |
//
// What comes out is a thread program as any other: right at all widths. It is scalar code for the
// keys, as the ranking was, with two stores a key in place of three.
//
// What must hold: these are all accesses to the counters, made by all threads, once, with barriers
// between; the ranks have no other use; the rounds are alike; and the stores are the last that the
// kernel does to memory. What a store needs is computed again from what differs between the threads
// (the keys), which goes through shared memory.
#include "simt/join_counters.h"

#include "simt/alternate_tiles.h"
#include "simt/intrinsics.h"
#include "simt/normalize.h"
#include "simt/shapes.h"

#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

#include <map>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

constexpr unsigned Warp = 32;
constexpr unsigned MostStaged = 3;          ///< values of a thread and round
constexpr uint64_t LargestStage = 32 << 10; ///< bytes: they should stay in the nearest cache
constexpr unsigned LongestChain = 8;        ///< of what is computed again

auto threadIndex() { return m_Intrinsic<Intrinsic::nvvm_read_ptx_sreg_tid_x>(); }

/// shared + constant + the sum of scale * value
struct Address {
  int64_t constant = 0;
  SmallMapVector<Value *, APInt, 4> terms;
};

/// A key that a thread counts, and where it puts it.
struct Round {
  AtomicRMWInst *rank = nullptr;
  LoadInst *before = nullptr;   ///< the keys of this digit that go before the warp's
  Instruction *place = nullptr; ///< before + rank
  Value *digit = nullptr;
  SmallVector<StoreInst *, 2> stores;
};

/// The same value of all rounds.
using Row = std::vector<Value *>;

Value *withoutExtension(Value *value) {
  auto *cast = dyn_cast<CastInst>(value);
  return cast && isa<ZExtInst, SExtInst>(cast) ? cast->getOperand(0) : value;
}

bool isPure(const Instruction &instruction) {
  if (const auto *binary = dyn_cast<BinaryOperator>(&instruction))
    return !binary->isIntDivRem();
  return isa<CastInst, GetElementPtrInst, CmpInst, SelectInst>(instruction);
}

class Joining {
public:
  Joining(ThreadProgram &program, const Options &options)
      : program_(program), thread_(*program.body), shared_(*thread_.getArg(ParamShared)),
        layout_(thread_.getDataLayout()), threads_(options.blockDim[0]), warps_(threads_ / Warp),
        dominators_(thread_), postDominators_(thread_), loops_(dominators_),
        order_(thread_, loops_),
        shapes_(order_, loops_, postDominators_,
                {unsigned(PowerOf2Ceil(threads_)), options.blockDim}, /*argumentsVary=*/false) {}

  bool run() {
    if (!findAccesses(shared_) || !findRounds() || !findScan() || !findStores() || !plan())
      return false;
    rewrite();
    return true;
  }

private:
  enum class Form { Uniform, Place, Computed, Staged };

  bool findAccesses(Value &pointer);
  Address addressOf(Value *pointer) const;
  bool isApart(const Instruction &access) const;
  int rowOf(Instruction &access) const;
  bool findRounds();
  bool findScan();
  bool isScan(ArrayRef<LoadInst *> counts, ArrayRef<StoreInst *> sums);
  bool findStores();
  bool plan();
  bool plan(const Row &row, unsigned depth);
  bool mayStage(const Row &row) const;
  Row operands(const Row &row, unsigned index) const;
  void stage();
  void rewrite();
  Value *emit(const Row &row, IRBuilder<> &builder, Value *item, Value *place);
  void erase();

  /// All threads come to it, once.
  bool isSure(const Instruction &instruction) const {
    const BasicBlock *block = instruction.getParent();
    return !loops_.getLoopFor(block) && postDominators_.dominates(block, &thread_.getEntryBlock());
  }
  bool areApart(const Instruction &first, const Instruction &then) const {
    return any_of(barriers_, [&](const Instruction *barrier) {
      return dominators_.dominates(&first, barrier) && dominators_.dominates(barrier, &then);
    });
  }

  ThreadProgram &program_;
  Function &thread_;
  Argument &shared_;
  const DataLayout &layout_;
  unsigned threads_, warps_;
  DominatorTree dominators_;
  PostDominatorTree postDominators_;
  LoopInfo loops_;
  BlockOrder order_;
  Shapes shapes_;

  SmallVector<Instruction *, 32> accesses_; ///< to shared memory
  SmallVector<Instruction *, 4> barriers_;  ///< that all threads come to
  SmallVector<Round, 16> rounds_;           ///< in their order
  Type *type_ = nullptr;                    ///< of a counter
  int64_t start_ = 0, rowBytes_ = 0;        ///< of the counters
  SmallVector<StoreInst *, 8> zeros_;       ///< by row
  SmallVector<StoreInst *, 8> sums_;
  SmallVector<Instruction *, 32> tail_; ///< the places and what is made of them
  DenseMap<const Instruction *, unsigned> roundOf_;
  std::map<Row, Form> forms_;
  std::vector<Row> staged_;
  std::map<Row, Value *> emitted_, stages_;
};

/// False if a pointer to shared memory goes anywhere but into an address or a plain access.
bool Joining::findAccesses(Value &pointer) {
  for (User *user : pointer.users()) {
    auto *instruction = dyn_cast<Instruction>(user);
    if (isa_and_nonnull<GetElementPtrInst>(instruction)) {
      if (instruction->getOperand(0) != &pointer || !findAccesses(*instruction))
        return false;
    } else if (auto *rmw = dyn_cast_or_null<AtomicRMWInst>(instruction);
               rmw && rmw->getPointerOperand() == &pointer && rmw->getValOperand() != &pointer) {
      accesses_.push_back(rmw);
    } else if (instruction && getLoadStorePointerOperand(instruction) == &pointer &&
               (!isa<StoreInst>(instruction) ||
                cast<StoreInst>(instruction)->getValueOperand() != &pointer) &&
               !instruction->isVolatile() && !instruction->isAtomic()) {
      accesses_.push_back(instruction);
    } else {
      return false;
    }
  }
  return true;
}

Address Joining::addressOf(Value *pointer) const {
  Address address;
  APInt constant(64, 0);
  while (auto *gep = dyn_cast<GEPOperator>(pointer)) {
    gep->collectOffset(layout_, 64, address.terms, constant);
    pointer = gep->getPointerOperand();
  }
  address.constant = constant.getSExtValue();
  return address;
}

/// Certainly not in the counters.
bool Joining::isApart(const Instruction &access) const {
  const auto *rmw = dyn_cast<AtomicRMWInst>(&access);
  Address address = addressOf(
      const_cast<Value *>(rmw ? rmw->getPointerOperand() : getLoadStorePointerOperand(&access)));
  Type *type = rmw ? rmw->getType() : getLoadStoreType(&access);
  int64_t low = address.constant, end = low + int64_t(layout_.getTypeStoreSize(type));
  for (auto &[value, scale] : address.terms) {
    KnownBits known = computeKnownBits(value, layout_);
    if (!known.isNonNegative() || scale.isNegative() || scale.getActiveBits() > 31)
      return false;
    // An index above is beyond the array, which is the program's fault.
    uint64_t most = std::min<uint64_t>(known.getMaxValue().getLimitedValue(), 1u << 31);
    end += int64_t(most * scale.getZExtValue());
  }
  return end <= start_ || low >= start_ + int64_t(warps_) * rowBytes_;
}

/// Thread t accesses counter t of a row: which; -1 if it does not.
int Joining::rowOf(Instruction &access) const {
  Value *pointer = getLoadStorePointerOperand(&access);
  if (!pointer || getLoadStoreType(&access) != type_)
    return -1;
  Address address = addressOf(pointer);
  int64_t size = layout_.getTypeStoreSize(type_), at = address.constant - start_;
  if (address.terms.size() != 1 || at < 0 || at % rowBytes_ || at / rowBytes_ >= warps_)
    return -1;
  auto &[value, scale] = *address.terms.begin();
  return scale == size && match(withoutExtension(value), threadIndex()) ? int(at / rowBytes_) : -1;
}

/// counters[thread / 32][digit], and what is added to the rank.
bool Joining::findRounds() {
  for (Instruction &instruction : instructions(thread_))
    if (auto *call = dyn_cast<CallInst>(&instruction);
        call && callKind(*call) == CallKind::BlockBarrier && isPlainBarrier(*call) && isSure(*call))
      barriers_.push_back(call);
  for (Instruction *access : accesses_) {
    auto *rank = dyn_cast<AtomicRMWInst>(access);
    if (!rank)
      continue;
    if (rank->getOperation() != AtomicRMWInst::Add || rank->isVolatile() || !isSure(*rank) ||
        !match(rank->getValOperand(), m_One()) || !rank->hasOneUse())
      return false;
    Round round;
    round.rank = rank;
    round.place = dyn_cast<BinaryOperator>(rank->user_back());
    if (!round.place || !match(round.place, m_c_Add(m_Specific(rank),
                                                    m_Load(m_Specific(rank->getPointerOperand())))))
      return false;
    round.before = cast<LoadInst>(round.place->getOperand(round.place->getOperand(0) == rank));
    if (!round.before->hasOneUse() || !isSure(*round.before))
      return false;
    Address address = addressOf(rank->getPointerOperand());
    int64_t size = layout_.getTypeStoreSize(rank->getType()), row = 0;
    for (auto &[value, scale] : address.terms)
      if (match(withoutExtension(value), m_LShr(threadIndex(), m_SpecificInt(Log2_32(Warp)))))
        row = scale.getSExtValue();
      else if (scale == size)
        round.digit = value;
    if (address.terms.size() != 2 || !round.digit || row != int64_t(threads_) * size ||
        computeKnownBits(round.digit, layout_).getMaxValue().uge(threads_))
      return false;
    if (rounds_.empty())
      type_ = rank->getType(), start_ = address.constant, rowBytes_ = row;
    if (type_ != rank->getType() || start_ != address.constant)
      return false;
    rounds_.push_back(round);
  }
  llvm::sort(rounds_, [&](const Round &one, const Round &other) {
    return one.rank != other.rank && dominators_.dominates(one.rank, other.rank);
  });
  return !rounds_.empty();
}

/// All other accesses to the counters: zeros before the ranking, and a scan over the warps behind
/// it.
bool Joining::findScan() {
  SmallVector<LoadInst *, 8> counts(warps_);
  zeros_.resize(warps_);
  sums_.resize(warps_);
  auto take = [](auto &place, auto *access) { return std::exchange(place, access) == nullptr; };
  for (Instruction *access : accesses_) {
    if (any_of(
            rounds_,
            [&](const Round &round) { return round.rank == access || round.before == access; }) ||
        isApart(*access))
      continue;
    int row = isa<AtomicRMWInst>(access) ? -1 : rowOf(*access);
    if (row < 0 || !isSure(*access))
      return false;
    auto *store = dyn_cast<StoreInst>(access);
    if (store && match(store->getValueOperand(), m_Zero()) &&
        areApart(*store, *rounds_.front().rank)) {
      if (!take(zeros_[row], store))
        return false;
      continue;
    }
    if (!areApart(*rounds_.back().rank, *access) || !areApart(*access, *rounds_.front().before) ||
        !(store ? take(sums_[row], store) : take(counts[row], cast<LoadInst>(access))))
      return false;
  }
  return !is_contained(zeros_, nullptr) && !is_contained(sums_, nullptr) && isScan(counts, sums_);
}

/// sums[w + 1] = sums[w] + counts[w], and nobody else wants the counts, nor sums but the first.
bool Joining::isScan(ArrayRef<LoadInst *> counts, ArrayRef<StoreInst *> sums) {
  for (unsigned row = 0; row + 1 < warps_; ++row) {
    LoadInst *count = counts[row];
    Value *next = sums[row + 1]->getValueOperand();
    if (!count || !count->hasOneUse() || !dominators_.dominates(count, sums[row]) ||
        !match(next, m_c_Add(m_Specific(sums[row]->getValueOperand()), m_Specific(count))) ||
        !next->hasNUses(row + 2 < warps_ ? 2 : 1))
      return false;
  }
  return !counts.back() || counts.back()->use_empty();
}

/// What is made of the places, in one block, behind which memory is left alone.
bool Joining::findStores() {
  BasicBlock *block = rounds_.front().before->getParent();
  for (auto [one, next] : zip(rounds_, drop_begin(rounds_)))
    if (next.before->getParent() != block || !one.before->comesBefore(next.before))
      return false;
  DenseMap<const Instruction *, unsigned> places;
  for (auto [i, round] : enumerate(rounds_))
    places[round.place] = i;
  unsigned last = 0;
  for (Instruction &instruction : make_range(rounds_.front().before->getIterator(), block->end())) {
    std::optional<unsigned> round;
    if (auto place = places.find(&instruction); place != places.end())
      round = place->second;
    else
      for (const Value *operand : instruction.operands())
        if (const auto *other = dyn_cast<Instruction>(operand); other && roundOf_.contains(other)) {
          if (round && *round != roundOf_[other])
            return false;
          round = roundOf_[other];
        }
    if (!round) {
      bool isBefore = any_of(rounds_, [&](const Round &one) { return one.before == &instruction; });
      if (instruction.mayReadOrWriteMemory() && !isBefore &&
          !instruction.hasMetadata(LLVMContext::MD_invariant_load))
        return false;
      continue;
    }
    auto *store = dyn_cast<StoreInst>(&instruction);
    if (store && (!store->isSimple() || *round < last ||
                  getUnderlyingObject(store->getPointerOperand(), 0) == &shared_))
      return false;
    if (!store && (!isPure(instruction) || instruction.isTerminator()))
      return false;
    if (store)
      rounds_[last = *round].stores.push_back(store);
    roundOf_[&instruction] = *round;
    tail_.push_back(&instruction);
  }
  for (Instruction *instruction : tail_)
    if (any_of(instruction->users(),
               [&](User *user) { return !roundOf_.contains(cast<Instruction>(user)); }))
      return false;
  return all_of(depth_first(block), [&](BasicBlock *after) {
    return after == block || none_of(*after, [](const Instruction &instruction) {
             return instruction.mayReadOrWriteMemory();
           });
  });
}

Row Joining::operands(const Row &row, unsigned index) const {
  Row all;
  for (Value *value : row)
    all.push_back(cast<User>(value)->getOperand(index));
  return all;
}

/// Made by all threads, before a barrier.
bool Joining::mayStage(const Row &row) const {
  Type *type = row.front()->getType();
  return (type->isIntegerTy() || type->isFloatingPointTy()) &&
         type->getPrimitiveSizeInBits() == layout_.getTypeStoreSizeInBits(type) &&
         all_of(row, [&](Value *value) {
           auto *made = dyn_cast<Instruction>(value);
           return made && made->getType() == type && !roundOf_.contains(made) && isSure(*made) &&
                  areApart(*made, *rounds_.front().before);
         });
}

/// How the loop over all keys comes to a value; false if it cannot.
bool Joining::plan(const Row &row, unsigned depth) {
  if (forms_.contains(row))
    return true;
  auto *first = dyn_cast<Instruction>(row.front());
  bool isOne = all_equal(row);
  if (isOne && (isa<Constant, Argument>(row.front()) ||
                (first && shapes_.isUniform(first) &&
                 dominators_.dominates(first, rounds_.front().before)))) {
    forms_[row] = Form::Uniform;
    return true;
  }
  if (!all_of(row, [](Value *value) { return isa<Instruction>(value); }))
    return false;
  if (all_of(zip(row, rounds_), [](auto pair) { return get<0>(pair) == get<1>(pair).place; })) {
    forms_[row] = Form::Place;
    return true;
  }
  bool isTail = roundOf_.contains(first);
  bool isAlike = all_of(row, [&](Value *value) {
    auto *made = cast<Instruction>(value);
    return made->isSameOperationAs(first) && roundOf_.contains(made) == isTail;
  });
  if (isAlike && (isTail || isPure(*first)) && depth > 0) {
    auto forms = forms_;
    size_t staged = staged_.size();
    bool known = true;
    for (unsigned i = 0; i < first->getNumOperands(); ++i)
      known &= plan(operands(row, i), depth - 1);
    if (known) {
      forms_[row] = Form::Computed;
      return true;
    }
    forms_ = std::move(forms);
    staged_.resize(staged);
  }
  if (isTail || staged_.size() == MostStaged || !mayStage(row))
    return false;
  forms_[row] = Form::Staged;
  staged_.push_back(row);
  return true;
}

bool Joining::plan() {
  for (const Round &round : rounds_)
    if (round.stores.empty() || round.stores.size() != rounds_.front().stores.size())
      return false;
  for (unsigned i = 0; i < rounds_.front().stores.size(); ++i) {
    Row row;
    for (const Round &round : rounds_)
      row.push_back(round.stores[i]);
    if (!plan(row, LongestChain))
      return false;
  }
  Row digits;
  for (const Round &round : rounds_)
    digits.push_back(round.digit);
  uint64_t bytes = 0;
  if (!plan(digits, LongestChain))
    return false;
  for (const Row &row : staged_)
    bytes += layout_.getTypeStoreSize(row.front()->getType()) * threads_ * rounds_.size();
  return bytes <= LargestStage;
}

/// stage[warp][round][lane], behind the program's own shared memory.
void Joining::stage() {
  IRBuilder<> builder(&*thread_.getEntryBlock().getFirstInsertionPt());
  Value *index = builder.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
  Value *warp = builder.CreateLShr(index, Log2_32(Warp)),
        *lane = builder.CreateAnd(index, Warp - 1);
  Value *cell = builder.CreateAdd(builder.CreateMul(warp, builder.getInt32(rounds_.size() * Warp)),
                                  lane, "", /*HasNUW=*/true, /*HasNSW=*/true);
  cell = builder.CreateZExt(cell, builder.getInt64Ty());
  for (const Row &row : staged_) {
    Type *type = row.front()->getType();
    unsigned offset = alignTo(program_.staticShared, 64);
    program_.staticShared = offset + layout_.getTypeStoreSize(type) * threads_ * rounds_.size();
    builder.SetInsertPoint(cast<Instruction>(cell)->getNextNode());
    Value *stage = stages_[row] =
        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), &shared_, offset);
    Value *mine = builder.CreateInBoundsGEP(type, stage, cell);
    for (auto [i, value] : enumerate(row)) {
      auto *made = cast<Instruction>(value);
      builder.SetInsertPoint(*made->getInsertionPointAfterDef());
      builder.SetCurrentDebugLocation(made->getDebugLoc());
      builder.CreateStore(value, builder.CreateConstInBoundsGEP1_64(type, mine, i * Warp));
    }
  }
}

Value *Joining::emit(const Row &row, IRBuilder<> &builder, Value *item, Value *place) {
  if (Value *known = emitted_[row])
    return known;
  Form form = forms_[row];
  auto *first = row.front();
  if (form == Form::Uniform)
    return first;
  if (form == Form::Place)
    return place;
  Value *value = nullptr;
  if (form == Form::Staged) {
    value = builder.CreateLoad(first->getType(),
                               builder.CreateInBoundsGEP(first->getType(), stages_[row], item));
  } else {
    Instruction *copy = cast<Instruction>(first)->clone();
    for (Value *other : row)
      if (!isa<StoreInst>(copy))
        copy->andIRFlags(other);
    for (unsigned i = 0; i < copy->getNumOperands(); ++i)
      copy->setOperand(i, emit(operands(row, i), builder, item, place));
    builder.Insert(copy);
    value = copy;
  }
  return emitted_[row] = value;
}

void Joining::rewrite() {
  stage();
  Instruction *from = rounds_.front().before;
  BasicBlock *block = from->getParent(), *rest = SplitBlock(block, from);
  BasicBlock *loop = BasicBlock::Create(thread_.getContext(), "keys", &thread_, rest);
  IRBuilder<> builder(block->getTerminator());
  builder.SetCurrentDebugLocation(from->getDebugLoc());
  Value *index = builder.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
  builder.CreateCondBr(builder.CreateICmpEQ(index, builder.getInt32(0)), loop, rest);
  block->getTerminator()->eraseFromParent();

  builder.SetInsertPoint(loop);
  PHINode *item = builder.CreatePHI(builder.getInt64Ty(), 2);
  Row digits;
  for (const Round &round : rounds_)
    digits.push_back(round.digit);
  Value *digit = emit(digits, builder, item, nullptr);
  Value *counter = builder.CreateInBoundsGEP(
      type_, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), &shared_, start_), digit);
  Value *place = builder.CreateLoad(type_, counter);
  builder.CreateStore(builder.CreateAdd(place, ConstantInt::get(type_, 1)), counter);
  for (unsigned i = 0; i < rounds_.front().stores.size(); ++i) {
    Row row;
    for (const Round &round : rounds_)
      row.push_back(round.stores[i]);
    emit(row, builder, item, place);
  }
  Value *next = builder.CreateAdd(item, builder.getInt64(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
  builder.CreateCondBr(
      builder.CreateICmpULT(next, builder.getInt64(uint64_t(threads_) * rounds_.size())), loop,
      rest);
  item->addIncoming(builder.getInt64(0), block);
  item->addIncoming(next, loop);
  erase();
}

/// What the loop does instead.
void Joining::erase() {
  SmallVector<WeakTrackingVH, 32> dead;
  auto drop = [&](Instruction *instruction) {
    for (Value *operand : instruction->operands())
      dead.push_back(operand);
    instruction->eraseFromParent();
  };
  for (Instruction *instruction : reverse(tail_))
    drop(instruction);
  for (Round &round : rounds_) {
    round.before->eraseFromParent();
    drop(round.rank);
  }
  for (StoreInst *zero : zeros_)
    drop(zero);
  for (StoreInst *sum : reverse(drop_begin(sums_)))
    drop(sum);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
}

} // namespace

bool joinCounters(Module &module, ThreadProgram &program, const Options &options,
                  TargetMachine &machine) {
  bool isRow = options.blockDim[1] == 1 && options.blockDim[2] == 1;
  if (options.debug || !isRow || options.blockDim[0] % Warp || options.blockDim[0] <= Warp ||
      program.usesDynamicShared || program.usesFibers || program.abreast ||
      program.staticShared == 0 || !Joining(program, options).run())
    return false;
  renormalize(module, machine);
  return true;
}

} // namespace heddle::simt
