// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/module_image.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace heddle::jit {

/// Reads what one kernel needs from an image's bitcode, and nothing else: other kernels and the
/// functions that only they call are never parsed. On return the kernel is the only external
/// definition, globals and function addresses are placed (frontend/place_globals.h).
llvm::Expected<std::unique_ptr<llvm::Module>>
loadKernel(llvm::LLVMContext &context, const ImageView &image, const std::string &kernel);

/// The same in two steps: first with globals as the front end has them.
llvm::Expected<std::unique_ptr<llvm::Module>>
loadUnplaced(llvm::LLVMContext &context, const ImageView &image, const std::string &kernel);
llvm::Error placeKernel(llvm::Module &, const ImageView &image);

} // namespace heddle::jit
