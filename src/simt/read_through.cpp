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
// not.
#include "simt/read_through.h"

#include "simt/memory_space.h"
#include "simt/objects.h"
#include "simt/roll_sums.h"
#include "simt/thread_tables.h"
#include "simt/tile_loop.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned FewestReads = 4;      ///< of an element; below, the tile is worth it
constexpr unsigned FewestRounds = 4;     ///< where their number is known
constexpr size_t LongestTable = 1 << 18; ///< threads times rounds of an inner loop
constexpr unsigned MostSums = 1;         ///< of a thread that are made a loop again
constexpr int64_t WidestStep = 16;       ///< bytes between what neighbours read

/// A place in shared memory: a number of bytes for each thread, and multiples of values that all
/// threads have in common.
struct Place {
  ThreadTable bytes;
  SmallMapVector<Value *, int64_t, 4> common;
};

struct Copy {
  StoreInst *store;
  LoadInst *load;
  Place place;
  std::optional<int64_t> step; ///< bytes from one round's address to the next one's, if constant
};

/// A load from a tile, and for each thread (and round of an inner loop) who copied what it loads.
struct Read {
  LoadInst *load = nullptr;
  const Copy *copy = nullptr;
  PHINode *variable = nullptr;  ///< of the inner loop, if the place depends on it
  BasicBlock *before = nullptr; ///< the inner loop's preheader
  int64_t first = 0;            ///< its values
  unsigned rounds = 1;
  std::vector<unsigned> copier;
};

class ReadThrough {
public:
  ReadThrough(ThreadProgram &program, const Options &options)
      : program_(program), thread_(*program.body), shared_(*thread_.getArg(ParamShared)),
        options_(options), facts_(thread_), recurrences_(thread_, facts_),
        block_(thread_, facts_, wholeBlock(options)), tables_(options.blockDim) {}

  bool run() {
    if (!findPlainAccesses(shared_, /*andAtomics=*/false, tiles_.accesses) ||
        (!findWaitingLoop(facts_, 2, tiles_) && !findWaitingLoop(facts_, 1, tiles_)) ||
        !isTileLoop() || !findCopies() || !findReads() || !isWorthIt() ||
        !all_of(reads_, [&](const Read &read) { return canCopy(address(read), read); }))
      return false;
    SmallVector<BasicBlock *, 4> exits;
    tiles_.loop->getUniqueExitBlocks(exits);
    before_ = tiles_.loop->getLoopPreheader();
    Instruction *end = tiles_.loop->getLoopLatch()->getTerminator();
    rollUp();
    latch_ = end->getParent();
    for (const Read &read : reads_)
      readThrough(read);
    if (mayWriteCopied()) {
      for (BasicBlock *exit : exits)
        tiles_.filled->clone()->insertBefore(exit->getFirstInsertionPt());
    } else if (!behind_.empty()) {
      program_.trustsObjects = true;
    }
    dropTiles();
    return true;
  }

private:
  bool isTileLoop();
  bool findCopies();
  bool findReads();
  bool isWorthIt();
  bool mayWriteCopied() const;
  std::optional<Place> placeOf(Value &pointer);
  bool addTerm(Value &value, int64_t factor, bool isSigned, bool isUnsigned, Place &);
  bool findVariable(Read &, Value &, int64_t factor);
  bool staysNear(const Read &);
  std::optional<int64_t> stepOfRounds(const Read &);
  std::optional<int64_t> distance(const Read &from, const Read &to);
  bool canCopy(Value &, const Read &);
  void rollUp();
  void readThrough(const Read &);
  Value *addressOf(const Read &, IRBuilder<> &);
  Value *firstAddress(const Read &, Instruction &before);
  std::optional<int64_t> stepOfTiles(Value &);
  Value *copied(Value &, const Read &, Instruction &before, DenseMap<Value *, Value *> &);
  Value *ofTable(Value &, const ThreadTable &, const Read &, Instruction &before);
  void dropTiles();

