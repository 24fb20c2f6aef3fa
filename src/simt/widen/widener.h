// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The class behind widen.h, shared by the widen_*.cpp files: control flow (widen.cpp), instructions
// (widen_values.cpp), memory (widen_memory.cpp), atomics (widen_atomic.cpp, widen_atomic_group.cpp,
// widen_deferred.cpp),
// arrays of structures (widen_interleaved.cpp), loops over lanes (widen_lanes.cpp), blocks of such
// loops (widen_serialized.cpp), calls
// (widen_call.cpp), warp operations and barriers (widen_warp.cpp), heddle.all (widen_all.cpp).
#pragma once

#include "simt/analysis/intrinsics.h"
#include "simt/analysis/lane_subset.h"
#include "simt/analysis/order.h"
#include "simt/analysis/pending.h"
#include "simt/analysis/shapes.h"
#include "simt/form/columns.h"
#include "simt/widen/widen.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::simt {

/// What all functions of one module share.
struct WidenContext {
  llvm::Module &module;
  const ThreadProgram &program;
  const Options &options;
  llvm::TargetMachine &machine;
  llvm::DenseMap<llvm::Function *, llvm::Function *>
      functions; ///< thread function -> warp function
  WarpProgram result;

  WidenContext(llvm::Module &module, const ThreadProgram &program, const Options &options,
               llvm::TargetMachine &machine)
      : module(module), program(program), options(options), machine(machine) {}
};

/// Lanes 0, `step`, 2 * `step` and so on: those in which a vector of `count` elements has its
/// values. A single one is lane 0, and a scalar.
struct Lanes {
  unsigned step = 1, count = 1;
};

/// Elements [first, first + count) of a vector.
llvm::Value *slice(llvm::IRBuilder<> &, llvm::Value *vector, unsigned first, unsigned count);
/// What emitExchange gives: the values of the warp and the lanes that are there, at any width.
std::pair<llvm::Value *, llvm::Value *> unpackExchange(llvm::IRBuilder<> &, llvm::Value *pair);

/// Vectors of one type, one after the other.
llvm::Value *concatenate(llvm::IRBuilder<> &, llvm::ArrayRef<llvm::Value *>);

class Widener {
public:
  Widener(WidenContext &, llvm::Function &thread, llvm::Function &warp, const BlockOrder &,
          const Shapes &, const llvm::DominatorTree &, std::vector<unsigned> sameMasks);
  llvm::Error run();

private:
  // Control flow (widen.cpp).
  llvm::Error emitBlock(unsigned index);
  void takeMask(unsigned index);
  void emitVariables(llvm::Instruction &);
  void emitTerminator(llvm::BasicBlock &);
  void emitEdge(llvm::BasicBlock &from, llvm::BasicBlock &to, llvm::Value *mask);
  void emitDispatch(llvm::BitVector candidates, int certain);
  bool isCertain(unsigned next) const;
  llvm::Value *any(llvm::Value *mask);
  llvm::Value *anyWaits(unsigned index);
  llvm::Constant *lanesMask(const llvm::BitVector &lanes);
  /// Bit l of an integer of `width` bits is lane l of the mask; up to 32 lanes, as an i32.
  llvm::Value *maskInteger(llvm::Value *mask);
  llvm::Value *maskBits(llvm::Value *mask);
  /// The same for each CUDA warp: an i32, or a vector of them.
  llvm::Value *warpBits(llvm::Value *mask);
  /// Lane l of an i1 vector over `lanes` is set if a lane that it stands for is active.
  llvm::Value *maskAt(Lanes);
  llvm::Value *lastActive();
  llvm::Value *bitsOfWarp(llvm::Value *maskInteger, llvm::Value *number);
  /// The first CUDA warp with a bit in `mask`, numbered in the block: (warp, its bits).
  std::pair<llvm::Value *, llvm::Value *> reportedLanes(llvm::Value *maskInteger);
  llvm::Value *maskFromBits(llvm::Value *bits);

