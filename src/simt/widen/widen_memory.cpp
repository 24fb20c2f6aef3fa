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
//     a small constant stride     one wide access and shuffles (widen_interleaved.cpp)
//     a known place each          one wide access and a shuffle
//     by columns                  one vector access a column, and a transposition (columns.h)
//     anything else               gather, scatter
//
// Inactive lanes touch no memory: masks stay on, and where they are known to be full later passes
// drop them.
#include "simt/widen/widener.h"

#include "simt/lower/lower_nvvm.h"
#include "simt/thread/mark_streams.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// The most scalar loads that take the place of one gather.
constexpr unsigned MaxParts = 32;
/// The most elements a lane that a wide access spans.
constexpr unsigned MostSpread = 4;

bool wholeBytes(Type *type) { return !type->isIntegerTy() || type->getIntegerBitWidth() % 8 == 0; }

} // namespace

Error Widener::emitLoad(LoadInst &load) {
  Value *address = load.getPointerOperand();
  bool ordered = load.isVolatile() || load.isAtomic();
  if (e_.shapes.isUniform(address) || e_.width == 1) {
    LoadInst *copy = builder_.CreateAlignedLoad(e_.scalarType(load.getType()),
                                                values_.scalar(address), load.getAlign());
    copy->setVolatile(load.isVolatile());
    copy->setAtomic(load.getOrdering(), load.getSyncScopeID());
    copy->copyMetadata(load);
    values_.define(load, copy);
    return Error::success();
  }
  if (load.getType()->isAggregateType())
    return errorAt(load, "a load of a whole aggregate is not supported");
  if (emitInterleavedLoad(load))
    return Error::success();
  if (ordered)
    e_.compilerFence();
  Value *value = loadVector(load);
  if (ordered)
    e_.compilerFence();
  values_.define(load, value);
  return Error::success();
}

/// Of the values that are kept in this shape: those of which one lane may be active here.
BitVector Widener::possibleLanes(Shape all) const {
  BitVector possible(all.parts());
  for (unsigned lane : masks_.possible().set_bits())
    possible.set(all.part(lane));
  return possible;
}

/// The same if they are so few that an access for each is best, else none.
BitVector Widener::fewLanes(Shape all) const {
  BitVector few = possibleLanes(all);
  return e_.width > 1 && few.count() * FewLanes <= few.size() ? few : BitVector();
}

/// The element of one lane, as a vector; `mask` says whether it is active.
Value *Widener::loadLane(LoadInst &load, unsigned lane, Value *mask) {
  Type *one = FixedVectorType::get(e_.scalarType(load.getType()), 1);
  return builder_.CreateMaskedLoad(one, values_.pointerAt(load.getPointerOperand(), lane),
                                   load.getAlign(), mask, PoisonValue::get(one));
}