  std::optional<DigitSum> sumFor(const Read &read, const ThreadTable &table) const {
    SmallVector<unsigned, 4> counts;
    for (unsigned count : options_.blockDim)
      if (count > 1)
        counts.push_back(count);
    counts.push_back(read.rounds);
    return findDigitSum(tableFor(read, table), counts);
  }
  ThreadTable tableFor(const Read &read, const ThreadTable &table) const {
    ThreadTable result;
    for (unsigned thread : read.copier)
      result.push_back(table[thread]);
    return result;
  }
  static Value &address(const Read &read) { return *read.copy->load->getPointerOperand(); }
  static bool isInBounds(Value &address) {
    auto *place = dyn_cast<GetElementPtrInst>(&address);
    return place && place->isInBounds();
  }
  bool isCommon(Value &value) const { return block_.shapes.isUniform(&value); }

  ThreadProgram &program_;
  Function &thread_;
  Argument &shared_;
  const Options &options_;
  LoopFacts facts_;
  Recurrences recurrences_;
  LaneShapes block_;
  ThreadTables tables_;
  TileLoop tiles_;
  std::vector<Copy> copies_;
  std::vector<Read> reads_;
  std::vector<std::pair<const Read *, Value *>> addresses_; ///< computed so far
  DenseMap<int64_t, PHINode *> tileSteps_; ///< multiples of steps, by the number of the round
  BasicBlock *before_ = nullptr, *latch_ = nullptr; ///< of the loop over tiles, at the end
  SmallVector<Instruction *, 8> behind_;            ///< what writes memory behind the loop
};

/// All threads of the block go through the loop together, and nothing before or in it writes
/// memory.
bool ReadThrough::isTileLoop() {
  Loop &loop = *tiles_.loop;
  if (!all_of(tiles_.accesses, [&](Instruction *access) { return tiles_.contains(*access); }) ||
      !loop.getLoopPreheader() || !onlyLoadsBesides(tiles_) || !isLeftTogether(loop, block_.shapes))
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
    if (loop.contains(&instruction) || !writes || (call && isHarmless(*call)))
      continue;
    if (isPotentiallyReachable(&instruction, &*loop.getHeader()->getFirstNonPHIIt(), nullptr,
                               &facts_.dominators, &facts_.loops))
      return false;
    behind_.push_back(&instruction);
  }
  return true;
}

/// Each store is of what was loaded from global memory in this round.
bool ReadThrough::findCopies() {
  const DataLayout &layout = thread_.getDataLayout();
  for (Instruction *access : tiles_.accesses) {
    auto *store = dyn_cast<StoreInst>(access);
    if (!store)
      continue;
    auto *load = dyn_cast<LoadInst>(store->getValueOperand());
    std::optional<Place> place = placeOf(*store->getPointerOperand());
    if (!load || !place || !tiles_.contains(*load) ||
        facts_.loops.getLoopFor(load->getParent()) != tiles_.loop ||
        !isGivenMemory(load->getPointerOperand()) ||
        !facts_.dominators.dominates(store, tiles_.filled) ||
        layout.getTypeStoreSize(load->getType()) != layout.getTypeAllocSize(load->getType()))
      return false;
    Value &from = *load->getPointerOperand();
    copies_.push_back(
        {store, load, std::move(*place), isInBounds(from) ? stepOfTiles(from) : std::nullopt});
  }
  return !copies_.empty();
}

/// For each load the thread that has copied what it loads.
bool ReadThrough::findReads() {
  const DataLayout &layout = thread_.getDataLayout();
  int64_t size = layout.getTypeStoreSize(copies_[0].load->getType());
  DenseMap<int64_t, std::pair<const Copy *, unsigned>> writers;
  for (const Copy &copy : copies_) {
    if (int64_t(layout.getTypeStoreSize(copy.load->getType())) != size ||
        copy.place.common.getArrayRef() != copies_[0].place.common.getArrayRef())
      return false;
    for (auto [thread, place] : enumerate(copy.place.bytes))
      if (place % size != 0 || !writers.try_emplace(place, &copy, unsigned(thread)).second)
        return false;
  }
  for (Instruction *access : tiles_.accesses) {
    auto *load = dyn_cast<LoadInst>(access);
    if (!load)
      continue;
    std::optional<Place> place = placeOf(*load->getPointerOperand());
    if (!place || int64_t(layout.getTypeStoreSize(load->getType())) != size ||
        !facts_.dominators.dominates(tiles_.filled, load) ||
        (tiles_.read && facts_.dominators.dominates(tiles_.read, load)))
      return false;
    for (auto [value, factor] : copies_[0].place.common)
      place->common[value] -= factor;
    Read read;
    read.load = load;
    int64_t step = 0;
    for (auto [value, factor] : place->common)
      if (factor != 0) {
        if (read.variable || !findVariable(read, *value, step = factor))
          return false;
      }
    read.copier.reserve(read.rounds * tables_.threads());
    for (unsigned round = 0; round < read.rounds; ++round)
      for (int64_t bytes : place->bytes) {
        auto writer = writers.find(bytes + step * (read.first + round));
        if (writer == writers.end() || (read.copy && read.copy != writer->second.first))
          return false;
        read.copy = writer->second.first;
        read.copier.push_back(writer->second.second);
      }
    reads_.push_back(std::move(read));
  }
  return true;
}

