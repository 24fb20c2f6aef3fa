// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem. A block that fills a tile from its upper left corner (alignments, time warping) walks
// over it by diagonals, and waits after each. Lanes of a diagonal lie a row and a column apart, so
// a vector takes gathers and a scatter each step; lane by lane the loads, stores and addresses of a
// cell take longer than what it computes. But a step's neighbours above are what the lane itself
// has computed in the step before, those to the left what the lane before it has.
//
// Method. With the loop unrolled the places of all lanes are constants. In straight code without
// other accesses to shared memory each cell is followed from the lane that stores it to those that
// load it; a load becomes a vector put together of others (wave_net.h): of rows of the tile as they
// lie in memory, in which each lane has its cell in place, and of what lanes have stored. A row is
// written back when its last cell is there. Memory outside of the region stays as it is, so the
// loops that copy the tile need not be known.
//
// Only where that takes less than the gathers and scatters do. promote_shared.cpp does the same
// for programs all of whose accesses have known places; it is tried before.
//
// Not done: walks whose steps branch on data (a longest common subsequence by `if`), or over tiles
// whose size is known at run time only. They run lane by lane (serialized_blocks.cpp).
//
// Legality (wavefronts):
//  1. The places of all lanes are known in the region. [known places]
//  2. So are the lanes that access them. [known lanes]
//  3. There are no atomics among the accesses. [plain accesses]
//  4. In between nothing may access shared memory at a place that is not known. [nothing between]
//  5. Elements of different sizes do not share bytes. [one type]
//  6. All places lie within the block's static shared memory, beyond which an access must fault.
//     [within]
#include "simt/shared/wavefronts.h"

#include "simt/analysis/intrinsics.h"
#include "simt/analysis/pass_notes.h"
#include "simt/compilation.h"
#include "simt/shared/hoist_tile_stores.h"
#include "simt/shared/promote_shared.h"
#include "simt/shared/shared_accesses.h"
#include "simt/shared/wave_net.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IntrinsicInst.h"

#include <set>

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned FewestAccesses = 32; ///< of lanes that are no neighbours, in a region
constexpr double LaneOfGather = 0.8;    ///< cycles
constexpr double RegisterOfStep = 0.5;
constexpr double Worthwhile = 0.6;

/// Accesses in straight code with nothing between them that may access shared memory.
class Region {
public:
  Region(Value &shared, ArrayRef<const SharedAccess *> accesses, int64_t bytes)
      : shared_(shared), accesses_(accesses), element_(accesses[0]->element),
        size_(accesses[0]->instruction->getDataLayout().getTypeStoreSize(element_)),
        lanes_(mostLanes(accesses)), net_(shared, element_, lanes_, bytes) {}

  bool run(const VectorRegisters &registers) {
    unsigned apart = 0;
    double gathers = 0;
    for (const SharedAccess *access : accesses_)
      if (unsigned lanes = lanesApart(*access)) {
        ++apart;
        gathers += LaneOfGather * lanes;
      }
    if (apart < FewestAccesses)
      return false;
    findLastStores();
    plan();
    unsigned length = std::max<unsigned>(1, lanes_ * size_ * 8 / registers.bits);
    if (net_.steps() * length * RegisterOfStep > Worthwhile * gathers)
      return false;
    emit();
    return true;
  }

private:
  static unsigned mostLanes(ArrayRef<const SharedAccess *> accesses) {
    unsigned most = 1;
    for (const SharedAccess *access : accesses)
      most = std::max<unsigned>(most, access->places.size());
    return most;
  }

  /// Lanes of an access that is no load or store of neighbours.
  unsigned lanesApart(const SharedAccess &access) const {
    unsigned lanes = 0;
    bool apart = false;
    for (auto [lane, place] : enumerate(access.places)) {
      lanes += access.mayTouch(lane);
      apart |= place != access.places[0] + int64_t(lane) * size_;
    }
    return apart ? lanes : 0;
  }

  /// Where lane 0 lies if each lane's cell is in place.
  int64_t rowOf(int64_t place, unsigned lane) const { return place - int64_t(lane) * size_; }

  /// The rows that are complete with each store.
  void findLastStores() {
    std::map<int64_t, std::pair<unsigned, unsigned>> last; // cell: access, lane
    for (auto [number, access] : enumerate(accesses_))
      for (auto [lane, place] : enumerate(access->places))
        if (access->isStore && access->mayTouch(lane))
          last[place] = {number, lane};
    std::map<int64_t, unsigned> complete; // row: access
    for (auto [place, store] : last) {
      unsigned &number = complete[rowOf(place, store.second)];
      number = std::max(number, store.first);
    }
    rowsAt_.resize(accesses_.size());
    for (auto [row, number] : complete)
      rowsAt_[number].push_back(row);
    for (auto [place, store] : last)
      lastLane_[place] = store.second;
  }

