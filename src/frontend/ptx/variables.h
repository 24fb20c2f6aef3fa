// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ptx/registers.h"

#include "llvm/IR/GlobalVariable.h"

namespace heddle::frontend::ptx {

/// Declares what a statement in a function declares: registers, `.param` and `.local` memory of the
/// function, `.shared`, `.global` and `.const` variables of the module, which get names of their own.
llvm::Error declareVariable(const Variable &, Registers &, llvm::IRBuilder<> &);

/// A variable of the module in .global, .const or .shared. It begins with zeros, and what is declared
/// elsewhere, or as large as a launch says, is a declaration.
llvm::Expected<llvm::GlobalVariable *> makeGlobal(llvm::Module &, const Variable &,
                                                  const llvm::Twine &name, bool isExtern);
using FindName = llvm::function_ref<const Register *(llvm::StringRef)>;
/// Gives it its initial value, if it has one, in which names are what `find` says.
llvm::Error setInitialValue(llvm::GlobalVariable &, const Variable &, FindName find);
/// Its bytes, where initial values may say how many there are.
uint64_t sizeOf(const Variable &);

/// Whether a parameter is memory that the callee gets a copy of (byval), and no scalar.
bool isInMemory(const Variable &parameter);
/// Of a scalar parameter: an integer. Of one in memory as a result: a structure of integers.
llvm::Type *valueType(const Variable &, llvm::LLVMContext &);
/// Results so long that the first argument is a pointer to memory for them, and where they lie there.
bool givesInMemory(const Signature &);
llvm::SmallVector<uint64_t, 2> resultOffsets(const Signature &);
llvm::FunctionType *functionType(const Signature &, llvm::LLVMContext &);
/// byval and alignment of parameters in memory.
llvm::AttributeList attributesOf(const Signature &, llvm::LLVMContext &);

} // namespace heddle::frontend::ptx
