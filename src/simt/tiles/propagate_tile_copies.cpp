// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that need not be.
//
// A kernel for a GPU copies what a block will read many times from global to shared memory, a tile
// a round, and waits until the tile is there and again until all have read it. A processor has
// caches. The copies are work, at each barrier the sums of all threads go to memory and come back,
// and between two barriers there are too few products to hide what the loads take.
//
// So a load from the tile becomes a load from where the element was copied from. Which thread has
// copied it? The block's shape is known, and the place that a thread stores to follows from its
// index: we compute the places of all threads and have for each place the thread that writes it.
// Likewise the places that all threads load from (a loop's variable, as in tile[y][k], is one more
// coordinate). So for each load there is a table, in which every thread finds the one that copied
// for it. The copied address, computed anew for that other thread, is the address to load from:
//
//     tileA[y][x] = a[(row + y) * n + start + x];           (a) thread (x, y) copies for ...
//     ... tileA[y][k]  ->  a[(row + y) * n + start + k]     (b) ... which reads what (k, y) copied
//
// What depends on the thread's index alone is taken from the table and written as a sum of digits
// of coordinates again (thread_tables.h); what all threads have in common stays; instructions
// between are cloned. That other thread has executed them in this round, so what their flags
// promise (no overflow) holds, and it has loaded from that address, so no address is new.
//
// When is it the same value?
//
//  - Each round every thread of the block stores before the barrier and loads behind it, and no two
//    threads store to one place. Then what is loaded was stored in this round.
//  - Nothing writes memory before or in the loop but these stores. Behind it something may (the
//    result, which may lie where the operands were): one barrier stays, behind the loop, unless
//    the launch says that it does not (objects.h).
//
// When does it pay? Where elements are read several times, over many rounds, and neighbours still
// read neighbours: from a tile that was stored transposed, or that lanes read by columns, they do
// not. Not where a block is one program with all sums in registers: no barrier costs it anything,
// and a tile has what a step multiplies side by side. And not where the rows that a block walks
// down lie in too many pages, or share the same places of the caches; that is seen at run time
// only, so there are two loops (askForRows, split_guarded_loops.cpp).
//
// A thread with many sums has them not all in registers: its program goes from slice to slice and
// not down the whole matrix. What all programs of a block read of a slice they read while it is
// near, and a tile has it side by side. So only those of its tiles go of which 16 neighbouring
// threads read the same element; the waits stay. Values that were fetched a round ahead are where
// the loop's first ones were, moved by as much as each round moves. Each row is a pointer that
// walks: computed anew in each turn of a program, it would be late.
//
// By the numbers: tiles whose elements are read 16 times and more go where the rows that a block
// walks down lie in at most 1,280 pages, and the largest power of two that divides their distance,
// times their number, is at most 1 MB. Not where elements are read less than four times, nor where
// a thread has 2 to 7 sums (under guards 2 and more; a guard costs such a thread little).
//
// Not done: tiles whose pointers walk (`a += 16`), and guards that compare with anything but a
// value that all threads have in common. Where an index may wrap around from round to round
// (unsigned numbers with a pitch that only the host knows), the address is computed anew in each
// round.
//
// Legality (propagate-tile-copies):
//  1. In each round every thread of the block stores to the tiles before the barrier, under no
//     condition. [all copy]
//  2. Each place has one writer in a round. [one writer]
//  3. Each load comes behind that barrier and before the next one, and all places that threads
//     load from were stored to in this round. [same round]
//  4. What is stored was loaded from global memory in this round, or in the round before at a
//     constant distance, and is not changed. [copies]
//  5. Nothing else in the loop writes memory, or waits. [writes in the loop]
//  6. Nothing that is executed before the loop writes memory. [writes before]
//  7. Where something behind the loop writes memory that is not known to be another allocation, or
//     tells others that they may (an atomic, a fence), a barrier stays behind the loop.
//     [writes behind]
//  8. The threads of the block leave the loop together ... [left together]
//  9. ... and all of them enter it. [entered together]
//  10. Shared memory is accessed in the loop only (or in the loop that does the rounds that are
//     left), by loads and stores that are neither volatile nor atomic. [other accesses]
//  11. The address that another thread copied from can be computed: it follows from the thread's
//     index, and from what all threads have in common, without loads. [known address]
//  12. What is loaded has the size of what was stored. [same size]
//  13. An address is counted from round to round only if it goes up by the same number of bytes
//     modulo 2^64 (no index is extended that may wrap around in between) and follows from what is
//     known in front of the loop. In front of it nothing is loaded that the loop may not come to
//     load. [step of rounds]
#include "simt/tiles/propagate_tile_copies.h"