Value *Widener::loadFew(LoadInst &load, const BitVector &few) {
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

/// The lanes in which the loaded value is kept.
Value *Widener::loadVector(LoadInst &load) {
  Shape shape = e_.shapes.of(load.getPointerOperand());
  Type *element = e_.scalarType(load.getType());
  Lanes lanes = values_.lanesOf(&load);
  if (wholeBytes(element) && shape.segment >= 4) {
    if (shape.stride == 0 && lanes.count <= MaxParts)
      return loadParts(load);
    if (shape.stride == e_.sizeOf(element))
      return loadRuns(load);
  }
  auto gather = [&] {
    Type *type = FixedVectorType::get(element, lanes.count);
    return builder_.CreateMaskedGather(type, values_.at(load.getPointerOperand(), lanes),
                                       load.getAlign(), masks_.activeIn(lanes),
                                       PoisonValue::get(type));
  };
  if (isOnWavefront(load.getPointerOperand()))
    return gather();
  if (BitVector few = fewLanes(e_.shapes.of(&load)); few.any() && wholeBytes(element))
    return loadFew(load, few);
  if (wholeBytes(element) && isReversed(shape, element) && lanes.count == e_.width)
    return loadReversed(load);
  if (Window window = windowOf(shape, element, shape.period))
    return loadWindow(load, window);
  if (Columns columns = columnsAt(load.getPointerOperand(), element);
      columns && lanes.count == e_.width)
    return loadColumns(load, columns);
  return gather();
}

/// Constant in segments: one element each, spread over the lanes where they are needed.
Value *Widener::loadParts(LoadInst &load) {
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

/// The elements that `lanes` lanes touch, if their addresses lie close to each other at places that
/// the shape knows.
Widener::Window Widener::windowOf(Shape shape, Type *element, unsigned lanes) const {
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
Value *Widener::windowMask(const Window &window, Value *mask) {
  SmallVector<int, 256> picks(window.lanes.begin(), window.lanes.end());
  return builder_.CreateShuffleVector(mask, Constant::getNullValue(mask->getType()), picks);
}

Value *Widener::loadWindow(LoadInst &load, const Window &window) {
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

void Widener::storeWindow(Value *value, Value *address, Align align, const Window &window) {
  unsigned lanes = window.elements.size();
  SmallVector<int, 256> picks;
  for (unsigned lane : window.lanes)
    picks.push_back(lane == lanes ? PoisonMaskElem : int(lane));
  builder_.CreateMaskedStore(builder_.CreateShuffleVector(value, picks), values_.fetch(address),
                             align, windowMask(window, masks_.active()));
}

/// The segment that begins with a lane.
Value *Widener::loadRun(LoadInst &load, unsigned lane, Value *mask) {
  Value *address = load.getPointerOperand();
  Type *run = FixedVectorType::get(e_.scalarType(load.getType()), e_.shapes.of(address).segment);
  CallInst *call = builder_.CreateMaskedLoad(run, values_.pointerAt(address, lane), load.getAlign(),
                                             mask, PoisonValue::get(run));
  call->setMetadata(StreamMetadata, load.getMetadata(StreamMetadata));
  return call;
}

/// Contiguous in segments: one vector each, for one period.
Value *Widener::loadRuns(LoadInst &load) {
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

Error Widener::emitStore(StoreInst &store) {
  Value *address = store.getPointerOperand(), *stored = store.getValueOperand();
  bool ordered = store.isVolatile() || store.isAtomic();
  bool oneAddress = e_.shapes.isUniform(address) || e_.width == 1;
  if (oneAddress) {
    Value *value = nullptr;
    if (e_.shapes.isUniform(stored) || e_.width == 1) {
      value = values_.scalar(stored);
    } else { // the last active lane's value stays, as if the lanes stored one after another
      value = arrays_.extractLane(values_.vector(stored), masks_.lastActive());
    }
    StoreInst *copy = builder_.CreateAlignedStore(value, values_.scalar(address), store.getAlign());
    copy->setVolatile(store.isVolatile());
    copy->setAtomic(store.getOrdering(), store.getSyncScopeID());
    copy->copyMetadata(store);
    return Error::success();
  }
  if (stored->getType()->isAggregateType())
    return errorAt(store, "a store of a whole aggregate is not supported");
  if (emitInterleavedStore(store))
    return Error::success();
  if (ordered)
    e_.compilerFence();
  storeVector(values_.vector(stored), address, store.getAlign(), store.getMetadata(StreamMetadata));
  if (ordered)
    e_.compilerFence();
  return Error::success();
}

Columns Widener::columnsAt(const Value *address, Type *element) const {
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

/// One vector for each column.
Value *Widener::loadColumns(LoadInst &load, Columns columns) {
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

void Widener::storeColumns(Value *value, Value *address, Align align, Columns columns,
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

/// The elements that may be active, one by one.
void Widener::storeLanes(Value *value, Value *address, Align align, const BitVector &lanes) {
  for (unsigned lane : lanes.set_bits())
    builder_.CreateMaskedStore(slice(builder_, value, lane, 1), values_.pointerAt(address, lane),
                               align, slice(builder_, masks_.active(), lane, 1));
}

void Widener::storeVector(Value *value, Value *address, Align align, MDNode *stream) {
  Shape shape = e_.shapes.of(address);
  Type *element = cast<VectorType>(value->getType())->getElementType();
  int64_t size = e_.sizeOf(element);
  if (!wholeBytes(element) || shape.segment < 4 || shape.stride != size) {
    bool isWave = isOnWavefront(address);
    BitVector few = fewLanes({1, e_.width, 0, 0, false, 0});
    if (!isWave && few.any() && wholeBytes(element))
      return storeLanes(value, address, align, few);
    if (!isWave && wholeBytes(element) && isReversed(shape, element))
      return storeReversed(value, address, align, stream);
    if (Window window = isWave ? Window() : windowOf(shape, element, e_.width))
      return storeWindow(value, address, align, window);
    if (Columns columns = isWave ? Columns() : columnsAt(address, element))
      return storeColumns(value, address, align, columns, stream);
    builder_.CreateMaskedScatter(value, values_.vector(address), align, masks_.active());
    return;
  }
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

/// Per-thread memory: one array of the alloca's type, an element a lane.
Error Widener::emitAlloca(AllocaInst &alloca) {
  if (!isa<ConstantInt>(alloca.getArraySize()))
    return errorAt(alloca, "a variable-length array is not supported in device code");
  Type *type = alloca.getAllocatedType();
  if (!cast<ConstantInt>(alloca.getArraySize())->isOne())
    type = ArrayType::get(type, cast<ConstantInt>(alloca.getArraySize())->getZExtValue());
  auto *local = new AllocaInst(ArrayType::get(type, e_.width), 0, nullptr,
                               std::max(alloca.getAlign(), Align(e_.width > 1 ? 64 : 1)),
                               alloca.getName(), e_.allocaPoint->getIterator());
  allocas_[&alloca] = local;
  values_.define(alloca, local);
  if (e_.width == 1) // a lane's variable lies where the debugger looks for it
    for (DbgVariableRecord *record : findDVRDeclares(&alloca))
      e_.allocaPoint->getParent()->insertDbgRecordBefore(
          DbgVariableRecord::createDVRDeclare(local, record->getVariable(), record->getExpression(),
                                              record->getDebugLoc().get()),
          e_.allocaPoint->getIterator());
  return Error::success();
}

} // namespace heddle::simt