  // Values (widen_values.cpp).
  llvm::Error emitInstruction(llvm::Instruction &);
  llvm::Value *divisor(llvm::BinaryOperator &, Lanes);
  llvm::Value *activeWhere(llvm::Value *condition);
  llvm::Value *emitElementwise(llvm::Instruction &, Lanes);
  Lanes lanesOf(const llvm::Value *) const; ///< those in which a value is kept
  Lanes allLanes() const { return {1, width_}; }
  static unsigned keyOf(Lanes lanes) { return lanes.step << 16 | lanes.count; }
  llvm::Value *at(llvm::Value *, Lanes);
  llvm::Value *scalar(llvm::Value *v) { return at(v, {1, 1}); }
  llvm::Value *vector(llvm::Value *v) { return at(v, allLanes()); }
  llvm::Value *fetch(llvm::Value *); ///< as it is kept
  llvm::Value *addOffsets(llvm::Value *vector, llvm::ArrayRef<int64_t> offsets, bool cannotCarry);
  llvm::Value *pointerAt(llvm::Value *address, unsigned lane);
  void define(llvm::Instruction &, llvm::Value *);
  llvm::Value *splat(llvm::Value *v) { return splat(v, width_); }
  llvm::Value *splat(llvm::Value *, unsigned count);
  llvm::Value *pick(llvm::Value *, llvm::ArrayRef<int> picks);
  llvm::Value *constantFor(llvm::Constant *, unsigned count);
  llvm::Type *scalarType(llvm::Type *) const;
  llvm::Type *vectorType(llvm::Type *type) const { return vectorType(type, width_); }
  llvm::Type *vectorType(llvm::Type *, unsigned count) const;
  llvm::Type *keptType(llvm::Value *v) const { return vectorType(v->getType(), lanesOf(v).count); }
  llvm::AllocaInst *newSlot(llvm::Type *, const llvm::Twine &name);
  llvm::Value *laneNumbers(llvm::Type *element) { return laneNumbers(element, allLanes()); }
  llvm::Value *laneNumbers(llvm::Type *element, Lanes);

  // Memory (widen_memory.cpp).
  llvm::Error emitLoad(llvm::LoadInst &);
  llvm::Error emitStore(llvm::StoreInst &);
  llvm::Error emitAlloca(llvm::AllocaInst &);
  llvm::BitVector possibleLanes(Shape all) const;
  llvm::BitVector fewLanes(Shape all) const;
  llvm::Value *loadLane(llvm::LoadInst &, unsigned lane, llvm::Value *mask);
  llvm::Value *loadFew(llvm::LoadInst &, const llvm::BitVector &few);
  llvm::Value *loadVector(llvm::LoadInst &);
  llvm::Value *loadParts(llvm::LoadInst &);
  llvm::Value *loadRun(llvm::LoadInst &, unsigned lane, llvm::Value *mask);
  llvm::Value *loadRuns(llvm::LoadInst &);
  /// Neighbouring elements of memory, each touched by at most one lane.
  struct Window {
    llvm::SmallVector<unsigned, 0> elements; ///< by lane
    llvm::SmallVector<unsigned, 0> lanes;    ///< by element; the number of lanes where none is
    explicit operator bool() const { return !elements.empty(); }
  };
  Window windowOf(Shape, llvm::Type *element, unsigned lanes) const;
  llvm::Value *windowMask(const Window &, llvm::Value *mask);
  llvm::Value *loadWindow(llvm::LoadInst &, const Window &);
  Columns columnsAt(const llvm::Value *address, llvm::Type *element) const;
  llvm::Value *loadColumns(llvm::LoadInst &, Columns);
  void storeColumns(llvm::Value *value, llvm::Value *address, llvm::Align, Columns,
                    llvm::MDNode *stream);
  void storeWindow(llvm::Value *value, llvm::Value *address, llvm::Align, const Window &);
  void storeLanes(llvm::Value *value, llvm::Value *address, llvm::Align, const llvm::BitVector &);
  void storeVector(llvm::Value *value, llvm::Value *pointer, llvm::Align, llvm::MDNode *stream);
  void compilerFence();

  // Arrays of structures (widen_interleaved.cpp).
  struct InterleavedGroup {
    int64_t factor = 0; ///< elements a structure
    int64_t size = 0;   ///< bytes an element
    int64_t low = 0;    ///< offset of the first member from the common root pointer
    llvm::SmallVector<std::pair<llvm::Instruction *, int64_t>, 4> members; ///< with their offsets
  };
  int64_t interleavedSize(llvm::Instruction *) const;
  InterleavedGroup findGroup(llvm::Instruction &first) const;
  llvm::Value *spreadMask(const InterleavedGroup &);
  llvm::Align groupAlign(const InterleavedGroup &) const;
  llvm::Value *groupBase(const InterleavedGroup &, unsigned lane);
  llvm::Value *loadStructs(const InterleavedGroup &, llvm::MDNode *stream);
  llvm::Value *wordsOf(llvm::Value *wide, const InterleavedGroup &);
  void storeStructs(llvm::Value *wide, const InterleavedGroup &, llvm::MDNode *stream);
  bool emitInterleavedLoad(llvm::LoadInst &);
  bool emitInterleavedStore(llvm::StoreInst &);

