// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/widen/memory/run_accesses.h"

#include "simt/widen/memory/segment_accesses.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

LaneRuns RunAccesses::runsAt(const Value *address, Type *element) const {
  if (!wholeBytes(element))
    return {};
  LaneRuns runs = runsOf(address, e_.sizeOf(element), e_.shapes, e_.options);
  bool isAtHand = all_of(runs.address.products, [&](const auto &product) {
    return all_of(product.first, [&](const Value *factor) { return values_.isAtHand(factor); });
  });
  return isAtHand ? std::move(runs) : LaneRuns();
}

/// Of the first lane of a run.
Value *RunAccesses::addressOf(const LaneRuns &runs, unsigned lane) {
  Value *pointer = nullptr;
  Value *offset = builder_.getInt64(0);
  for (const auto &[product, table] : runs.address.products) {
    if (product.size() == 1 && product.front()->getType()->isPointerTy()) {
      pointer = values_.scalar(product.front());
      continue;
    }
    Value *term = builder_.getInt64(uint64_t(table[lane]));
    for (Value *factor : product)
      term = builder_.CreateMul(builder_.CreateSExt(values_.scalar(factor), builder_.getInt64Ty()),
                                term);
    offset = builder_.CreateAdd(offset, term);
  }
  return builder_.CreatePtrAdd(pointer, offset);
}

/// Those in which a lane may be active.
std::vector<RunAccesses::Piece> RunAccesses::piecesOf(const LaneRuns &runs, Type *element,
                                                      unsigned lanes) {
  std::vector<Piece> result;
  unsigned threads = runs.firstLanes.size();
  for (int lane : runs.firstLanes.set_bits()) {
    int next = runs.firstLanes.find_next(lane);
    unsigned end = next < 0 ? threads : next;
    Value *address = nullptr;
    for (unsigned first = alignDown(lane, lanes); first < end; first += lanes) {
      BitVector within(e_.width);
      within.set(std::max<unsigned>(first, lane), std::min(first + lanes, end));
      within &= masks_.possible();
      if (within.none())
        continue;
      if (!address)
        address = addressOf(runs, lane);
      Value *mask = slice(builder_, masks_.active(), first, lanes);
      if (within.count() < lanes)
        mask = builder_.CreateAnd(mask, slice(builder_, masks_.of(within), first, lanes));
      result.push_back({first,
                        builder_.CreateConstGEP1_64(builder_.getInt8Ty(), address,
                                                    (int64_t(first) - lane) * e_.sizeOf(element)),
                        mask});
    }
  }
  return result;
}

Value *RunAccesses::load(LoadInst &load, const LaneRuns &runs) {
  Type *element = e_.scalarType(load.getType());
  unsigned lanes = lanesPerRegister(element);
  Type *type = FixedVectorType::get(element, lanes);
  SmallVector<Value *, 32> registers(e_.width / lanes, PoisonValue::get(type));
  Align align = commonAlignment(load.getAlign(), e_.sizeOf(element));
  for (const Piece &piece : piecesOf(runs, element, lanes)) {
    Value *&loaded = registers[piece.first / lanes];
    loaded = builder_.CreateMaskedLoad(type, piece.address, align, piece.mask, loaded);
  }
  return concatenate(builder_, registers);
}

void RunAccesses::store(Value *value, Align align, const LaneRuns &runs) {
  Type *element = cast<VectorType>(value->getType())->getElementType();
  unsigned lanes = lanesPerRegister(element);
  for (const Piece &piece : piecesOf(runs, element, lanes))
    builder_.CreateMaskedStore(slice(builder_, value, piece.first, lanes), piece.address,
                               commonAlignment(align, e_.sizeOf(element)), piece.mask);
}

unsigned RunAccesses::lanesPerRegister(Type *element) const {
  return std::min<unsigned>(e_.width, e_.options.registers.bits / 8 / e_.sizeOf(element));
}

} // namespace heddle::simt