#include "simt/analysis/intrinsics.h"
#include "simt/analysis/memory_space.h"
#include "simt/analysis/objects.h"
#include "simt/tiles/copied_addresses.h"
#include "simt/tiles/reroll_sums.h"
#include "simt/tiles/tile_copies.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned FewestReads = 4;     ///< of an element; below, the tile is worth it
constexpr unsigned OftenReads = 16;     ///< so often that a tile is a good place
constexpr unsigned FewestRounds = 4;    ///< where their number is known
constexpr unsigned MostSums = 1;        ///< of a thread, if all tiles are to go
constexpr unsigned ManySums = 8;        ///< of a thread, if some are to stay
constexpr unsigned SameLanes = 16;      ///< that read the same where a tile goes of several
constexpr int64_t WidestStep = 16;      ///< bytes between what neighbours read
constexpr uint64_t Page = 4096;         ///< bytes
constexpr uint64_t MostPages = 1280;    ///< that rows lie in; second-level TLBs have 2,048 and more
constexpr uint64_t NearCache = 1 << 20; ///< bytes of the second-level cache

class PropagateTileCopies {
public:
  PropagateTileCopies(ThreadProgram &program, const Options &options,
                      const SplitGuardedLoop *rounds)
      : program_(program), thread_(*program.body), shared_(*thread_.getArg(ParamShared)),
        options_(options), facts_(thread_), recurrences_(thread_, facts_),
        block_(thread_, facts_, options), all_(thread_, tiles_, facts_, recurrences_, block_),
        addresses_(options, tiles_, facts_, block_), rounds_(rounds) {}

  bool run() {
    const BasicBlock *header = rounds_ ? rounds_->whole : nullptr;
    if (!findPlainAccesses(shared_, /*andAtomics=*/false, tiles_.accesses) ||
        (!findWaitingLoop(facts_, 2, tiles_, header) &&
         !findWaitingLoop(facts_, 1, tiles_, header)) ||
        !hasTilesForItself() || !isTileLoop() || !all_.find())
      return false;
    if (options_.isEnabled("reroll-sums") && staysInRegisters())
      return !rounds_ && rollInTile();
    choose();
    if (reads_.empty())
      return false;
    SmallVector<BasicBlock *, 4> exits;
    tiles_.loop->getUniqueExitBlocks(exits);
    BasicBlock *before = tiles_.loop->getLoopPreheader();
    Instruction *end = tiles_.loop->getLoopLatch()->getTerminator();
    isWhole_ = reads_.size() == all_.reads.size();
    bool asks = rounds_ && rounds_->turns && isReadOften();
    if (rounds_ && (!isWhole_ || (!asks && isa<Constant>(rounds_->choice->getCondition()))))
      return false;
    if (isWhole_)
      rollUp();
    if (asks && !canAskForRows()) // the caller has a copy from before
      return false;
    addresses_.begin(*before, *end->getParent(), isWhole_);
    if (asks)
      askForRows();
    for (const TileRead &read : reads_)
      propagateCopy(read);
    if (mayWriteCopied()) {
      for (BasicBlock *exit : exits)
        tiles_.filled->clone()->insertBefore(exit->getFirstInsertionPt());
    } else if (!behind_.empty()) {
      program_.trustsObjects = true;
    }
    if (isWhole_)
      dropTiles();
    else
      dropCopies();
    return true;
  }

private:
  bool hasTilesForItself();
  bool isTileLoop();
  void choose();
  bool isWorthIt(ArrayRef<const TileCopy *> copies, bool onlySame);
  unsigned countSums();
  bool isReadOften() const;
  bool staysInRegisters();
  bool rollInTile();
  bool mayWriteCopied() const;
  bool staysNear(const TileRead &, bool onlySame);
  void rollUp();
  bool hasFarRows(const TileRead &);
  bool canAskForRows();
  void askForRows();
  void propagateCopy(const TileRead &);
  void dropTiles();
  void dropCopies();