/// The variable of a loop within the loop over tiles: 0, 1, 2 and so on.
bool ReadThrough::findVariable(Read &read, Value &value, int64_t factor) {
  auto *phi = dyn_cast<PHINode>(&value);
  Loop *inner = phi ? facts_.loops.getLoopFor(phi->getParent()) : nullptr;
  if (!inner || inner == tiles_.loop || !tiles_.loop->contains(inner) ||
      phi->getParent() != inner->getHeader() || !inner->contains(read.load))
    return false;
  ScalarEvolution &evolution = recurrences_.evolution;
  auto *counted = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(phi));
  auto *first = counted ? dyn_cast<SCEVConstant>(counted->getStart()) : nullptr;
  if (!first || !counted->isAffine() || !counted->getStepRecurrence(evolution)->isOne())
    return false;
  read.variable = phi;
  read.before = inner->getLoopPreheader();
  read.first = first->getAPInt().getSExtValue();
  read.rounds = evolution.getSmallConstantMaxTripCount(inner);
  return read.rounds != 0 && size_t(read.rounds) * tables_.threads() <= LongestTable;
}

bool ReadThrough::isWorthIt() {
  size_t reads = 0;
  for (const Read &read : reads_)
    reads += read.rounds;
  return reads >= FewestReads * copies_.size() &&
         all_of(reads_, [&](const Read &read) { return staysNear(read); });
}

/// Behind the loop, where other threads may still read it.
bool ReadThrough::mayWriteCopied() const {
  Objects objects(thread_, options_);
  return any_of(behind_, [&](Instruction *writer) {
    auto *store = dyn_cast<StoreInst>(writer);
    return !store || any_of(copies_, [&](const Copy &copy) {
      return !objects.areApart(store->getPointerOperand(), copy.load->getPointerOperand());
    });
  });
}

std::optional<Place> ReadThrough::placeOf(Value &pointer) {
  if (&pointer == &shared_)
    return Place{ThreadTable(tables_.threads(), 0), {}};
  if (auto *cast = dyn_cast<AddrSpaceCastInst>(&pointer))
    return placeOf(*cast->getPointerOperand());
  auto *address = dyn_cast<GetElementPtrInst>(&pointer);
  std::optional<Place> place = address ? placeOf(*address->getPointerOperand()) : std::nullopt;
  SmallMapVector<Value *, APInt, 4> indices;
  APInt constant(64, 0);
  if (!place || !address->collectOffset(thread_.getDataLayout(), 64, indices, constant))
    return std::nullopt;
  for (int64_t &bytes : place->bytes)
    bytes += constant.getSExtValue();
  for (auto &[index, scale] : indices)
    if (!addTerm(*index, scale.getSExtValue(), /*isSigned=*/true, /*isUnsigned=*/true, *place))
      return std::nullopt;
  return place;
}

