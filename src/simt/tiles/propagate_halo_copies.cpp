// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles with a rim.
//
// A stencil's block copies its cells to shared memory, each thread one; threads at the block's
// sides copy the cells beyond it too, if there are any. Then all wait, and each thread reads the
// cells around its own. A processor has the cells in its caches anyway. Where the tile fits the
// registers of a program that is the block, it is worth it all the same: each cell is loaded once
// (promote_shared.cpp, forward_shared_stores.cpp). Where it does not, it is stored to memory and
// loaded right again, shifted by a lane, and a processor forwards no load that lies across two
// stores.
//
// As in propagate_tile_copies.cpp each load from the tile becomes one from where its element was
// copied from. Here several stores may have written what one load reads in different threads, each
// under conditions of its own:
//
//     tile[tx] is read     thread 0: it has copied in[x - 1] itself, since x > 0
//                          thread t: thread t - 1 has copied in[x], its x, which is in[x - 1] here
//
// So addresses are compared as sums (thread_sums.h): one of the copied addresses, computed in the
// thread that reads, must be that of the thread that copied, or differ by the same number of bytes
// in all threads. Cells of the rim are mostly read by the formula that copied them.
//
// When is it the same value, and when may it be loaded?
//
//  - There is one barrier, outside of loops; stores come before it, loads behind it, and each place
//    has one writer. What is copied nobody writes while the kernel runs (objects.h). The barrier
//    orders nothing else: global memory is written behind it only.
//  - Whoever copied must have come to its store: the conditions of the store, in that thread, have
//    to follow from those that the reader has passed (thread_facts.h). x > 0 for thread 0 above;
//    and x - 1 < n for the others, since x < n.
//  - The address is computed in the thread that reads, where the program need not have computed it.
//    A narrow product or sum of it that is exact only for its flags must be one that the thread has
//    copied by itself, or a number that the thread that copied for it has computed too, or it might
//    wrap around here and not there.
//
// Threads of which conditions on the index alone say that they do not copy, or read, are left out;
// what else comparisons say holds for sums that do not wrap around.
//
// Not in loops (a tile a plane: the masks would go through the frame), nor where an index may wrap
// around (unsigned, blocks of 48 threads in a row), nor where the registers hold the tile, as those
// of AVX-512 mostly do.
//
// Legality (propagate-halo-copies):
//  1. There is one barrier, in no loop. [one barrier]
//  2. Before it nothing but the tile is written, and nothing is loaded that anybody may write.
//     [only the tile]
//  3. What is stored is what was loaded from global memory. [copies]
//  4. Nobody writes to the allocation that it was loaded from. [constant]
//  5. Each place has one writer. [one writer]
//  6. From what a thread that reads has passed follows that the thread that copied for it came to
//     its store. [has copied]
//  7. The address that was copied from is one of those formulas in the thread that reads, but for
//     a constant number of bytes. [same address]
//  8. Comparisons are those of whole numbers: sums that cannot wrap around; and so are the
//     extensions in addresses, in the thread that reads too. [whole numbers]
//  9. Shared memory is accessed by loads and stores that are neither volatile nor atomic.
//     [plain accesses]
#include "simt/tiles/propagate_halo_copies.h"

#include "simt/analysis/block_values.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/memory_space.h"
#include "simt/analysis/objects.h"
#include "simt/analysis/overflow.h"
#include "simt/analysis/recompute.h"
#include "simt/tiles/thread_facts.h"
#include "simt/tiles/tile_loop.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr int64_t WidestStep = 16; ///< bytes between what neighbours read

class PropagateHaloCopies {
public:
  PropagateHaloCopies(ThreadProgram &program, const Options &options)
      : program_(program), thread_(*program.body), shared_(*thread_.getArg(ParamShared)),
        options_(options), layout_(thread_.getDataLayout()), facts_(thread_),
        block_(thread_, facts_, options),
        conditions_(block_.sums, block_.tables, facts_.dominators, block_.postDominators) {}