  ThreadProgram &program_;
  Function &thread_;
  Argument &shared_;
  const Options &options_;
  LoopFacts facts_;
  Recurrences recurrences_;
  BlockValues block_;
  TileLoop tiles_;
  TileCopies all_;
  CopiedAddresses addresses_;
  const SplitGuardedLoop *rounds_;
  bool hasRest_ = false;                 ///< the rounds that are left use the tiles
  std::vector<TileRead> reads_;          ///< those that are read through
  bool isWhole_ = false;                 ///< all are
  SmallVector<Instruction *, 8> behind_; ///< what writes memory behind the loop
};

/// Nothing else reads what the loop stores: neither does the loop that does the rounds it leaves.
bool PropagateTileCopies::hasTilesForItself() {
  Loop *rest = rounds_ ? facts_.loops.getLoopFor(rounds_->rest) : nullptr;
  SmallVector<Instruction *, 16> mine;
  for (Instruction *access : tiles_.accesses)
    if (tiles_.contains(*access))
      mine.push_back(access);
    else if (rest && rest->contains(access))
      hasRest_ = true;
    else
      return false;
  tiles_.accesses = std::move(mine);
  return true;
}

/// All threads of the block go through the loop together, and nothing before or in it writes
/// memory.
bool PropagateTileCopies::isTileLoop() {
  Loop &loop = *tiles_.loop;
  if (!loop.getLoopPreheader() || !onlyLoadsBesides(tiles_) || !isLeftTogether(loop, block_.shapes))
    return false;
  unsigned rounds = recurrences_.evolution.getSmallConstantMaxTripCount(&loop);
  if (rounds != 0 && rounds < FewestRounds)
    return false;
  for (BasicBlock &block : thread_)
    if (!loop.contains(&block) && block_.shapes.isDivergent(&block) &&
        !block_.postDominators.dominates(loop.getHeader(), &block) &&
        isPotentiallyReachable(&block, loop.getHeader(), nullptr, &facts_.dominators,
                               &facts_.loops))
      return false;
  for (Instruction &instruction : instructions(thread_)) {
    const auto *call = dyn_cast<CallInst>(&instruction);
    bool writes = instruction.mayWriteToMemory() || (call && !isa<IntrinsicInst>(call));
    if (loop.contains(&instruction) || !writes || (call && onlyComputes(*call)))
      continue;
    if (isPotentiallyReachable(&instruction, &*loop.getHeader()->getFirstNonPHIIt(), nullptr,
                               &facts_.dominators, &facts_.loops))
      return false;
    auto *store = dyn_cast<StoreInst>(&instruction);
    bool isOfTiles = store && getUnderlyingObject(store->getPointerOperand()) == &shared_;
    if (!isOfTiles && !(call && callKind(*call) == CallKind::BlockBarrier))
      behind_.push_back(&instruction);
  }
  return true;
}

/// All tiles, or those that neighbouring threads read the same elements of. The sums of a thread
/// that has many are not all in registers, so its loop goes from slice to slice as the tiles do;
/// what all programs of a block read lies side by side in a tile, and is read by all of them while
/// it is near.
void PropagateTileCopies::choose() {
  std::vector<const TileCopy *> copies;
  for (const TileCopy &copy : all_.copies)
    copies.push_back(&copy);
  if (countSums() <= MostSums && isWorthIt(copies, /*onlySame=*/false)) {
    reads_ = all_.reads;
    return;
  }
  if (countSums() < ManySums)
    return;
  for (const TileCopy &first : all_.copies) {
    std::vector<const TileCopy *> alike;
    for (const TileCopy &copy : all_.copies)
      if (copy.isLike(first))
        alike.push_back(&copy);
    if (alike.empty() || alike[0] != &first || !isWorthIt(alike, /*onlySame=*/true))
      continue;
    for (const TileRead &read : all_.reads)
      if (is_contained(alike, read.copy))
        reads_.push_back(read);
  }
}

/// A tile is a good place for what it holds.
bool PropagateTileCopies::isReadOften() const {
  size_t reads = 0;
  for (const TileRead &read : all_.reads)
    reads += read.rounds;
  return reads >= OftenReads * all_.copies.size();
}

/// One program holds the block, and its sums fit in the registers. Then no barrier costs anything,
/// and a tile has what each step multiplies at constant places.
bool PropagateTileCopies::staysInRegisters() {
  auto [bits, count] = options_.registers;
  Type *type = all_.reads[0].load->getType();
  bool isWhole = options_.width == 0 || options_.width >= block_.tables.threads();
  return isWhole && countSums() <= MostSums && isReadOften() &&
         block_.tables.threads() * type->getPrimitiveSizeInBits() <= uint64_t(bits) * count / 2;
}