/// Adds factor * value to the place. The value is to be extended to 64 bits as a signed or an
/// unsigned number; what both hold of it is one.
bool ReadThrough::addTerm(Value &value, int64_t factor, bool isSigned, bool isUnsigned,
                          Place &place) {
  unsigned bits = value.getType()->getIntegerBitWidth();
  if (const ThreadTable *table = tables_.of(&value)) {
    for (auto [bytes, number] : zip(place.bytes, *table)) {
      if (!isSigned && number < 0 && bits < 64)
        return false;
      bytes += factor * number;
    }
    return true;
  }
  if (auto *extension = dyn_cast<ZExtInst>(&value); extension && bits == 64)
    return addTerm(*extension->getOperand(0), factor, extension->hasNonNeg(), true, place);
  if (auto *extension = dyn_cast<SExtInst>(&value); extension && bits == 64)
    return addTerm(*extension->getOperand(0), factor, true, false, place);
  auto *binary = dyn_cast<BinaryOperator>(&value);
  auto *wraps = dyn_cast_or_null<OverflowingBinaryOperator>(binary);
  bool isWhole = binary && (bits == 64 || (wraps && ((isSigned && wraps->hasNoSignedWrap()) ||
                                                     (isUnsigned && wraps->hasNoUnsignedWrap()))));
  if (wraps && bits < 64) {
    isSigned &= wraps->hasNoSignedWrap();
    isUnsigned &= wraps->hasNoUnsignedWrap();
  }
  auto *either = dyn_cast_or_null<PossiblyDisjointInst>(binary);
  if ((isWhole && binary->getOpcode() == Instruction::Add) || (either && either->isDisjoint()))
    return addTerm(*binary->getOperand(0), factor, isSigned, isUnsigned, place) &&
           addTerm(*binary->getOperand(1), factor, isSigned, isUnsigned, place);
  auto *constant = isWhole ? dyn_cast<ConstantInt>(binary->getOperand(1)) : nullptr;
  if (constant && binary->getOpcode() == Instruction::Mul)
    return addTerm(*binary->getOperand(0), factor * constant->getSExtValue(), isSigned, isUnsigned,
                   place);
  if (constant && binary->getOpcode() == Instruction::Shl && constant->getValue().ult(32))
    return addTerm(*binary->getOperand(0), factor << constant->getZExtValue(), isSigned, isUnsigned,
                   place);
  // How it is extended does not matter if it is the same value at the store and the load, or if it
  // counts up from 0.
  if (!isCommon(value))
    return false;
  place.common[&value] += factor;
  return true;
}

/// What the next thread reads lies beside, or is the same.
bool ReadThrough::staysNear(const Read &read) {
  std::vector<unsigned> here, next;
  for (unsigned thread = 0; thread + 1 < tables_.threads(); ++thread)
    if ((thread + 1) % options_.blockDim[0] != 0 && (thread + 1) % 4 != 0) {
      here.push_back(read.copier[thread]);
      next.push_back(read.copier[thread + 1]);
    }
  std::optional<ThreadTable> steps =
      ThreadDifferences(tables_, block_.shapes, here, next).of(address(read));
  return steps && all_of(*steps, [](int64_t step) { return step >= 0 && step <= WidestStep; });
}

/// The distance from what the first round of a loop reads to what each later one does, a multiple
/// of its number: nothing if they lie otherwise.
std::optional<int64_t> ReadThrough::stepOfRounds(const Read &read) {
  if (!isInBounds(address(read)))
    return std::nullopt;
  std::vector<unsigned> first;
  for (unsigned round = 0; round < read.rounds; ++round)
    first.insert(first.end(), read.copier.begin(), read.copier.begin() + tables_.threads());
  std::optional<ThreadTable> steps =
      ThreadDifferences(tables_, block_.shapes, first, read.copier).of(address(read));
  if (!steps || read.rounds < 2)
    return std::nullopt;
  int64_t step = (*steps)[tables_.threads()];
  for (auto [place, number] : enumerate(*steps))
    if (number != int64_t(place / tables_.threads()) * step)
      return std::nullopt;
  return step;
}

/// The distance from what one load reads to what another one does, the same for all threads.
std::optional<int64_t> ReadThrough::distance(const Read &from, const Read &to) {
  if (from.copy != to.copy || from.variable || to.variable || !isInBounds(address(from)))
    return std::nullopt;
  std::optional<ThreadTable> steps =
      ThreadDifferences(tables_, block_.shapes, from.copier, to.copier).of(address(from));
  return steps && all_equal(*steps) ? std::optional((*steps)[0]) : std::nullopt;
}

/// What `value` is in another thread can be computed: it follows from the thread's index by
/// instructions without side effects, and what is known by tables is made of digits.
bool ReadThrough::canCopy(Value &value, const Read &read) {
  if (isCommon(value))
    return true;
  if (value.getType()->isIntegerTy())
    if (const ThreadTable *table = tables_.of(&value))
      return sumFor(read, *table).has_value();
  auto *instruction = dyn_cast<Instruction>(&value);
  auto *call = dyn_cast_or_null<IntrinsicInst>(instruction);
  if (!instruction ||
      (!isa<BinaryOperator, CastInst, GetElementPtrInst, SelectInst, ICmpInst>(instruction) &&
       !(call && call->doesNotAccessMemory() && isHarmless(*call))))
    return false;
  return all_of(instruction->operands(),
                [&](Value *operand) { return isa<Function>(operand) || canCopy(*operand, read); });
}

