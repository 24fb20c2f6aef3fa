// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem. A store into a line that no cache of the core holds waits for it. A processor of Intel's
// lets its stores go in order: those behind it wait too, and lines come one after the other until
// no place for stores is left and the program waits. So it is with arrays that a kernel only writes
// (one that is read as well has come with its loads).
//
// Method. A fetch goes when it is issued, not when its turn among the stores comes. Right before
// the store all lines of it are fetched for writing: they come at the same time, while what was
// stored before is still waiting.
//
//     store <32 x i32> %row, %to   ->   prefetch for writing %to, %to + 64, %to + 127
//                                       store <32 x i32> %row, %to
//
// Fetching earlier gains no more, or less: lines are driven out again. Stores that go past the
// caches want no line.
//
// Arrays that a kernel only writes are fetched so where they do not go past the caches (a copy, a
// step of Jacobi's); kernels that compute much gain nothing.
//
// Legality (prefetch-stores): none: it only adds prefetches of what is stored next. They never
// fault.
#include "jit/prefetch/prefetch.h"
#include "simt/analysis/pass_notes.h"

#include "llvm/IR/InstIterator.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr int64_t MostStoredBytes = 1024; ///< of one store

/// Of an array that is only written, and through the caches.
bool isMarked(const Instruction &store) {
  return (simt::CachedStore.isOn(store) || simt::StreamMetadata.isOn(store)) &&
         !store.hasMetadata(LLVMContext::MD_nontemporal);
}

} // namespace

void findStores(const FetchedFunction &where, Fetches &fetches) {
  for (Instruction &instruction : instructions(where.function)) {
    RangeAccess store = RangeAccess::from(instruction);
    if (store.isStore && isMarked(instruction) &&
        instruction.getOperand(0)->getType()->isVectorTy() && store.bytes >= Line &&
        store.bytes <= MostStoredBytes)
      if (Fetch *fetch = fetches.add(store))
        fetches.setAhead(*fetch, 0);
  }
}

} // namespace heddle::jit