  // Neighbours in falling order (widen_reversed.cpp).
  bool isReversed(Shape, llvm::Type *element) const;
  llvm::Value *loadReversed(llvm::LoadInst &);
  void storeReversed(llvm::Value *value, llvm::Value *address, llvm::Align, llvm::MDNode *stream);

  // Atomics (widen_atomic.cpp).
  llvm::Error emitAtomic(llvm::Instruction &);
  llvm::Value *emitCombinedAtomic(llvm::AtomicRMWInst &);
  llvm::Value *emitContiguousAtomic(llvm::AtomicRMWInst &);
  using AtomicGroup = llvm::SmallVector<std::pair<llvm::AtomicRMWInst *, int64_t>, 8>;
  AtomicGroup findAtomicGroup(llvm::AtomicRMWInst &first) const;
  struct AtomicPiece;
  llvm::SmallVector<AtomicPiece, 8> piecesOf(const AtomicGroup &);
  llvm::Value *operandsOfLane(const AtomicPiece &, llvm::Value *lane);
  llvm::SmallVector<llvm::Value *, 16> operandsOfSquare(const AtomicPiece &, llvm::Value *first);
  void emitAtomicGroup(AtomicGroup);
  bool emitInGroup(llvm::AtomicRMWInst &);
  bool emitDeferredAdd(llvm::AtomicRMWInst &);
  void addTogether(llvm::AtomicRMWInst &, llvm::Value *table, int64_t size);
  void addByLane(llvm::AtomicRMWInst &, llvm::Value *table, int64_t size);
  llvm::Value *emitSum(llvm::Value *lanes); ///< of all lanes
  llvm::Value *emitLanesInTurn(llvm::Instruction &, llvm::Type *resultType);
  llvm::Value *emitCompareAndSwap(llvm::AtomicCmpXchgInst &);
  struct LaneAddress {
    llvm::Value *base = nullptr; ///< of lane 0, of the array, or the addresses themselves
    int64_t stride = 0;
    llvm::GetElementPtrInst *element = nullptr;
    struct Index {
      llvm::Value *value;
      llvm::CastInst *extension;
      bool isInMemory; ///< still, where it was loaded from
    };
    llvm::SmallVector<Index, 2> indices;
  };
  void addToWhole(const LaneAddress &, llvm::Value *operands, llvm::Value *table, int64_t size,
                  llvm::BasicBlock *done);
  llvm::Value *isInWhole(const LaneAddress &, llvm::Value *table, llvm::Value *start, int64_t size);
  llvm::Value *deferredField(llvm::Value *table, uint64_t offset);
  LaneAddress laneAddress(const llvm::Instruction &access, llvm::Value *pointer);
  bool isStillInMemory(const llvm::Value *index, const llvm::Instruction &access);
  llvm::Value *addressOfLane(const LaneAddress &, llvm::Value *lane);
  bool isAtHand(const llvm::Value *) const; ///< can be used in the block being emitted
  bool isShared(llvm::Value *pointer) const;

