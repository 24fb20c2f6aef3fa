// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/widen/memory/segment_accesses.h"

#include "simt/analysis/lane_subset.h"
#include "simt/thread/mark_streams.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

bool wholeBytes(Type *type) { return !type->isIntegerTy() || type->getIntegerBitWidth() % 8 == 0; }

BitVector SegmentAccesses::possibleLanes(Shape all) const {
  BitVector possible(all.parts());
  for (unsigned lane : masks_.possible().set_bits())
    possible.set(all.part(lane));
  return possible;
}

BitVector SegmentAccesses::fewLanes(Shape all) const {
  BitVector few = possibleLanes(all);
  return e_.width > 1 && few.count() * FewLanes <= few.size() ? few : BitVector();
}

/// The element of one lane, as a vector; `mask` says whether it is active.
Value *SegmentAccesses::loadLane(LoadInst &load, unsigned lane, Value *mask) {
  Type *one = FixedVectorType::get(e_.scalarType(load.getType()), 1);
  return builder_.CreateMaskedLoad(one, values_.pointerAt(load.getPointerOperand(), lane),
                                   load.getAlign(), mask, PoisonValue::get(one));
}

Value *SegmentAccesses::loadFew(LoadInst &load, const BitVector &few) {
  Lanes lanes = values_.lanesOf(&load);
  Value *mask = masks_.activeIn(lanes),
        *kept = PoisonValue::get(FixedVectorType::get(e_.scalarType(load.getType()), lanes.count));
  for (unsigned i : few.set_bits()) {
    Value *single = loadLane(load, i * lanes.step, slice(builder_, mask, i, 1));
    kept =
        builder_.CreateInsertElement(kept, builder_.CreateExtractElement(single, uint64_t(0)), i);
  }
  return kept;
}

Value *SegmentAccesses::loadParts(LoadInst &load) {
  Lanes lanes = values_.lanesOf(&load);
  Type *element = e_.scalarType(load.getType());
  Value *mask = masks_.activeIn(lanes),
        *kept = PoisonValue::get(FixedVectorType::get(element, lanes.count));
  SmallVector<Value *, 32> spread;
  for (unsigned i = 0; i < lanes.count; ++i) {
    Value *single = loadLane(load, i * lanes.step, slice(builder_, mask, i, 1));
    SmallVector<int, 32> zeros(lanes.step, 0);
    spread.push_back(builder_.CreateShuffleVector(single, zeros));
    kept =
        builder_.CreateInsertElement(kept, builder_.CreateExtractElement(single, uint64_t(0)), i);
  }
  while (spread.size() * lanes.step < e_.width) // the period again
    spread.append(spread.begin(), spread.begin() + lanes.count);
  values_.remember(&load, values_.allLanes(), concatenate(builder_, spread));
  return kept;
}

/// The segment that begins with a lane.
Value *SegmentAccesses::loadRun(LoadInst &load, unsigned lane, Value *mask) {
  Value *address = load.getPointerOperand();
  Type *run = FixedVectorType::get(e_.scalarType(load.getType()), e_.shapes.of(address).segment);
  CallInst *call = builder_.CreateMaskedLoad(run, values_.pointerAt(address, lane), load.getAlign(),
                                             mask, PoisonValue::get(run));
  call->setMetadata(StreamMetadata, load.getMetadata(StreamMetadata));
  return call;
}

Value *SegmentAccesses::loadRuns(LoadInst &load) {
  Shape shape = e_.shapes.of(load.getPointerOperand());
  Type *run = FixedVectorType::get(e_.scalarType(load.getType()), shape.segment);
  Value *mask = masks_.activeIn({1, shape.period});
  BitVector possible = possibleLanes({1, shape.period, 0, 0, false, 0});
  SmallVector<Value *, 32> runs;
  for (unsigned first = 0; first < shape.period; first += shape.segment) {
    Value *loaded = PoisonValue::get(run);
    int lane = possible.find_first_in(first, first + shape.segment);
    bool single = lane >= 0 && possible.find_first_in(lane + 1, first + shape.segment) < 0;
    if (single)
      loaded = builder_.CreateInsertElement(
          loaded,
          builder_.CreateExtractElement(loadLane(load, lane, slice(builder_, mask, lane, 1)),
                                        uint64_t(0)),
          lane - first);
    else if (lane >= 0)
      loaded = loadRun(load, first, slice(builder_, mask, first, shape.segment));
    runs.push_back(loaded);
  }
  while (runs.size() * shape.segment <
         values_.lanesOf(&load).count) // a period too short to be kept
    runs.append(runs.begin(), runs.end());
  return concatenate(builder_, runs);
}

void SegmentAccesses::storeLanes(Value *value, Value *address, Align align,
                                 const BitVector &lanes) {
  for (unsigned lane : lanes.set_bits())
    builder_.CreateMaskedStore(slice(builder_, value, lane, 1), values_.pointerAt(address, lane),
                               align, slice(builder_, masks_.active(), lane, 1));
}

void SegmentAccesses::storeRuns(Value *value, Value *address, Align align, MDNode *stream) {
  Shape shape = e_.shapes.of(address);
  const BitVector &possible = masks_.possible();
  for (unsigned first = 0; first < e_.width; first += shape.segment) {
    BitVector here(e_.width);
    here.set(first, first + shape.segment);
    here &= possible;
    if (here.count() <= 1)
      storeLanes(value, address, align, here);
    else
      builder_
          .CreateMaskedStore(slice(builder_, value, first, shape.segment),
                             values_.pointerAt(address, first), align,
                             slice(builder_, masks_.active(), first, shape.segment))
          ->setMetadata(StreamMetadata, stream);
  }
}

} // namespace heddle::simt
