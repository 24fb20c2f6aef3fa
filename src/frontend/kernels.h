// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/module_image.h"
#include "frontend/reach.h"

#include "llvm/IR/Module.h"

#include <vector>

namespace heddle::frontend {

/// A kernel's row of the image, still with pointers instead of string offsets.
struct KernelFacts {
  llvm::Function *function; ///< null in the index of a text
  llvm::StringRef name;
  ImageKernel row = {}; ///< all but name, displayName, firstParam
  std::vector<ImageParam> params;
};

bool isKernel(const llvm::Function &function);

/// Parameters at their natural alignment, one after the other, as in the PTX ABI: "PTX Writer's
/// Guide to Interoperability", Parameter Passing. A struct comes as a byval pointer.
std::vector<ImageParam> layOutParams(const llvm::Function &kernel);

/// Collects all kernels of `module`. Fails when one breaks a limit that no device lifts (48 KB of
/// static shared memory).
llvm::Expected<std::vector<KernelFacts>> collectKernels(llvm::Module &module,
                                                        llvm::ArrayRef<llvm::Function *> numbered);

} // namespace heddle::frontend