  // Loops over lanes (widen_lanes.cpp).
  /// Runs `body` for each active lane, in lane order; `lane` is an i32. Where it returns a value,
  /// the lanes' values are collected in a vector of `resultType`. With `unroll` > 1 there is a
  /// second form for a full mask, of that many lanes at a time; `body` makes its code for each and
  /// must not begin new blocks.
  using LaneBody = llvm::function_ref<llvm::Value *(llvm::Value *lane)>;
  llvm::Value *forEachLane(llvm::Type *resultType, LaneBody body, unsigned unroll = 1);
  /// The same without results; `several` makes the code for `step` lanes, which divide the width,
  /// from the one that it is given on.
  using LanesBody = llvm::function_ref<void(llvm::Value *first)>;
  void forEachLane(LaneBody body, LanesBody several, unsigned step);
  class LaneResults;
  llvm::Value *runLanes(LaneResults &, LaneBody body, LanesBody several, unsigned step);
  void emitDenseLanes(LanesBody several, unsigned step, llvm::BasicBlock *done);
  void emitSparseLanes(LaneResults &, llvm::function_ref<llvm::Value *(llvm::Value *lane)> body,
                       llvm::AllocaInst *rest, llvm::BasicBlock *done);
  void forEachLaneInRange(llvm::function_ref<void(llvm::Value *lane)> body);
  void endLaneArrays();
  llvm::Value *extractLane(llvm::Value *v, llvm::Value *lane);
  llvm::Value *insertLane(llvm::Value *aggregate, llvm::Value *element, llvm::Value *lane);
  /// A uniform value as a scalar, any other as a vector: what a loop over lanes takes its operands
  /// from.
  llvm::Value *laneOperand(llvm::Value *v) { return shapes_.isUniform(v) ? scalar(v) : vector(v); }
  bool livesInMemory(llvm::Type *) const;
  llvm::AllocaInst *newLaneArray(llvm::Type *);
  llvm::Value *elementAddress(llvm::AllocaInst *array, llvm::Type *element, llvm::Value *lane);
  llvm::AllocaInst *inMemory(llvm::Value *);
  llvm::AllocaInst *resultArrayOf(llvm::Value *) const;

  // Blocks that run lane by lane (widen_serialized.cpp).
  bool mayPermute(llvm::BasicBlock &) const;
  bool runsSerialized(llvm::BasicBlock &);
  bool sharedMayBeRegisters();
  // Diagonals of tiles (widen_waves.cpp).
  enum class Reach { Known, Never, Unknown };
  Reach reachOf(const llvm::BasicBlock &);
  void findWaves();
  bool isOnWavefront(const llvm::Value *address);
  bool isSharedInRegisters(llvm::Instruction &access);
  llvm::Error emitSerialized(llvm::BasicBlock &);
  bool isRemade(const llvm::Value *, const llvm::SmallPtrSetImpl<const llvm::Value *> &taken,
                unsigned depth) const;
  llvm::SmallVector<llvm::Instruction *, 16> withRemade(llvm::ArrayRef<llvm::Instruction *> work);
  void emitLane(llvm::ArrayRef<llvm::Instruction *> work,
                const llvm::DenseMap<llvm::Value *, llvm::Value *> &outside,
                const llvm::DenseMap<llvm::Instruction *, llvm::AllocaInst *> &results,
                llvm::Value *lane);
  llvm::Value *scalarInLane(llvm::Value *inFirst, Shape, llvm::Value *lane);
  llvm::SmallPtrSet<const llvm::Instruction *, 16> madeOnce(const llvm::BasicBlock &) const;
  bool hasVectorForm(llvm::Instruction &access) const;

  // Rows that lanes walk along (widen_rows.cpp).
  void fetchRows(llvm::BasicBlock &);
  void fetchRow(llvm::GetElementPtrInst &, llvm::Value *start, llvm::CastInst *wide);
  void fetchLines(llvm::CallInst &);
  void fetchLine(llvm::Value *address);
  bool readsRow(llvm::GetElementPtrInst &, int64_t step) const;

  // Calls (widen_call.cpp).
  llvm::Error emitCall(llvm::CallInst &);
  llvm::Error emitWidenedIntrinsic(llvm::CallInst &);
  llvm::Error emitMath(llvm::CallInst &);
  llvm::Error emitScalarCall(llvm::CallInst &);
  void emitAlignmentCheck(llvm::CallInst &);
  llvm::Error emitDeviceCall(llvm::CallInst &);
  llvm::Error emitIndirectCall(llvm::CallInst &);
  llvm::Error emitPerLane(llvm::CallInst &);
  llvm::Error emitService(llvm::CallInst &, CallKind);
  llvm::Value *callSleef(const MathFunction &, llvm::ArrayRef<llvm::Value *> arguments,
                         unsigned lanes);
  /// The function pointer of a service (offset in Services).
  llvm::Value *service(size_t offset);
  llvm::Value *sourceLoc(llvm::Instruction &);

  // heddle.all (widen_all.cpp).
  llvm::Value *emitAllLanes(llvm::CallInst &);
  llvm::Value *holdsEverywhere(llvm::Value *condition, bool expected);
  llvm::Value *comparesEverywhere(llvm::ICmpInst &, bool expected);