/// Makes unrolled sums of elements of tiles a loop again (reroll_sums.h), in front of the barrier.
bool PropagateTileCopies::rollInTile() {
  SmallVector<LoadInst *, 64> loads;
  for (const TileRead &read : all_.reads) {
    if (read.variable)
      return false;
    loads.push_back(read.load);
  }
  BasicBlock *tail = nullptr;
  if (tiles_.read && tiles_.read->getParent() == loads[0]->getParent())
    tail = tiles_.read->getParent()->splitBasicBlock(tiles_.read);
  std::optional<UnrolledSums> sums = findUnrolledSums(loads);
  if (!sums || sums->chains.size() > MostSums || !rollBySteps(*sums)) {
    if (tail)
      MergeBlockIntoPredecessor(tail);
    return false;
  }
  return true;
}

/// What the loop carries on of numbers that it reads, but for those that it copies.
unsigned PropagateTileCopies::countSums() {
  ScalarEvolution &evolution = recurrences_.evolution;
  Type *type = all_.reads[0].load->getType();
  return count_if(tiles_.loop->getHeader()->phis(), [&](PHINode &phi) {
    return phi.getType() == type && !block_.isCommon(phi) &&
           (!evolution.isSCEVable(type) || !isa<SCEVAddRecExpr>(evolution.getSCEV(&phi))) &&
           none_of(all_.copies,
                   [&](const TileCopy &copy) { return copy.store->getValueOperand() == &phi; });
  });
}

bool PropagateTileCopies::isWorthIt(ArrayRef<const TileCopy *> copies, bool onlySame) {
  size_t reads = 0;
  if (any_of(copies, [](const TileCopy *copy) { return !copy->load; }))
    return false;
  for (const TileRead &read : all_.reads)
    if (is_contained(copies, read.copy)) {
      reads += read.rounds;
      if (!staysNear(read, onlySame) || !addresses_.canMake(read) ||
          (read.copy->ahead && read.variable && !addresses_.stepOfRounds(read)))
        return false;
    }
  return reads >= FewestReads * copies.size();
}

/// Behind the loop, where other threads may still read it.
bool PropagateTileCopies::mayWriteCopied() const {
  Objects objects(thread_, options_);
  return any_of(behind_, [&](Instruction *writer) {
    auto *store = dyn_cast<StoreInst>(writer);
    return !store || !store->isSimple() || any_of(reads_, [&](const TileRead &read) {
      return !objects.areApart(store->getPointerOperand(), read.copy->load->getPointerOperand());
    });
  });
}

/// What the next thread reads lies beside, or is the same.
bool PropagateTileCopies::staysNear(const TileRead &read, bool onlySame) {
  unsigned segment = onlySame ? SameLanes : 4;
  std::vector<unsigned> here, next;
  for (unsigned thread = 0; thread + 1 < block_.tables.threads(); ++thread)
    if ((thread + 1) % options_.blockDim[0] != 0 && (thread + 1) % segment != 0) {
      here.push_back(read.copier[thread]);
      next.push_back(read.copier[thread + 1]);
    }
  std::optional<ThreadTable> steps =
      ThreadDifferences(block_.sums, here, next).of(*read.copy->base);
  int64_t widest = onlySame ? 0 : WidestStep;
  return steps && all_of(*steps, [&](int64_t step) { return step >= 0 && step <= widest; });
}

/// Where all reads of a block are for few sums, their turns become a loop again.
void PropagateTileCopies::rollUp() {
  SmallVector<LoadInst *, 64> loads;
  DenseMap<LoadInst *, const TileRead *> reads;
  for (const TileRead &read : reads_) {
    loads.push_back(read.load);
    reads[read.load] = &read;
    if (read.variable)
      return;
  }
  std::optional<UnrolledSums> sums = findUnrolledSums(loads);
  if (!sums || sums->chains.size() > MostSums)
    return;
  std::vector<TileRead> rolled;
  for (const auto &turns : sums->loads) {
    TileRead read = *reads[turns[0]];
    read.rounds = sums->turns();
    for (LoadInst *load : drop_begin(turns)) {
      if (reads[load]->copy != read.copy)
        return;
      append_range(read.copier, reads[load]->copier);
    }
    if (!addresses_.canMake(read) || (read.copy->ahead && !addresses_.stepOfRounds(read)))
      return;
    rolled.push_back(std::move(read));
  }
  RolledSums loop = rerollSums(*sums);
  for (auto [read, load] : zip(rolled, loop.loads)) {
    read.load = load;
    read.variable = loop.turn;
    read.before = loop.before;
  }
  reads_ = std::move(rolled);
}

