// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: lane_runs.h.
//
// Legality (lane-runs):
//  1. The program is the block: a lane is one thread. [whole block]
//  2. The address is a sum of products of scalars, with numbers for each thread ... [scalars]
//  3. ... that is exact where it is not poison (analysis/overflow.h). [no wrap]
//  4. Within a run only numbers differ, by the size of an element. [neighbours]
#include "simt/analysis/lane_runs.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

/// Lanes of a run, in the mean, from which it is worth an access of its own.
static constexpr unsigned FewestInRun = 4;

/// Machines with such registers have masked accesses of such elements. Without them a part of a run
/// would be an access for each lane.
static bool hasMaskedAccess(const VectorRegisters &registers, int64_t size) {
  return registers.bits >= 512 || (registers.bits >= 256 && size >= 4);
}

unsigned LaneRuns::pieces(unsigned count) const {
  unsigned result = firstLanes.count();
  for (unsigned lane = count; lane < firstLanes.size(); lane += count)
    result += !firstLanes.test(lane);
  return result;
}

/// Scalars only, and one pointer, in all threads once.
static bool isOfScalars(const ThreadSum &sum, const Shapes &shapes) {
  unsigned pointers = 0;
  for (const auto &[product, table] : sum.products) {
    bool isPointer =
        any_of(product, [](const Value *factor) { return factor->getType()->isPointerTy(); });
    pointers += isPointer;
    if (isPointer && (product.size() != 1 || !all_of(table, [](int64_t n) { return n == 1; })))
      return false;
    if (!all_of(product, [&](const Value *factor) { return shapes.isScalar(factor); }))
      return false;
  }
  return pointers == 1;
}

LaneRuns runsOf(const Value *address, int64_t size, const Shapes &shapes, const Options &options) {
  unsigned threads = options.threads();
  if (shapes.width() == 1 || shapes.width() < threads ||
      shapes.of(address).period != shapes.width() || !options.isEnabled("lane-runs") ||
      !hasMaskedAccess(options.registers, size) || !isa<Instruction>(address))
    return {};
  ThreadTables tables(options.blockDim);
  ThreadSums sums(tables, shapes, cast<Instruction>(address)->getDataLayout());
  std::optional<ThreadSum> sum = sums.modular(const_cast<Value &>(*address));
  if (!sum || !isOfScalars(*sum, shapes))
    return {};
  LaneRuns result{std::move(*sum), BitVector(threads)};
  for (unsigned lane = 0; lane < threads; ++lane) {
    bool goesOn = lane > 0 && all_of(result.address.products, [&](const auto &product) {
                    return product.second[lane] - product.second[lane - 1] ==
                           (product.first.empty() ? size : 0);
                  });
    result.firstLanes[lane] = !goesOn;
  }
  return result.firstLanes.count() * FewestInRun <= threads ? std::move(result) : LaneRuns();
}

LaneRuns runsOf(const Instruction &access, const Shapes &shapes, const Options &options) {
  Type *type = getLoadStoreType(const_cast<Instruction *>(&access));
  return hasOwnForm(access, shapes)
             ? LaneRuns()
             : runsOf(getLoadStorePointerOperand(&access),
                      access.getDataLayout().getTypeStoreSize(type), shapes, options);
}

} // namespace heddle::simt
