// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
}

namespace heddle::simt {

/// Phis beside a load no longer keep what nobody can use on the way around the load.
void dropUnusedInputs(llvm::Function &);

} // namespace heddle::simt