  bool run() {
    if (!findPlainAccesses(shared_, /*andAtomics=*/false, accesses_) || !findBarrier() ||
        !ordersOnlyTile() || !findCopies() || !isMoreThanRegisters() || !findReads())
      return false;
    for (const Read &read : reads_)
      propagateCopy(read);
    dropTile();
    return true;
  }

private:
  struct Copy {
    StoreInst *store;
    LoadInst *load;
    ThreadSum address;
    BlockFacts conditions;
  };
  struct Copier {
    const Copy *copy = nullptr;
    unsigned thread = 0;
  };
  struct Read {
    LoadInst *load = nullptr;
    const Copy *like = nullptr; ///< whose address, in the reader, is that of all copiers ...
    int64_t offset = 0;         ///< ... but for so many bytes
    Align align;
  };

  bool findBarrier();
  bool ordersOnlyTile() const;
  bool isPrivate(const Instruction &access) const;
  bool findCopies();
  bool isMoreThanRegisters() const;
  bool findReads();
  std::optional<Read> findRead(LoadInst &);
  const ThreadTable *placesOf(Value &pointer);
  std::optional<int64_t> distanceOf(const Copy &, ArrayRef<Copier>);
  bool staysNear(const Copy &, const BitVector &threads) const;
  bool comesTo(const Copy &, unsigned copier, const BlockFacts &known, unsigned reader) const;
  bool isExactIn(unsigned reader, const Copy &like, const Copier &, const BlockFacts &known);
  bool isThere(Value &, Instruction &before) const;
  void propagateCopy(const Read &);
  void dropTile();

  ThreadProgram &program_;
  Function &thread_;
  Argument &shared_;
  const Options &options_;
  const DataLayout &layout_;
  LoopFacts facts_;
  BlockValues block_;
  ThreadConditions conditions_;
  SmallVector<Instruction *, 16> accesses_;
  CallInst *barrier_ = nullptr;
  std::vector<Copy> copies_;
  DenseMap<int64_t, Copier> writers_; ///< by place
  std::vector<Read> reads_;
  std::optional<ThreadSum> places_;
};

/// The only one, where all threads of the block come that go on.
bool PropagateHaloCopies::findBarrier() {
  for (Instruction &instruction : instructions(thread_)) {
    auto *call = dyn_cast<CallInst>(&instruction);
    if (!call || callKind(*call) != CallKind::BlockBarrier)
      continue;
    if (barrier_ || !isPlainBarrier(*call) || facts_.loops.getLoopFor(call->getParent()))
      return false;
    barrier_ = call;
  }
  return barrier_;
}

bool PropagateHaloCopies::isPrivate(const Instruction &access) const {
  const Value *pointer = getLoadStorePointerOperand(&access);
  return pointer && isa<AllocaInst>(getUnderlyingObject(pointer));
}

/// What threads write elsewhere they write behind the barrier, and before it they read what stays
/// the same.
bool PropagateHaloCopies::ordersOnlyTile() const {
  Objects objects(thread_, options_);
  return all_of(instructions(thread_), [&](Instruction &instruction) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    auto *call = dyn_cast<CallInst>(&instruction);
    return !instruction.mayReadOrWriteMemory() || &instruction == barrier_ ||
           is_contained(accesses_, &instruction) || isPrivate(instruction) ||
           (call && onlyComputes(*call)) ||
           (load &&
            (load->hasMetadata(LLVMContext::MD_invariant_load) || objects.isConstant(*load))) ||
           !isPotentiallyReachable(&instruction, barrier_, nullptr, &facts_.dominators,
                                   &facts_.loops);
  });
}

/// Places in shared memory, by thread.
const ThreadTable *PropagateHaloCopies::placesOf(Value &pointer) {
  places_ = block_.sums.modular(pointer);
  if (!places_ || places_->products.erase({&shared_}) == 0)
    return nullptr;
  if (places_->products.empty())
    places_->products[{}] = ThreadTable(block_.tables.threads(), 0);
  return places_->numbers();
}