/// Where all reads of a block are for few sums, their turns become a loop again.
void ReadThrough::rollUp() {
  SmallVector<LoadInst *, 64> loads;
  DenseMap<LoadInst *, const Read *> reads;
  for (const Read &read : reads_) {
    loads.push_back(read.load);
    reads[read.load] = &read;
    if (read.variable)
      return;
  }
  std::optional<UnrolledSums> sums = findUnrolledSums(loads);
  if (!sums || sums->chains.size() > MostSums)
    return;
  std::vector<Read> rolled;
  for (const auto &turns : sums->loads) {
    Read read = *reads[turns[0]];
    read.rounds = sums->turns();
    for (LoadInst *load : drop_begin(turns)) {
      if (reads[load]->copy != read.copy)
        return;
      append_range(read.copier, reads[load]->copier);
    }
    if (!canCopy(address(read), read))
      return;
    rolled.push_back(std::move(read));
  }
  RolledSums loop = rollSums(*sums);
  for (auto [read, load] : zip(rolled, loop.loads)) {
    read.load = load;
    read.variable = loop.turn;
    read.before = loop.before;
  }
  reads_ = std::move(rolled);
}

/// Loads from where it was copied from.
void ReadThrough::readThrough(const Read &read) {
  const LoadInst &original = *read.copy->load;
  IRBuilder<> builder(read.load);
  LoadInst *load = builder.CreateAlignedLoad(read.load->getType(), addressOf(read, builder),
                                             original.getAlign());
  load->setAAMetadata(original.getAAMetadata());
  read.load->replaceAllUsesWith(load);
}

/// Loads at constant distances share an address: what lies between may not be seen from indices of
/// 32 bits, which can wrap around.
Value *ReadThrough::addressOf(const Read &read, IRBuilder<> &builder) {
  Type *byte = builder.getInt8Ty();
  for (auto &[other, itsAddress] : addresses_)
    if (facts_.dominators.dominates(other->load, read.load))
      if (std::optional<int64_t> bytes = distance(*other, read))
        return builder.CreateGEP(byte, itsAddress, builder.getInt64(*bytes));
  std::optional<int64_t> step = read.variable && read.before ? stepOfRounds(read) : std::nullopt;
  if (!step) {
    Value *from = firstAddress(read, *read.load);
    if (!read.variable)
      addresses_.push_back({&read, from});
    return from;
  }
  Read first = read;
  first.copier.resize(tables_.threads());
  first.rounds = 1;
  first.variable = nullptr;
  Value *from = firstAddress(first, *read.before->getTerminator());
  Value *round = builder.CreateZExtOrTrunc(read.variable, builder.getInt64Ty());
  round = builder.CreateSub(round, builder.getInt64(read.first));
  return builder.CreateGEP(byte, from, builder.CreateMul(round, builder.getInt64(*step)));
}

/// Where it moves by a constant number of bytes from tile to tile, it is computed once, before the
/// first.
Value *ReadThrough::firstAddress(const Read &read, Instruction &before) {
  DenseMap<Value *, Value *> known;
  BasicBlock *header = tiles_.loop->getHeader();
  std::optional<int64_t> step = read.copy->step;
  if (!step || *step == 0 || read.variable)
    return copied(address(read), read, before, known);
  for (PHINode &phi : header->phis())
    known[&phi] = phi.getIncomingValueForBlock(before_);
  Value *first = copied(address(read), read, *before_->getTerminator(), known);
  PHINode *&bytes = tileSteps_[*step];
  IRBuilder<> builder(&*header->getFirstNonPHIIt());
  if (!bytes) {
    bytes = builder.CreatePHI(builder.getInt64Ty(), 2);
    bytes->addIncoming(builder.getInt64(0), before_);
    builder.SetInsertPoint(latch_->getTerminator());
    bytes->addIncoming(builder.CreateAdd(bytes, builder.getInt64(*step)), latch_);
  }
  builder.SetInsertPoint(&before);
  return builder.CreateGEP(builder.getInt8Ty(), first, bytes);
}

