// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::frontend::ptx {

/// Makes of IR as PTX is read what clang's looks like: values instead of parameters' memory, pointers
/// instead of address arithmetic, numbers where a kernel's parameter is no pointer.
void tidyModule(llvm::Module &);

} // namespace heddle::frontend::ptx
