// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses to neighbours in falling order (`out[n - 1 - i] = in[i]`): one vector access from the
// last lane's element on, whose lanes are turned round in registers, as is the mask.
#include "simt/thread/mark_streams.h"
#include "simt/widen/widener.h"

using namespace llvm;

namespace heddle::simt {

/// The next lane has the element before.
bool Widener::isReversed(Shape shape, Type *element) const {
  return e_.width > 1 && shape.segment >= 4 && shape.period == e_.width &&
         shape.stride == -e_.sizeOf(element);
}

/// Segments from their last lanes' elements on.
Value *Widener::loadReversed(LoadInst &load) {
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

void Widener::storeReversed(Value *value, Value *address, Align align, MDNode *stream) {
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