/// How far a value moves from a round of the loop over tiles to the next, modulo 2^32 of what is
/// computed with 32 bits. Nothing if that is no constant.
std::optional<int64_t> ReadThrough::stepOfTiles(Value &value) {
  Loop &loop = *tiles_.loop;
  if (loop.isLoopInvariant(&value))
    return 0;
  auto *instruction = cast<Instruction>(&value);
  if (auto *phi = dyn_cast<PHINode>(instruction)) {
    auto *counted = phi->getParent() == loop.getHeader() && phi->getType()->isIntegerTy()
                        ? dyn_cast<SCEVAddRecExpr>(recurrences_.evolution.getSCEV(phi))
                        : nullptr;
    auto *step = counted && counted->isAffine()
                     ? dyn_cast<SCEVConstant>(counted->getStepRecurrence(recurrences_.evolution))
                     : nullptr;
    return step ? std::optional(step->getAPInt().getSExtValue()) : std::nullopt;
  }
  if (tables_.of(instruction))
    return 0;
  SmallVector<int64_t, 3> steps;
  for (Value *operand : instruction->operands()) {
    std::optional<int64_t> step = stepOfTiles(*operand);
    if (!step)
      return std::nullopt;
    steps.push_back(*step);
  }
  if (auto *address = dyn_cast<GetElementPtrInst>(instruction))
    return address->getNumIndices() == 1
               ? std::optional(steps[0] +
                               steps[1] * int64_t(thread_.getDataLayout().getTypeAllocSize(
                                              address->getSourceElementType())))
               : std::nullopt;
  if (isa<SExtInst, ZExtInst>(instruction))
    return steps[0];
  auto *binary = dyn_cast<BinaryOperator>(instruction);
  bool isPlain = all_of(steps, [](int64_t step) { return step == 0; });
  if (!binary)
    return isPlain && !steps.empty() ? std::optional<int64_t>(0) : std::nullopt;
  auto *either = dyn_cast<PossiblyDisjointInst>(binary);
  if (binary->getOpcode() == Instruction::Add || (either && either->isDisjoint()))
    return steps[0] + steps[1];
  if (binary->getOpcode() == Instruction::Sub)
    return steps[0] - steps[1];
  return isPlain ? std::optional<int64_t>(0) : std::nullopt;
}

/// What `value` is in the thread that copied.
Value *ReadThrough::copied(Value &value, const Read &read, Instruction &before,
                           DenseMap<Value *, Value *> &known) {
  if (Value *done = known.lookup(&value))
    return done;
  bool isThere = facts_.dominators.dominates(&value, &before);
  if (isa<Constant>(value) || (isCommon(value) && isThere))
    return &value;
  if (value.getType()->isIntegerTy())
    if (const ThreadTable *table = tables_.of(&value))
      return known[&value] = ofTable(value, *table, read, before);
  Instruction *copy = cast<Instruction>(value).clone();
  for (Use &operand : copy->operands())
    operand.set(copied(*operand, read, before, known));
  copy->insertBefore(before.getIterator());
  return known[&value] = copy;
}

Value *ReadThrough::ofTable(Value &value, const ThreadTable &table, const Read &read,
                            Instruction &before) {
  if (tableFor(read, table) == table)
    return &value;
  IRBuilder<> builder(&before);
  SmallVector<Coordinate, 4> coordinates;
  constexpr Intrinsic::ID Index[] = {Intrinsic::nvvm_read_ptx_sreg_tid_x,
                                     Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                     Intrinsic::nvvm_read_ptx_sreg_tid_z};
  for (auto [index, count] : zip(Index, options_.blockDim))
    if (count > 1)
      coordinates.push_back({builder.CreateIntrinsic(index, ArrayRef<Type *>(), {}), 0});
  coordinates.push_back({read.variable, read.first}); // not used where there is none
  return emitSum(*sumFor(read, table), coordinates, value.getType(), builder);
}

/// Nobody reads the tiles any more.
void ReadThrough::dropTiles() {
  for (const Read &read : reads_)
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
  if (!program_.usesDynamicShared)
    program_.staticShared = 0;
}

} // namespace

bool readThroughTiles(ThreadProgram &program, const Options &options) {
  if (program.staticShared == 0 && !program.usesDynamicShared)
    return false;
  return ReadThrough(program, options).run();
}

} // namespace heddle::simt