  // Warp operations (widen_warp.cpp).
  llvm::Error emitWarpOperation(llvm::CallInst &, CallKind);
  llvm::Value *emitThreadIndex(llvm::CallInst &);
  llvm::Value *emitShuffle(llvm::CallInst &);
  llvm::Value *broadcast(llvm::CallInst &, llvm::Value *values);
  llvm::Value *emitVote(llvm::CallInst &);
  llvm::Value *matchBits(llvm::Value *value, llvm::Value *values, const llvm::APInt &unknown,
                         llvm::Value *peers);
  llvm::Value *emitMatch(llvm::CallInst &);
  llvm::Value *emitReduce(llvm::CallInst &);
  llvm::Value *inLanes(llvm::Value *perWarp, Lanes);
  llvm::Value *permuteWarps(llvm::Value *values, llvm::Value *index);
  llvm::Value *emitBarrier(llvm::CallInst &);
  llvm::Value *emitExchange(llvm::CallInst &, llvm::Value *members, llvm::Value *value);
  void emitWait(llvm::CallInst &, unsigned kind, llvm::Value *id, llvm::Value *threads,
                llvm::Value *mask, bool arriveOnly);
  void checkConverged(llvm::CallInst &);
  llvm::Value *field(llvm::Value *object, uint64_t offset);
  llvm::Value *warpState();

  WidenContext &context_;
  llvm::Module &module_;
  const Options &options_;
  llvm::Function &thread_;
  llvm::Function &warp_;
  const BlockOrder &order_;
  const Shapes &shapes_;
  const PendingBlocks pending_;
  LaneSubsets subsets_;
  std::optional<bool> sharedMayBeRegisters_;                 ///< once it is known
  std::optional<llvm::DenseSet<const llvm::Value *>> waves_; ///< addresses, once they are known
  unsigned width_;
  llvm::IRBuilder<> builder_;
  llvm::Instruction *allocaPoint_ = nullptr;

  std::vector<llvm::BasicBlock *>
      heads_; ///< by block index: where a block of the warp program begins
  std::vector<llvm::AllocaInst *> maskSlots_; ///< by block index: the lanes that wait at it
  const llvm::DominatorTree &dominators_;     ///< of the thread program
  const std::vector<unsigned> sameMasks_;     ///< by block index (same_mask.h)
  std::vector<bool> wholeSubsets_;            ///< by block index (whole_subsets.h)
  llvm::SmallPtrSet<const llvm::Instruction *, 16> columnAddresses_; ///< columns.h
  llvm::DenseMap<unsigned, llvm::AllocaInst *>
      activeSlots_; ///< the lanes of a block that another has the same lanes as
  llvm::Value *entryMask_ = nullptr;
  llvm::Value *mask_ = nullptr; ///< active lanes of the block being emitted
  unsigned current_ = 0;        ///< its index

  llvm::DenseMap<llvm::Value *, llvm::AllocaInst *> slots_;    ///< values used in other blocks
  llvm::DenseMap<llvm::Value *, llvm::AllocaInst *> phiSlots_; ///< what edges write for a phi
  llvm::DenseMap<llvm::Value *, llvm::Value *> local_;         ///< kept form, this block
  llvm::DenseMap<std::pair<llvm::Value *, unsigned>, llvm::Value *>
      localVectors_; ///< values in other lanes, this block
  llvm::DenseMap<llvm::AllocaInst *, llvm::AllocaInst *> allocas_; ///< per-thread memory
  std::vector<llvm::AllocaInst *> promotable_;
  llvm::DenseMap<llvm::Instruction *, llvm::Value *>
      interleaved_; ///< members of wide loads already made, this block
  llvm::DenseMap<llvm::Instruction *, InterleavedGroup> storeGroups_; ///< by their last store
  llvm::SmallPtrSet<llvm::Instruction *, 8> deferredStores_;
  llvm::DenseMap<llvm::AtomicRMWInst *, AtomicGroup> atomicGroups_; ///< by their last atomic
  llvm::SmallPtrSet<llvm::AtomicRMWInst *, 8> deferredAtomics_;     ///< done by that one
  llvm::Instruction *laneLoopEntry_ = nullptr; ///< the jump into the present loop over lanes
  llvm::MapVector<llvm::Value *, llvm::AllocaInst *> laneArrays_; ///< vectors put in memory for it
  llvm::SmallPtrSet<llvm::AllocaInst *, 8> resultArrays_;         ///< that loops over lanes leave
  llvm::Value *warpStateAddress_ = nullptr;
};

} // namespace heddle::simt
