// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace heddle::simt {

/// A thread that ends leaves the kernel, once the device functions are inlined:
///
///     call void @__heddle_end_thread()      ->  ret void
///     unreachable
///
/// Fails where a thread ends in a function that is not inlined.
llvm::Error endThreads(llvm::Module &, llvm::Function &kernel);

} // namespace heddle::simt
