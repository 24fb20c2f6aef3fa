// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three forms. A window of memory holds all elements, each of one lane at most, at places that are
// known: one wide access and one shuffle. By columns (columns.h) there is a vector access for each,
// and a transposition. Neighbours in falling order (`out[n - 1 - i] = in[i]`) are one vector access
// from the last lane's element on, whose lanes are turned round in registers, as is the mask.
#include "simt/widen/memory/shuffled_accesses.h"

#include "simt/analysis/access_forms.h"
#include "simt/thread/mark_streams.h"
#include "simt/widen/memory/segment_accesses.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

/// The most elements a lane that a wide access spans.
static constexpr unsigned MostSpread = 4;

ShuffledAccesses::Window ShuffledAccesses::windowOf(Shape shape, Type *element,
                                                    unsigned lanes) const {
  int64_t size = e_.sizeOf(element);
  bool fits = wholeBytes(element) && e_.width > 1 && shape.regular && shape.span() > 0 &&
              shape.stride % size == 0 && shape.step % size == 0 &&
              shape.span() / size < int64_t(MostSpread * lanes);
  Window window;
  if (!fits)
    return window;
  window.lanes.assign(alignTo(shape.span() / size + 1, 16), lanes);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    unsigned &user = window.lanes[shape.offset(lane) / size];
    if (user != lanes) // two lanes at one place
      return Window();
    user = lane;
    window.elements.push_back(shape.offset(lane) / size);
  }
  return window;
}

/// Which elements of the window active lanes touch; `mask` has a bit for each lane.
Value *ShuffledAccesses::windowMask(const Window &window, Value *mask) {
  SmallVector<int, 256> picks(window.lanes.begin(), window.lanes.end());
  return builder_.CreateShuffleVector(mask, Constant::getNullValue(mask->getType()), picks);
}

Value *ShuffledAccesses::loadWindow(LoadInst &load, const Window &window) {
  unsigned lanes = window.elements.size();
  Type *type = FixedVectorType::get(e_.scalarType(load.getType()), window.lanes.size());
  Value *wide = builder_.CreateMaskedLoad(
      type, values_.fetch(load.getPointerOperand()), load.getAlign(),
      windowMask(window, masks_.activeIn({1, lanes})), PoisonValue::get(type));
  SmallVector<int, 256> picks;
  for (unsigned i = 0; i < values_.lanesOf(&load).count; ++i)
    picks.push_back(window.elements[i % lanes]);
  return builder_.CreateShuffleVector(wide, picks);
}

void ShuffledAccesses::storeWindow(Value *value, Value *address, Align align,
                                   const Window &window) {
  unsigned lanes = window.elements.size();
  SmallVector<int, 256> picks;
  for (unsigned lane : window.lanes)
    picks.push_back(lane == lanes ? PoisonMaskElem : int(lane));
  builder_.CreateMaskedStore(builder_.CreateShuffleVector(value, picks), values_.fetch(address),
                             align, windowMask(window, masks_.active()));
}

Columns ShuffledAccesses::columnsAt(const Value *address, Type *element) const {
  if (!wholeBytes(element) || e_.width == 1)
    return {};
  return columnsOf(address, e_.sizeOf(element), e_.shapes, e_.options);
}

/// Rows become columns, or back, in steps that make each register of the result of two: a perfect
/// shuffle for each doubling.
static Value *transposed(IRBuilder<> &builder, Value *value, unsigned rows, bool back) {
  unsigned lanes = cast<FixedVectorType>(value->getType())->getNumElements();
  SmallVector<int, 256> picks(lanes);
  for (unsigned i = 0; i < lanes / 2; ++i)
    for (unsigned half : {0u, 1u})
      (back ? picks[half * lanes / 2 + i] : picks[2 * i + half]) =
          back ? 2 * i + half : half * lanes / 2 + i;
  for (unsigned done = 1; done < rows; done *= 2)
    value = builder.CreateShuffleVector(value, picks);
  return value;
}

Value *ShuffledAccesses::loadColumns(LoadInst &load, Columns columns) {
  unsigned rows = e_.width / columns.count;
  Type *type = FixedVectorType::get(e_.scalarType(load.getType()), rows);
  SmallVector<Value *, 32> loaded;
  for (unsigned column = 0; column < columns.count; ++column)
    loaded.push_back(builder_.CreateMaskedLoad(
        type, values_.pointerAt(load.getPointerOperand(), column), load.getAlign(),
        builder_.CreateShuffleVector(masks_.active(),
                                     createStrideMask(column, columns.count, rows)),
        PoisonValue::get(type)));
  return transposed(builder_, concatenate(builder_, loaded), rows, /*back=*/true);
}

void ShuffledAccesses::storeColumns(Value *value, Value *address, Align align, Columns columns,
                                    MDNode *stream) {
  unsigned rows = e_.width / columns.count;
  Value *byColumns = transposed(builder_, value, rows, /*back=*/false);
  for (unsigned column = 0; column < columns.count; ++column)
    builder_
        .CreateMaskedStore(slice(builder_, byColumns, column * rows, rows),
                           values_.pointerAt(address, column), align,
                           builder_.CreateShuffleVector(
                               masks_.active(), createStrideMask(column, columns.count, rows)))
        ->setMetadata(StreamMetadata, stream);
}

bool ShuffledAccesses::isReversed(Shape shape, Type *element) const {
  return e_.width > 1 && shape.segment >= FewestInSegment && shape.period == e_.width &&
         shape.stride == -e_.sizeOf(element);
}

/// Segments from their last lanes' elements on.
Value *ShuffledAccesses::loadReversed(LoadInst &load) {
  unsigned segment = e_.shapes.of(load.getPointerOperand()).segment;
  Type *run = FixedVectorType::get(e_.scalarType(load.getType()), segment);
  SmallVector<Value *, 32> runs;
  for (unsigned first = 0; first < e_.width; first += segment)
    runs.push_back(builder_.CreateVectorReverse(builder_.CreateMaskedLoad(
        run, values_.pointerAt(load.getPointerOperand(), first + segment - 1), load.getAlign(),
        builder_.CreateVectorReverse(slice(builder_, masks_.active(), first, segment)),
        PoisonValue::get(run))));
  return concatenate(builder_, runs);
}

void ShuffledAccesses::storeReversed(Value *value, Value *address, Align align, MDNode *stream) {
  unsigned segment = e_.shapes.of(address).segment;
  for (unsigned first = 0; first < e_.width; first += segment)
    builder_
        .CreateMaskedStore(
            builder_.CreateVectorReverse(slice(builder_, value, first, segment)),
            values_.pointerAt(address, first + segment - 1), align,
            builder_.CreateVectorReverse(slice(builder_, masks_.active(), first, segment)))
        ->setMetadata(StreamMetadata, stream);
}

} // namespace heddle::simt
