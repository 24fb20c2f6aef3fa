// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
}

namespace heddle::simt {

/// What all ways to a join compute alike is computed at the join instead of chosen there.
void joinValues(llvm::Function &);

} // namespace heddle::simt
