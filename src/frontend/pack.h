// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/module_image.h"
#include "frontend/kernels.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <vector>

namespace heddle::frontend {

/// Beside ImageFlags: only PTX is made of the image, in which inline PTX stays as it is.
inline constexpr uint32_t KeepsInlinePtx = 1u << 31;

struct PackOptions {
  uint32_t imageFlags = 0; ///< heddle::ImageFlags, KeepsInlinePtx
  uint32_t sm = 90;
  uint32_t compileOptions = 0; ///< heddle::CompileOptions
  uint32_t maxRegisters = 0;   ///< -maxrregcount, 0 if none
};

/// Makes the device image of a module (base/image/module_image.h). The module is changed: aliases are
/// gone, variables have names, address-taken functions have numbers. A relocatable image lists
/// kernels and variables, but its globals block is empty until it is linked. Fails for undefined
/// symbols (unless relocatable), for initial values that are not constant, and for more constant or
/// static shared memory than any device has.
llvm::Expected<std::vector<uint8_t>> packModule(llvm::Module &module, const PackOptions &options);

/// The image of a text of PTX (ImagePtx): the module has its variables, and the functions that
/// "heddle.functions" numbers.
llvm::Expected<std::vector<uint8_t>> packIndex(llvm::Module &module,
                                               std::vector<KernelFacts> kernels,
                                               llvm::StringRef text, const PackOptions &options);

/// An image of the kernels in `module`, which is a part of what `index` is the image of: variables
/// lie where they lie there, and functions have the numbers that the module says. `compileOptions` are
/// its own, beside the index's.
llvm::Expected<std::vector<uint8_t>> packKernel(llvm::Module &module, const ImageView &index,
                                                uint32_t compileOptions);

/// The same from bitcode as clang wrote it.
llvm::Expected<std::vector<uint8_t>> packBitcode(llvm::MemoryBufferRef bitcode,
                                                 const PackOptions &options);

/// An image's bitcode; fails when it is damaged.
llvm::Expected<llvm::MemoryBufferRef> bitcodeOf(const ImageView &image);

/// True for a function that the device library or simt provides.
bool isLibraryFunction(llvm::StringRef name);

} // namespace heddle::frontend
