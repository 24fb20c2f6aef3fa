// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/module_image.h"
#include "model/kernel.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace heddle::jit {

/// Makes of a kernel's module (loadUnplaced) what a GPU's compiler would have made of it, and puts
/// markers into it by which it is counted. What they count.
llvm::Expected<model::KernelCode> prepareCounted(llvm::Module &, const ImageView &,
                                                 llvm::StringRef kernel);

} // namespace heddle::jit
