// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of their own.
//
// A loop in which each lane walks along a row of its own (the neighbours of a node of a graph, the
// elements of a sparse row) reads a new cache line now and then, and of 32 lanes some lane does so
// in nearly every step: all wait for it each time. So before the loop each lane fetches the line
// after the one that its row begins in:
//
//     preheader:                            preheader:
//                                             for each lane: prefetch %edges + 4 * %start + 64
//     loop:                            ->   loop:
//       %e = phi [%start], [%e + 1]           %e = phi [%start], [%e + 1]
//       %x = gather %edges + 4 * %e           %x = gather %edges + 4 * %e
//
// Legality (prefetch-row-starts): none: it only adds prefetches, which never fault.
#include "simt/widen/memory/row_prefetches.h"

#include "simt/widen/memory/shared_registers.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr int64_t Line = 64;        ///< bytes
constexpr int64_t LongestStep = 16; ///< bytes from one element of a row to the next
constexpr unsigned LanesAtOnce = 8; ///< in the loop over all lanes
constexpr unsigned MostLines = 64;  ///< of one access of a whole program

/// The constant that is added to a variable in each turn of its loop; 0 if it is none.
int64_t stepOf(PHINode &variable, BasicBlock &before) {
  if (variable.getNumIncomingValues() != 2 || !variable.getType()->isIntegerTy())
    return 0;
  unsigned start = variable.getBasicBlockIndex(&before);
  auto *next = dyn_cast<BinaryOperator>(variable.getIncomingValue(1 - start));
  if (!next || next->getOpcode() != Instruction::Add || next->getOperand(0) != &variable)
    return 0;
  auto *step = dyn_cast<ConstantInt>(next->getOperand(1));
  return step && step->getValue().isSignedIntN(32) ? step->getSExtValue() : 0;
}

} // namespace

/// `element` is an address that is read in the loop from `block` on, by a variable that is
/// different in each lane.
bool RowPrefetches::readsRow(GetElementPtrInst &element, int64_t step) const {
  int64_t size = e_.module.getDataLayout().getTypeAllocSize(element.getSourceElementType());
  Value *base = element.getPointerOperand();
  if (element.getNumIndices() != 1 || step * size <= 0 || step * size > LongestStep ||
      !e_.shapes.isUniform(base) || !values_.isAtHand(base) || isShared(e_, base))
    return false;
  return any_of(element.users(), [](const User *user) {
    const auto *load = dyn_cast<LoadInst>(user);
    return load && load->isSimple();
  });
}

void RowPrefetches::emitBefore(BasicBlock &block) {
  auto *jump = dyn_cast<BranchInst>(block.getTerminator());
  if (e_.width == 1 || !jump || jump->isConditional() ||
      !e_.options.isEnabled("prefetch-row-starts"))
    return;
  BasicBlock &header = *jump->getSuccessor(0);
  if (facts_.order.index(&header) <= facts_.order.index(&block))
    return;
  SmallPtrSet<Value *, 4> fetched;
  for (PHINode &variable : header.phis()) {
    int64_t step = e_.shapes.isScalar(&variable) ? 0 : stepOf(variable, block);
    if (step == 0)
      continue;
    SmallVector<std::pair<Value *, CastInst *>, 4> indices = {{&variable, nullptr}};
    for (User *user : variable.users())
      if (auto *wide = dyn_cast<CastInst>(user);
          wide && (isa<SExtInst>(wide) || isa<ZExtInst>(wide)))
        indices.push_back({wide, wide});
    for (auto [index, wide] : indices)
      for (User *user : index->users()) {
        auto *element = dyn_cast<GetElementPtrInst>(user);
        if (element && element->getOperand(1) == index && readsRow(*element, step) &&
            fetched.insert(element->getPointerOperand()).second)
          fetchRow(*element, values_.vector(variable.getIncomingValueForBlock(&block)), wide);
      }
  }
}

void RowPrefetches::fetchRow(GetElementPtrInst &element, Value *start, CastInst *wide) {
  if (wide)
    start = builder_.CreateCast(wide->getOpcode(), start, e_.vectorType(wide->getType()));
  Value *row = builder_.CreateGEP(element.getSourceElementType(),
                                  values_.scalar(element.getPointerOperand()), start);
  Value *next = builder_.CreateGEP(builder_.getInt8Ty(), row, builder_.getInt64(Line));
  loops_.forEachLane(
      nullptr,
      [&](Value *lane) -> Value * {
        fetchLine(arrays_.extractLane(next, lane));
        return nullptr;
      },
      LanesAtOnce);
}

void RowPrefetches::fetchLine(Value *address) {
  enum { ForReading = 0, InAllCaches = 3, Data = 1 };
  builder_.CreateIntrinsic(Intrinsic::prefetch, {address->getType()},
                           {address, builder_.getInt32(ForReading), builder_.getInt32(InAllCaches),
                            builder_.getInt32(Data)});
}

/// The lanes of a segment are counted from its first; of those that may come here the outermost
/// count, inactive ones do no harm.
void RowPrefetches::emitFetch(CallInst &call) {
  Value *address = call.getArgOperand(0);
  Shape shape = e_.shapes.of(address);
  int64_t bytes = cast<ConstantInt>(call.getArgOperand(2))->getSExtValue();
  unsigned segment = std::min(shape.segment, e_.width), period = std::min(shape.period, e_.width);
  if (shape.uniform())
    segment = period = e_.width;
  unsigned segments = std::max(1u, period / segment);
  const BitVector &possible = masks_.possible();
  SmallVector<std::pair<int64_t, int64_t>, 16> spans(segments, {INT64_MAX, INT64_MIN});
  int64_t lines = 0;
  for (unsigned lane : possible.set_bits()) {
    auto &[low, high] = spans[lane % period / segment];
    int64_t place = shape.stride * int64_t(lane % segment);
    low = std::min(low, place);
    high = std::max(high, place + bytes);
  }
  for (auto [low, high] : spans)
    lines += low < high ? divideCeil(high - low, Line) : 0;
  if (e_.width == 1 || !e_.shapes.isUniform(call.getArgOperand(1)) || lines > MostLines)
    return;
  Value *step = values_.scalar(call.getArgOperand(1));
  for (auto [i, span] : enumerate(spans)) {
    if (span.first >= span.second)
      continue;
    Value *start =
        builder_.CreateGEP(builder_.getInt8Ty(), values_.pointerAt(address, i * segment), step);
    for (int64_t line = span.first; line < span.second; line += Line)
      fetchLine(builder_.CreateConstGEP1_64(builder_.getInt8Ty(), start, line));
  }
}

} // namespace heddle::simt