  void plan() {
    nodes_.resize(accesses_.size());
    rows_.resize(accesses_.size());
    for (auto [number, access] : enumerate(accesses_)) {
      if (!access->isStore) {
        nodes_[number] = planLoad(*access);
        continue;
      }
      unsigned node = net_.value(access->value());
      for (auto [lane, place] : enumerate(access->places))
        if (access->mayTouch(lane))
          cells_[place] = {node, unsigned(lane)};
      for (int64_t row : rowsAt_[number])
        planRow(row, number);
    }
  }

  unsigned planLoad(const SharedAccess &load) {
    SmallVector<NetLane, 32> wanted(lanes_);
    Value *others = load.value();
    for (auto [lane, place] : enumerate(load.places)) {
      if (load.mayTouch(lane)) {
        auto known = cells_.find(place);
        wanted[lane] = known != cells_.end()
                           ? known->second
                           : NetLane{net_.row(rowOf(place, lane)), unsigned(lane)};
      } else if (others && !isa<PoisonValue>(others)) {
        wanted[lane] = {net_.value(others), unsigned(lane)};
      }
    }
    return net_.make(wanted);
  }

  void planRow(int64_t place, unsigned number) {
    SmallVector<NetLane, 32> wanted(lanes_);
    BitVector mask(lanes_);
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      int64_t cell = place + int64_t(lane) * size_;
      auto last = lastLane_.find(cell);
      if (last == lastLane_.end() || last->second != lane)
        continue;
      wanted[lane] = cells_[cell];
      mask.set(lane);
    }
    rows_[number].push_back({place, net_.make(wanted), mask});
  }

  void emit() {
    for (auto [number, access] : enumerate(accesses_)) {
      Instruction *instruction = access->instruction;
      IRBuilder<> builder(instruction);
      if (!access->isStore) {
        Value *value = net_.emitAs(builder, nodes_[number], instruction->getType());
        instruction->replaceAllUsesWith(value);
      }
      for (const WrittenRow &row : rows_[number])
        emitRow(builder, row);
    }
    for (const SharedAccess *access : accesses_)
      access->instruction->eraseFromParent();
  }

  struct WrittenRow {
    int64_t place;
    unsigned node;
    BitVector mask;
  };

  void emitRow(IRBuilder<> &builder, const WrittenRow &row) {
    Value *value = net_.emit(builder, row.node);
    Value *address = builder.CreateConstGEP1_64(builder.getInt8Ty(), &shared_, row.place);
    Align align = commonAlignment(Align(size_), row.place);
    if (row.mask.all()) {
      builder.CreateAlignedStore(value, address, align);
      return;
    }
    SmallVector<Constant *, 32> bits;
    for (unsigned lane = 0; lane < lanes_; ++lane)
      bits.push_back(builder.getInt1(row.mask[lane]));
    builder.CreateMaskedStore(value, address, align, ConstantVector::get(bits));
  }

  Value &shared_;
  ArrayRef<const SharedAccess *> accesses_;
  Type *element_;
  int64_t size_;
  unsigned lanes_;
  WaveNet net_;
  std::map<int64_t, NetLane> cells_;            ///< that were stored, by place
  std::map<int64_t, unsigned> lastLane_;        ///< that stores a cell last
  std::vector<SmallVector<int64_t, 4>> rowsAt_; ///< complete with an access
  std::vector<unsigned> nodes_;                 ///< of loads
  std::vector<SmallVector<WrittenRow, 2>> rows_;
};

/// Straight code in which shared memory is accessed at known places only.
struct Stretch {
  std::vector<const SharedAccess *> accesses;
  unsigned gathers = 0; ///< of them, and scatters
};

/// May stand between the accesses: the address of shared memory goes nowhere else.
bool mayStandBetween(const Instruction &instruction) {
  if (isa<FenceInst>(instruction))
    return isThreadFence(instruction);
  if (isa<LoadInst, StoreInst>(instruction))
    return !instruction.isVolatile() && !instruction.isAtomic();
  if (const auto *call = dyn_cast<IntrinsicInst>(&instruction))
    return !call->mayWriteToMemory() ||
           is_contained({Intrinsic::masked_store, Intrinsic::masked_scatter},
                        call->getIntrinsicID());
  return !instruction.mayReadOrWriteMemory();
}

bool canFollow(const SharedAccess &access, int64_t bytes) {
  auto [first, end] = access.bytes();
  return access.hasConstantMask() && !access.instruction->isVolatile() &&
         !access.instruction->isAtomic() && first >= 0 && end <= bytes;
}

std::vector<Stretch>
findStretches(BasicBlock &block,
              const DenseMap<const Instruction *, const SharedAccess *> &byInstruction,
              const DenseSet<const Instruction *> &others, int64_t bytes) {
  std::vector<Stretch> stretches(1);
  for (Instruction &instruction : block) {
    const SharedAccess *access = byInstruction.lookup(&instruction);
    if (access && access->bytes().first == access->bytes().second)
      continue; // of no lane
    if (access ? canFollow(*access, bytes)
               : !others.contains(&instruction) && mayStandBetween(instruction)) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      if (access) {
        stretches.back().accesses.push_back(access);
        stretches.back().gathers +=
            call && is_contained({Intrinsic::masked_gather, Intrinsic::masked_scatter},
                                 call->getIntrinsicID());
      }
    } else if (!stretches.back().accesses.empty()) {
      stretches.emplace_back();
    }
  }
  return stretches;
}

