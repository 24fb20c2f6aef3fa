// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem. A walk over a tile stores a row to the matrix every few dozen instructions, and between
// two rows what the registers do not hold to the stack. Rows a power of two apart drive each other
// out of the first cache, so that each line of a row comes from the second one. A processor of
// Intel's lets its stores go in order: those to the stack wait behind the rows, whose lines come
// one after the other, until no place for stores is left and the walk waits too.
//
// Method. A fetch goes when it is issued, not when its turn among the stores comes. Right before
// the store all lines of the row are fetched for writing: they come at the same time, while what
// was stored before is still waiting.
//
//     store <32 x i32> %row, %to   ->   prefetch for writing %to, %to + 64, %to + 127
//                                       store <32 x i32> %row, %to
//
// Fetching some rows earlier gains less: more of the lines are driven out again. Stores that go
// past the caches want no line.
#include "jit/prefetch_stores.h"

#include "jit/prefetch_steps.h"
#include "simt/early_stores.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr uint64_t MostBytes = 1024; ///< of one row

/// A row's store, plain or under a mask: what it writes, and where. Null of all else.
std::pair<Value *, Value *> rowOf(Instruction &instruction) {
  if (!instruction.hasMetadata(simt::RowStore) ||
      instruction.hasMetadata(LLVMContext::MD_nontemporal))
    return {};
  if (auto *store = dyn_cast<StoreInst>(&instruction); store && store->isSimple())
    return {store->getValueOperand(), store->getPointerOperand()};
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (call && call->getIntrinsicID() == Intrinsic::masked_store)
    return {call->getArgOperand(0), call->getArgOperand(1)};
  return {};
}

} // namespace

void prefetchStores(Module &module) {
  SmallVector<Instruction *, 64> rows;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto [value, address] = rowOf(instruction); value && value->getType()->isVectorTy())
        rows.push_back(&instruction);
  for (Instruction *row : rows) {
    auto [value, address] = rowOf(*row);
    uint64_t bytes = module.getDataLayout().getTypeStoreSize(value->getType()).getFixedValue();
    if (bytes > MostBytes)
      continue;
    IRBuilder<> builder(row);
    prefetchRow(builder, address, bytes, FetchInto::First, FetchFor::Writing);
  }
}

} // namespace heddle::jit
