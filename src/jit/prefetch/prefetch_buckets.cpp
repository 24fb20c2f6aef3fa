// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buckets.
//
// A sort by digits writes each key behind the last one of its digit. That are hundreds of places
// which all move on slowly, more than a processor's prefetchers follow, and each store to a new
// cache line waits for it; the stores behind it wait too, for they are made in order. But the next
// line of a bucket is known as soon as the one before is written to:
//
//     loop: %place = load i32, %counter               loop: ...
//           store i32 (%place + 1), %counter    ->          store i32 %key, %out + 4 * %place
//           store i32 %key, %out + 4 * %place               prefetch %out + 4 * %place + 64
//
// into the second cache, since the lines that are written to and the ones behind them, of all
// buckets, would take most of the first one. Only one store of several in a line needs the fetch;
// to ask which costs more than to fetch.
//
// A prefetch is harmless at any address.
//
// Rejected, since each gains less: to fetch for writing, into the first cache, a further line, once
// a line, or for a key that comes later.
//
// Legality (prefetch-buckets): none: it only adds prefetches, a line behind what was stored. They
// never fault.
#include "jit/prefetch/prefetch_buckets.h"

#include "jit/prefetch/prefetch_grid_strides.h"
#include "simt/analysis/pass_notes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::jit {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr uint64_t Line = 64; ///< bytes

/// By how much the number that was loaded from memory is greater when it is stored there again in
/// the same block; 0: it is not.
uint64_t countedBy(const LoadInst &number) {
  for (const User *user : number.users()) {
    const APInt *step;
    if (!match(user, m_c_Add(m_Specific(&number), m_APInt(step))) || step->isNegative())
      continue;
    for (const User *one : user->users()) {
      const auto *store = dyn_cast<StoreInst>(one);
      if (store && store->isSimple() && store->getValueOperand() == user &&
          store->getPointerOperand() == number.getPointerOperand() &&
          store->getParent() == number.getParent())
        return step->getLimitedValue();
    }
  }
  return 0;
}

/// The store is to an element of an array that the kernel was given, the next one in its bucket.
bool fillsBucket(const StoreInst &store) {
  const auto *element = dyn_cast<GetElementPtrInst>(store.getPointerOperand());
  if (!element || element->getNumIndices() != 1 || !store.isSimple() ||
      !simt::StreamMetadata.isOn(store))
    return false;
  const Value *index = element->getOperand(1);
  if (isa<SExtInst, ZExtInst>(index))
    index = cast<CastInst>(index)->getOperand(0);
  const auto *number = dyn_cast<LoadInst>(index);
  if (!number || !number->isSimple())
    return false;
  uint64_t step = countedBy(*number);
  TypeSize size = store.getDataLayout().getTypeAllocSize(element->getSourceElementType());
  return step > 0 && step < Line && step * size.getFixedValue() < Line;
}

} // namespace

PreservedAnalyses PrefetchBuckets::run(Function &function, FunctionAnalysisManager &analyses) {
  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  SmallVector<StoreInst *, 8> found;
  for (Instruction &instruction : instructions(function))
    if (auto *store = dyn_cast<StoreInst>(&instruction))
      if (loops.getLoopFor(store->getParent()) && fillsBucket(*store))
        found.push_back(store);
  for (StoreInst *store : found) {
    IRBuilder<> builder(store->getNextNode());
    prefetchLines(builder,
                  builder.CreateConstGEP1_64(builder.getInt8Ty(), store->getPointerOperand(), Line),
                  /*bytes=*/1, FetchInto::Second);
  }
  return simt::changedInBlocks(!found.empty());
}

} // namespace heddle::jit