/// By the type of their elements; none of a type whose elements share memory with another's, or do
/// not lie beside each other.
std::vector<std::vector<const SharedAccess *>> byElement(ArrayRef<const SharedAccess *> accesses) {
  MapVector<Type *, std::vector<const SharedAccess *>> groups;
  std::map<int64_t, std::set<std::pair<Type *, int64_t>>> usersOf; // by byte: type, and phase
  for (const SharedAccess *access : accesses) {
    groups[access->element].push_back(access);
    int64_t size = access->instruction->getDataLayout().getTypeStoreSize(access->element);
    for (auto [lane, place] : enumerate(access->places))
      for (int64_t byte = place; access->mayTouch(lane) && byte < place + size; ++byte)
        usersOf[byte].insert({access->element, place % size});
  }
  for (auto &[byte, users] : usersOf)
    if (users.size() > 1)
      for (auto [element, phase] : users)
        groups.erase(element);
  std::vector<std::vector<const SharedAccess *>> result;
  for (auto &[element, group] : groups)
    result.push_back(std::move(group));
  return result;
}

/// Between the two, if nothing there needs them.
void eraseFences(Instruction &first, Instruction &end, const Instruction &shared) {
  SmallVector<Instruction *, 64> fences;
  for (Instruction *at = first.getNextNode(); at && at != &end; at = at->getNextNode())
    if (isa<FenceInst>(at))
      fences.push_back(at);
    else if (needsFences(*at, shared))
      return;
  for (Instruction *fence : fences)
    fence->eraseFromParent();
}

class Waves {
public:
  Waves(Function &function, const VectorRegisters &registers, unsigned staticBytes)
      : function_(function), registers_(registers), staticBytes_(staticBytes) {}

  /// Looks at shared memory; false if it goes anywhere but into accesses.
  bool look() {
    byInstruction_.clear();
    shared_ = findSharedMemory(function_);
    uses_ = shared_ ? findSharedUses(*shared_) : std::nullopt;
    if (uses_)
      for (const SharedAccess &access : uses_->known)
        byInstruction_[access.instruction] = &access;
    return uses_.has_value();
  }

  /// Blocks that walk.
  std::vector<BasicBlock *> find() const {
    std::vector<BasicBlock *> blocks;
    for (BasicBlock &block : function_)
      if (any_of(stretchesOf(block), isWalk))
        blocks.push_back(&block);
    return blocks;
  }

  bool run(BasicBlock &block, bool storesEarly) {
    bool changed = false;
    for (const Stretch &stretch : stretchesOf(block)) {
      if (!isWalk(stretch))
        continue;
      Instruction *first = stretch.accesses.front()->instruction->getPrevNode();
      Instruction *end = stretch.accesses.back()->instruction->getNextNode();
      bool here = false;
      for (const auto &accesses : byElement(stretch.accesses))
        here |= Region(*shared_, accesses, staticBytes_).run(registers_);
      if (here && storesEarly)
        hoistTileStores(block, *shared_);
      // What fences keep in order is in registers.
      if (here)
        eraseFences(first ? *first : block.front(), *end, *shared_);
      changed |= here;
    }
    return changed;
  }

private:
  static bool isWalk(const Stretch &stretch) { return stretch.gathers >= FewestAccesses; }

  std::vector<Stretch> stretchesOf(BasicBlock &block) const {
    return findStretches(block, byInstruction_, uses_->others, staticBytes_);
  }

  Function &function_;
  const VectorRegisters &registers_;
  unsigned staticBytes_;
  Instruction *shared_ = nullptr;
  std::optional<SharedUses> uses_;
  DenseMap<const Instruction *, const SharedAccess *> byInstruction_;
};

} // namespace

PreservedAnalyses Wavefronts::run(Compilation &kernel, FunctionAnalysisManager &) {
  Function *function = kernel.module.getFunction(RunBlocksName);
  if (!function || kernel.inRegisters)
    return PreservedAnalyses::all();
  Waves waves(*function, kernel.options.registers, kernel.thread.staticShared);
  if (!waves.look())
    return PreservedAnalyses::none();
  std::vector<BasicBlock *> blocks = waves.find();
  if (blocks.empty())
    return PreservedAnalyses::none();
  Instruction &shared = *findSharedMemory(*function);
  bool storesEarly = kernel.options.isEnabled("hoist-tile-stores");
  if (storesEarly && unrollCopies(*function, shared, blocks, kernel.machine)) {
    if (!waves.look())
      return PreservedAnalyses::none();
    blocks = waves.find();
  }
  bool isChanged = false;
  for (BasicBlock *block : blocks)
    isChanged |= waves.run(*block, storesEarly);
  if (isChanged && storesEarly)
    dropUnreadShared(shared);
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
