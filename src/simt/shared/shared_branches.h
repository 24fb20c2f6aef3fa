// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/shared/shared_pieces.h"

namespace heddle::simt {

/// Takes branches away that skip nothing but stores to shared memory in registers when no lane
/// stores. The skipped code is a few vector operations and changes nothing then; with the branch
/// the whole of shared memory would be a phi.
///
///     br any(%m), some, join
///     some: store (select %m, %v, %old), %variable     ->   store (select %m, %v, %old), %variable
///     join:
void flattenStores(llvm::Function &, llvm::ArrayRef<MaskedStore> stores);

} // namespace heddle::simt
