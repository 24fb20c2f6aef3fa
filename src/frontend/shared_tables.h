// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::frontend {

/// Makes local variables of constant tables that hold addresses of shared memory. Shared memory has
/// another address in each block, so such a table cannot lie in the globals block:
///
///   @table = private constant [2 x ptr] [ptr addrspacecast (ptr addrspace(3) @a to ptr), ...]
///   %p = getelementptr ptr, ptr @table, i64 %i
/// -->
///   %table = alloca [2 x ptr]                 ; and a store of each element, at the function's
///   entry %p = getelementptr ptr, ptr %table, i64 %i
///
/// clang makes such tables of local arrays that it initializes from a constant.
void expandSharedTables(llvm::Module &module);

} // namespace heddle::frontend
