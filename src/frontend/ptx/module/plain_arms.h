// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class DominatorTree;
class Function;
class LoopInfo;
} // namespace llvm

namespace heddle::frontend::ptx {

/// Makes the arms of branches alike that do the same: SimplifyCFG can then join their ends.
void makeArmsPlain(llvm::Function &function, llvm::DominatorTree &dominators,
                   llvm::LoopInfo &loops);

} // namespace heddle::frontend::ptx
