// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores of warp programs. What an address's shape allows decides the form:
//
//     uniform                     one scalar access
//     contiguous                  one masked vector access
//     contiguous in segments      one masked vector access a segment (the rows of a 16x16 block)
//     constant in segments        one element a segment
//     the same after a period     the accesses of one period
//     a small constant stride     one wide access and shuffles (interleaved_accesses.cpp)
//     a known place each          one wide access and a shuffle
//     contiguous in runs          masked vector accesses, one for each run in a register
//     by columns                  one vector access a column, and a transposition (columns.h)
//     anything else               gather, scatter
//
// Inactive lanes touch no memory: masks stay on, and where they are known to be full later passes
// drop them.
#include "simt/widen/memory/memory_accesses.h"

#include "simt/analysis/access_forms.h"
#include "simt/analysis/pass_notes.h"
#include "simt/lower/lower_nvvm.h"
#include "simt/thread/mark_streams.h"

#include "llvm/IR/Instructions.h"

#include <cmath>

using namespace llvm;

namespace heddle::simt {

/// Elements before the first lane's, where lanes go down.
static constexpr double MostBack = 15;

/// The most scalar loads that take the place of one gather.
static constexpr unsigned MaxParts = 32;

MemoryAccesses::MemoryAccesses(Emitter &emitter, Masks &masks, LaneArrays &arrays,
                               LaneValues &values)
    : e_(emitter), builder_(emitter.builder), masks_(masks), arrays_(arrays), values_(values),
      near_(emitter.shapes), segments_(emitter, masks, values), runs_(emitter, masks, values),
      shuffled_(emitter, masks, values), interleaved_(emitter, masks, values) {}

Expected<Value *> MemoryAccesses::emitLoad(LoadInst &load) {
  if (isOne(load.getPointerOperand()))
    return loadScalar(load);
  if (load.getType()->isAggregateType())
    return errorAt(load, "a load of a whole aggregate is not supported");
  if (Value *member = interleaved_.emitLoad(load))
    return member;
  bool ordered = load.isVolatile() || load.isAtomic();
  if (ordered)
    e_.compilerFence();
  Value *value = loadVector(load);
  if (ordered)
    e_.compilerFence();
  return value;
}

Value *MemoryAccesses::loadScalar(LoadInst &load) {
  LoadInst *copy = builder_.CreateAlignedLoad(
      e_.scalarType(load.getType()), values_.scalar(load.getPointerOperand()), load.getAlign());
  copy->setVolatile(load.isVolatile());
  copy->setAtomic(load.getOrdering(), load.getSyncScopeID());
  copy->copyMetadata(load);
  return copy;
}

/// Lanes that probably lie close together.
void MemoryAccesses::noteNear(const LoadInst &load, CallInst &gather) {
  int64_t size = e_.sizeOf(e_.scalarType(load.getType()));
  if (load.isVolatile() || load.isAtomic() || load.getAlign().value() < uint64_t(size))
    return;
  if (std::optional<Pace> pace = near_.of(*load.getPointerOperand(), size)) {
    double step = std::abs(pace->step), back = pace->step < 0 ? MostBack * double(size) : 0;
    NearGather.put(gather, {uint64_t(std::ceil(pace->spread + back)), uint64_t(std::ceil(step))});
  }
}

/// The lanes in which the loaded value is kept.
Value *MemoryAccesses::loadVector(LoadInst &load) {
  Shape shape = e_.shapes.of(load.getPointerOperand());
  Type *element = e_.scalarType(load.getType());
  Lanes lanes = values_.lanesOf(&load);
  if (wholeBytes(element) && shape.segment >= FewestInSegment) {
    if (shape.stride == 0 && lanes.count <= MaxParts)
      return segments_.loadParts(load);
    if (shape.stride == e_.sizeOf(element))
      return segments_.loadRuns(load);
  }
  auto gather = [&] {
    Type *type = FixedVectorType::get(element, lanes.count);
    CallInst *call = builder_.CreateMaskedGather(type, values_.at(load.getPointerOperand(), lanes),
                                                 load.getAlign(), masks_.activeIn(lanes),
                                                 PoisonValue::get(type));
    noteNear(load, *call);
    return call;
  };
  if (BitVector few = segments_.fewLanes(e_.shapes.of(&load)); few.any() && wholeBytes(element))
    return segments_.loadFew(load, few);
  if (wholeBytes(element) && shuffled_.isReversed(shape, element) && lanes.count == e_.width)
    return shuffled_.loadReversed(load);
  if (ShuffledAccesses::Window window = shuffled_.windowOf(shape, element, shape.period))
    return shuffled_.loadWindow(load, window);
  if (lanes.count == e_.width)
    if (LaneRuns runs = runs_.runsAt(load.getPointerOperand(), element))
      return runs_.load(load, runs);
  if (Columns columns = shuffled_.columnsAt(load.getPointerOperand(), element);
      columns && lanes.count == e_.width)
    return shuffled_.loadColumns(load, columns);
  return gather();
}

Error MemoryAccesses::emitStore(StoreInst &store) {
  Value *address = store.getPointerOperand(), *stored = store.getValueOperand();
  if (isOne(address)) {
    storeScalar(store);
    return Error::success();
  }
  if (stored->getType()->isAggregateType())
    return errorAt(store, "a store of a whole aggregate is not supported");
  if (interleaved_.emitStore(store))
    return Error::success();
  bool ordered = store.isVolatile() || store.isAtomic();
  if (ordered)
    e_.compilerFence();
  storeVector(values_.vector(stored), address, store.getAlign(), store.getMetadata(StreamMetadata));
  if (ordered)
    e_.compilerFence();
  return Error::success();
}

/// The last active lane's value stays, as if the lanes stored one after another.
void MemoryAccesses::storeScalar(StoreInst &store) {
  Value *stored = store.getValueOperand();
  Value *value = isOne(stored) ? values_.scalar(stored)
                               : arrays_.extractLane(values_.vector(stored), masks_.lastActive());
  StoreInst *copy = builder_.CreateAlignedStore(value, values_.scalar(store.getPointerOperand()),
                                                store.getAlign());
  copy->setVolatile(store.isVolatile());
  copy->setAtomic(store.getOrdering(), store.getSyncScopeID());
  copy->copyMetadata(store);
}

void MemoryAccesses::storeVector(Value *value, Value *address, Align align, MDNode *stream) {
  Shape shape = e_.shapes.of(address);
  Type *element = cast<VectorType>(value->getType())->getElementType();
  int64_t size = e_.sizeOf(element);
  if (!wholeBytes(element) || shape.segment < FewestInSegment || shape.stride != size) {
    BitVector few = segments_.fewLanes({1, e_.width, 0, 0, false, 0});
    if (few.any() && wholeBytes(element))
      return segments_.storeLanes(value, address, align, few);
    if (wholeBytes(element) && shuffled_.isReversed(shape, element))
      return shuffled_.storeReversed(value, address, align, stream);
    if (ShuffledAccesses::Window window = shuffled_.windowOf(shape, element, e_.width))
      return shuffled_.storeWindow(value, address, align, window);
    if (LaneRuns runs = runs_.runsAt(address, element))
      return runs_.store(value, align, runs);
    if (Columns columns = shuffled_.columnsAt(address, element))
      return shuffled_.storeColumns(value, address, align, columns, stream);
    builder_.CreateMaskedScatter(value, values_.vector(address), align, masks_.active());
    return;
  }
  segments_.storeRuns(value, address, align, stream);
}

bool MemoryAccesses::hasVectorForm(Instruction &access) const {
  Value *address = getLoadStorePointerOperand(&access);
  Shape shape = e_.shapes.of(address);
  Type *type = getLoadStoreType(&access);
  return shape.uniform() ||
         (shape.segment >= FewestInSegment &&
          (shape.stride == 0 || shape.stride == e_.sizeOf(type))) ||
         interleaved_.sizeOf(access) > 0 || shuffled_.windowOf(shape, type, shape.period) ||
         runs_.runsAt(address, type) || shuffled_.columnsAt(address, type);
}

} // namespace heddle::simt
