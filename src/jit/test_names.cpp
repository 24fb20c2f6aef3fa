// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/test_names.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace heddle::jit {

std::string namesAfter(void (*pass)(Module &), const std::string &text) {
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module)
    return "";
  pass(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  std::string names;
  for (Instruction &instruction : instructions(*module->getFunction("run")))
    if (auto *call = dyn_cast<CallInst>(&instruction))
      names += call->getCalledFunction()->getName().str() + " ";
    else if (!instruction.isTerminator())
      names += std::string(instruction.getOpcodeName()) + " ";
  return names;
}

} // namespace heddle::jit
