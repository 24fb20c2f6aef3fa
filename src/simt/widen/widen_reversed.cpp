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
  return width_ > 1 && shape.segment >= 4 && shape.period == width_ &&
         shape.stride == -int64_t(module_.getDataLayout().getTypeStoreSize(element));
}

/// Segments from their last lanes' elements on.
Value *Widener::loadReversed(LoadInst &load) {
  unsigned segment = shapes_.of(load.getPointerOperand()).segment;
  Type *run = FixedVectorType::get(scalarType(load.getType()), segment);
  SmallVector<Value *, 32> runs;
  for (unsigned first = 0; first < width_; first += segment)
    runs.push_back(builder_.CreateVectorReverse(builder_.CreateMaskedLoad(
        run, pointerAt(load.getPointerOperand(), first + segment - 1), load.getAlign(),
        builder_.CreateVectorReverse(slice(builder_, mask_, first, segment)),
        PoisonValue::get(run))));
  return concatenate(builder_, runs);
}

void Widener::storeReversed(Value *value, Value *address, Align align, MDNode *stream) {
  unsigned segment = shapes_.of(address).segment;
  for (unsigned first = 0; first < width_; first += segment)
    builder_
        .CreateMaskedStore(builder_.CreateVectorReverse(slice(builder_, value, first, segment)),
                           pointerAt(address, first + segment - 1), align,
                           builder_.CreateVectorReverse(slice(builder_, mask_, first, segment)))
        ->setMetadata(StreamMetadata, stream);
}

} // namespace heddle::simt