bool PropagateHaloCopies::findCopies() {
  Objects objects(thread_, options_);
  std::vector<std::pair<ThreadTable, unsigned>> places;
  for (Instruction *access : accesses_) {
    auto *store = dyn_cast<StoreInst>(access);
    if (!store)
      continue;
    auto *load = dyn_cast<LoadInst>(store->getValueOperand());
    Type *type = store->getValueOperand()->getType();
    if (!load || !isGivenMemory(load->getPointerOperand()) || !objects.isConstant(*load) ||
        layout_.getTypeStoreSize(type) != layout_.getTypeAllocSize(type) ||
        facts_.loops.getLoopFor(store->getParent()) || facts_.loops.getLoopFor(load->getParent()) ||
        isPotentiallyReachable(barrier_, store, nullptr, &facts_.dominators, &facts_.loops))
      return false;
    const ThreadTable *place = placesOf(*store->getPointerOperand());
    std::optional<ThreadSum> address = block_.sums.modular(*load->getPointerOperand());
    std::optional<BlockFacts> conditions = conditions_.enoughFor(*store->getParent());
    if (!place || !address || !conditions)
      return false;
    places.push_back({*place, layout_.getTypeStoreSize(type)});
    copies_.push_back({store, load, std::move(*address), std::move(*conditions)});
  }
  for (auto [copy, place] : zip(copies_, places))
    for (unsigned thread : copy.conditions.threads.set_bits())
      if (place.second != places[0].second || place.first[thread] % place.second != 0 ||
          !writers_.try_emplace(place.first[thread], Copier{&copy, thread}).second)
        return false;
  return !copies_.empty();
}

bool PropagateHaloCopies::isMoreThanRegisters() const {
  uint64_t bits = writers_.size() * layout_.getTypeSizeInBits(copies_[0].load->getType());
  return bits > uint64_t(options_.registers.count) * options_.registers.bits;
}

bool PropagateHaloCopies::findReads() {
  for (Instruction *access : accesses_)
    if (auto *load = dyn_cast<LoadInst>(access)) {
      std::optional<Read> read = findRead(*load);
      if (!read)
        return false;
      reads_.push_back(*read);
    }
  return !reads_.empty();
}

std::optional<PropagateHaloCopies::Read> PropagateHaloCopies::findRead(LoadInst &load) {
  const ThreadTable *places = placesOf(*load.getPointerOperand());
  if (!places || !facts_.dominators.dominates(barrier_, &load))
    return std::nullopt;
  BlockFacts known = conditions_.knownIn(*load.getParent());
  std::vector<Copier> copiers(block_.tables.threads());
  Read read;
  read.load = &load;
  read.align = Align(uint64_t(1) << 32);
  for (unsigned thread : known.threads.set_bits()) {
    Copier copier = writers_.lookup((*places)[thread]);
    if (!copier.copy || copier.copy->load->getType() != load.getType() ||
        !comesTo(*copier.copy, copier.thread, known, thread))
      return std::nullopt;
    read.align = std::min(read.align, copier.copy->load->getAlign());
    copiers[thread] = copier;
  }
  auto isInput = [&](Value &value) { return isThere(value, load); };
  for (const Copy &copy : copies_) {
    std::optional<int64_t> offset = distanceOf(copy, copiers);
    if (!offset || !staysNear(copy, known.threads) ||
        !canRecompute(*copy.load->getPointerOperand(), isInput, isIndexArithmetic) ||
        (read.like && *offset != 0) || !all_of(known.threads.set_bits(), [&](unsigned thread) {
          return isExactIn(thread, copy, copiers[thread], known);
        }))
      continue;
    read.like = &copy;
    read.offset = *offset;
  }
  return read.like ? std::optional(read) : std::nullopt;
}

/// How far all copiers' addresses are from that of `copy` in the thread that reads.
std::optional<int64_t> PropagateHaloCopies::distanceOf(const Copy &copy, ArrayRef<Copier> copiers) {
  std::optional<int64_t> all;
  for (auto [thread, copier] : enumerate(copiers)) {
    if (!copier.copy)
      continue;
    std::optional<int64_t> bytes =
        block_.sums.distance(copier.copy->address, copier.thread, copy.address, thread);
    if (!bytes || (all && all != bytes))
      return std::nullopt;
    all = bytes;
  }
  return all;
}