/// It reads rows, which do not certainly lie near each other.
bool PropagateTileCopies::hasFarRows(const TileRead &read) {
  if (!read.variable || read.rounds < 2)
    return false;
  std::optional<int64_t> known = addresses_.stepOfRounds(read);
  return !known || AbsoluteValue(*known) > WidestStep;
}

/// How far apart rows lie is known in front of the loop.
bool PropagateTileCopies::canAskForRows() {
  return all_of(reads_, [&](const TileRead &read) {
    return !hasFarRows(read) || addresses_.isKnownBefore(read);
  });
}

/// Whether the caches hold what the block reads is known at run time: the loop is done if the rows
/// that it walks down lie in few pages, and do not share the same few places of a cache. (Rows
/// 4,096 bytes apart use one line in 64 of it: they need as much of it as if they were that long.)
void PropagateTileCopies::askForRows() {
  IRBuilder<> builder(rounds_->choice);
  Type *word = builder.getInt64Ty();
  Value *fit = rounds_->choice->getCondition();
  for (const TileRead &read : reads_) {
    if (!hasFarRows(read))
      continue;
    Value *rows =
        builder.CreateAdd(builder.CreateZExtOrTrunc(rounds_->turns, word), builder.getInt64(1));
    rows = builder.CreateMul(rows, builder.getInt64(read.rounds));
    Value *step = addresses_.distanceOfRounds(read, builder);
    step = builder.CreateBinaryIntrinsic(Intrinsic::abs, step, builder.getFalse());
    Value *power = builder.CreateAnd(step, builder.CreateNeg(step));
    Value *far = builder.CreateBinaryIntrinsic(Intrinsic::umin, step, builder.getInt64(Page));
    for (auto [bytes, most] : {std::pair(far, MostPages * Page), std::pair(power, NearCache)})
      fit = builder.CreateLogicalAnd(
          fit, builder.CreateICmpULE(builder.CreateMul(rows, bytes), builder.getInt64(most)));
  }
  rounds_->choice->setCondition(fit);
}

/// Loads from where it was copied from.
void PropagateTileCopies::propagateCopy(const TileRead &read) {
  const LoadInst &original = *read.copy->load;
  IRBuilder<> builder(read.load);
  LoadInst *load = builder.CreateAlignedLoad(read.load->getType(), addresses_.make(read, builder),
                                             read.copy->align);
  load->setAAMetadata(original.getAAMetadata());
  read.load->replaceAllUsesWith(load);
}

/// Nobody reads the tiles any more.
void PropagateTileCopies::dropTiles() {
  for (const TileRead &read : reads_)
    if (!is_contained(tiles_.accesses, read.load))
      read.load->eraseFromParent();
  for (Instruction *access : tiles_.accesses) {
    if (!access->getType()->isVoidTy()) // unrolled sums that nobody wants
      access->replaceAllUsesWith(PoisonValue::get(access->getType()));
    access->eraseFromParent();
  }
  tiles_.filled->eraseFromParent();
  if (tiles_.read)
    tiles_.read->eraseFromParent();
  if (!program_.usesDynamicShared && !hasRest_)
    program_.staticShared = 0;
}

/// Nobody reads what these copy any more; others' tiles stay.
void PropagateTileCopies::dropCopies() {
  SmallPtrSet<const TileCopy *, 16> copies;
  for (const TileRead &read : reads_) {
    copies.insert(read.copy);
    read.load->eraseFromParent();
  }
  for (const TileCopy *copy : copies)
    copy->store->eraseFromParent();
}

} // namespace

bool propagateTileCopies(ThreadProgram &program, const Options &options,
                         const SplitGuardedLoop *rounds) {
  if (program.staticShared == 0 && !program.usesDynamicShared)
    return false;
  return PropagateTileCopies(program, options, rounds).run();
}

} // namespace heddle::simt
