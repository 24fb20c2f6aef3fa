// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/constant_powers.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

using namespace llvm;

/// The instructions and functions that `function`(base, exponent) becomes.
std::string lowered(const std::string &function, const std::string &base,
                    const std::string &exponent) {
  bool isDouble = function == "__nv_pow";
  std::string type = isDouble ? "double" : "float";
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(
      "declare " + type + " @" + function + "(" + type + ", " + type + ")\ndefine " + type +
          " @run(" + type + " %x, " + type + " %y) {\n  %p = call " + type + " @" + function + "(" +
          type + " " + base + ", " + type + " " + exponent + ")\n  ret " + type + " %p\n}\n",
      error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module)
    return "";
  lowerConstantPowers(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  std::string names;
  for (Instruction &instruction : instructions(*module->getFunction("run")))
    if (auto *call = dyn_cast<CallInst>(&instruction))
      names += call->getCalledFunction()->getName().str() + " ";
    else if (!instruction.isTerminator())
      names += std::string(instruction.getOpcodeName()) + " ";
  return names;
}

TEST(ConstantPowers, ProductsAndRoots) {
  EXPECT_EQ(lowered("__nv_powf", "%x", "1.0"), "");
  EXPECT_EQ(lowered("__nv_powf", "%x", "2.0"), "fmul ");
  EXPECT_EQ(lowered("__nv_pow", "%x", "2.0"), "fmul ");
  EXPECT_EQ(lowered("__nv_fast_powf", "%x", "2.0"), "fmul ");
  EXPECT_EQ(lowered("__nv_pow", "%x", "3.0"), "fmul fmul ");
  EXPECT_EQ(lowered("__nv_powf", "%x", "4.0"), "fmul fmul ");
  EXPECT_EQ(lowered("__nv_pow", "%x", "-1.0"), "fdiv ");
  EXPECT_EQ(lowered("__nv_powf", "%x", "0.5"), "llvm.sqrt.f32 fcmp fadd select ");
}

TEST(ConstantPowers, Exponentials) {
  EXPECT_EQ(lowered("__nv_powf", "2.0", "%y"), "__nv_exp2f ");
  EXPECT_EQ(lowered("__nv_pow", "2.0", "%y"), "__nv_exp2 ");
  EXPECT_EQ(lowered("__nv_pow", "10.0", "%y"), "__nv_exp10 ");
}

TEST(ConstantPowers, NotOthers) {
  for (const char *exponent : {"%y", "5.0", "-2.0", "2.5", "0x7FF0000000000000"})
    EXPECT_EQ(lowered("__nv_powf", "%x", exponent), "__nv_powf ") << exponent;
  EXPECT_EQ(lowered("__nv_pow", "3.0", "%y"), "__nv_pow ");
}

} // namespace
} // namespace heddle::jit
