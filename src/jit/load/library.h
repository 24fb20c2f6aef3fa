// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace heddle::jit {

/// Links in the device library functions (src/devlib) that `module` calls, and what they call. They
/// become internal; the library's constant tables become private constants of the module, in
/// address space 0. `fast`: -use_fast_math (fast_functions.h).
llvm::Error linkLibrary(llvm::Module &module, bool fast = false);

/// Links in all that the device library has for `module`, also as scalar code what simt makes calls
/// of SLEEF's vector functions of: for a back end that is not simt's. Functions that `isInstruction`
/// names are those for GPUs, which have no others.
llvm::Error linkWholeLibrary(llvm::Module &module,
                             llvm::function_ref<bool(llvm::StringRef)> isInstruction);

/// The same for a GPU that runs the code, with its own instructions. `fast`: as in linkLibrary.
llvm::Error linkGpuLibrary(llvm::Module &module, bool fast);

/// A pure function of the library, on `arity` numbers of one type; declared if it is not yet.
llvm::Function *declarePure(llvm::Module &, llvm::StringRef name, llvm::Type *, unsigned arity);

/// The device library's bitcode, as built; empty if this build has none.
llvm::StringRef libraryBitcode();

} // namespace heddle::jit
