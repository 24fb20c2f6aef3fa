// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/lower/limit_alignment.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace heddle::simt {

static const Align MostAligned(16);

template <typename Access> static void limit(Access &access) {
  access.setAlignment(std::min(access.getAlign(), MostAligned));
}

static void limit(MemIntrinsic &intrinsic) {
  if (MaybeAlign align = intrinsic.getDestAlign(); align && *align > MostAligned)
    intrinsic.setDestAlignment(MostAligned);
  if (auto *transfer = dyn_cast<MemTransferInst>(&intrinsic))
    if (MaybeAlign align = transfer->getSourceAlign(); align && *align > MostAligned)
      transfer->setSourceAlignment(MostAligned);
}

void limitAlignment(Function &function) {
  for (Instruction &instruction : instructions(function)) {
    if (isa<LoadInst, StoreInst>(instruction))
      setLoadStoreAlignment(&instruction,
                            std::min(getLoadStoreAlignment(&instruction), MostAligned));
    else if (auto *update = dyn_cast<AtomicRMWInst>(&instruction))
      limit(*update);
    else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
      limit(*exchange);
    else if (auto *intrinsic = dyn_cast<MemIntrinsic>(&instruction))
      limit(*intrinsic);
  }
}

} // namespace heddle::simt
