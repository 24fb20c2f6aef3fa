// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/result.h"
#include "frontend/opencl/compiler.h"

#include "llvm/IR/Module.h"

namespace heddle::opencl {

/// Links modules, and with what they call of `builtins` (the file opencl.a), to a device module as
/// clang writes it of CUDA C++, optimised. Of a library nothing but the modules themselves is linked.
/// Gives bitcode.
Linked linkModules(const LinkRequest &, const std::string &builtins);

/// A kernel for some arguments (specialize.cpp). Gives bitcode.
Linked specializeKernel(const SpecializeRequest &);

/// What clang's metadata says of the kernels. Types are those of the source: this comes before
/// `makeForms`.
std::vector<Kernel> describeKernels(const llvm::Module &);

/// Bytes of the variables of a program in global memory.
uint64_t globalBytes(const llvm::Module &);

/// Replaces each kernel by the forms that are launched (forms.cpp).
void makeForms(llvm::Module &, std::vector<Kernel> &);
/// Once functions are inlined: finds the kernels to which groups mean nothing.
void findFree(llvm::Module &, std::vector<Kernel> &);
/// After it: makes calls of __heddle_cl_*, which are in forms only, what they mean there.
void expandQueries(llvm::Module &, std::vector<Kernel> &);

/// Links what the module calls of the archive at `path`, and what that calls.
Result<bool> linkBuiltins(llvm::Module &, const std::string &path);

/// Images and samplers are pointers and numbers for the built-in functions (src/devlib/opencl/images.cl).
void lowerHandles(llvm::Module &);

/// Makes calls of printf calls of CUDA's vprintf.
Result<bool> lowerPrintf(llvm::Module &);

} // namespace heddle::opencl