/// The sums and products of fewer than 64 bits that `address` follows from, and that are the same
/// for all threads only if they do not wrap around.
static void collectNarrow(Value &address, BlockValues &block,
                          SmallSetVector<BinaryOperator *, 8> &narrow) {
  auto *instruction = dyn_cast<Instruction>(&address);
  if (!instruction || isa<PHINode, LoadInst, CallInst>(instruction) || block.isCommon(address))
    return;
  auto *binary = dyn_cast<BinaryOperator>(instruction);
  if (binary && binary->getType()->getScalarSizeInBits() < 64 && !narrow.insert(binary))
    return;
  for (Value *operand : instruction->operands())
    collectNarrow(*operand, block, narrow);
}

/// In `copier`, if a thread `reader` comes to where all that is known holds.
bool PropagateHaloCopies::comesTo(const Copy &copy, unsigned copier, const BlockFacts &known,
                                  unsigned reader) const {
  return copy.conditions.threads.test(copier) &&
         all_of(copy.conditions.facts, [&](const ThreadFact &fact) {
           return conditions_.follows(fact, copier, known.facts, reader);
         });
}

/// What `like` computes for its address is exact in the thread that reads.
bool PropagateHaloCopies::isExactIn(unsigned reader, const Copy &like, const Copier &copier,
                                    const BlockFacts &known) {
  SmallSetVector<BinaryOperator *, 8> mine, copied, others;
  collectNarrow(*like.load->getPointerOperand(), block_, mine);
  collectNarrow(*copier.copy->load->getPointerOperand(), block_, others);
  for (const Copy &copy : copies_)
    if (comesTo(copy, reader, known, reader))
      collectNarrow(*copy.load->getPointerOperand(), block_, copied);
  ThreadSums &sums = block_.sums;
  return all_of(mine, [&](BinaryOperator *here) {
    if (copied.contains(here) || block_.tables.of(here) || !sumOpcode(*here))
      return true;
    std::optional<ThreadSum> sum = sums.of(*here);
    return sum && any_of(others, [&](BinaryOperator *there) {
             std::optional<ThreadSum> its = sums.of(*there);
             return its && sums.distance(*sum, reader, *its, copier.thread) == 0;
           });
  });
}

bool PropagateHaloCopies::staysNear(const Copy &copy, const BitVector &threads) const {
  for (unsigned thread : threads.set_bits()) {
    if ((thread + 1) % options_.blockDim[0] == 0 || !threads.test(thread + 1))
      continue;
    std::optional<int64_t> step =
        block_.sums.distance(copy.address, thread + 1, copy.address, thread);
    if (!step || *step < 0 || *step > WidestStep)
      return false;
  }
  return true;
}

/// The value need not be computed anew in front of an instruction.
bool PropagateHaloCopies::isThere(Value &value, Instruction &before) const {
  return facts_.dominators.dominates(&value, &before);
}

void PropagateHaloCopies::propagateCopy(const Read &read) {
  IRBuilder<> builder(read.load);
  Recomputation here(builder,
                     [&](Value &value) { return isThere(value, *read.load) ? &value : nullptr; });
  Value *address = here.of(*read.like->load->getPointerOperand());
  if (read.offset != 0)
    address = builder.CreateGEP(builder.getInt8Ty(), address, builder.getInt64(read.offset));
  LoadInst *load = builder.CreateAlignedLoad(read.load->getType(), address, read.align);
  load->setAAMetadata(read.like->load->getAAMetadata());
  read.load->replaceAllUsesWith(load);
}

void PropagateHaloCopies::dropTile() {
  for (Instruction *access : accesses_)
    access->eraseFromParent();
  barrier_->eraseFromParent();
  program_.trustsObjects = true;
  if (!program_.usesDynamicShared)
    program_.staticShared = 0;
}

} // namespace

bool propagateHaloCopies(ThreadProgram &program, const Options &options) {
  if (program.staticShared == 0 && !program.usesDynamicShared)
    return false;
  return PropagateHaloCopies(program, options).run();
}

} // namespace heddle::simt
