// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/schedule/far_first.h"

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

/// The name of the first operand of `operation` on %a, loaded from `from`, and %b, from `to`.
std::string firstOf(const std::string &operation, const std::string &type, const std::string &from,
                    const std::string &to, const std::string &more = "") {
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(
      "define " + type + " @run(ptr %p, ptr %q) {\n  %far = getelementptr i8, ptr %p, i64 512\n" +
          "  %a = load " + type + ", ptr " + from + "\n  %b = load " + type + ", ptr " + to + "\n" +
          more + "  %r = " + operation + " " + type + " %a, %b\n  ret " + type + " %r\n}\n",
      error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module)
    return "";
  loadFarFirst(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  for (Instruction &instruction : instructions(*module->getFunction("run")))
    if (instruction.getName() == "r")
      return instruction.getOperand(0)->getName().str();
  return "";
}

TEST(FarFirst, LoadsTheFartherOperandFirst) {
  EXPECT_EQ(firstOf("fadd", "<16 x float>", "%p", "%far"), "b");
  EXPECT_EQ(firstOf("fadd", "<16 x float>", "%far", "%p"), "a");
  EXPECT_EQ(firstOf("add", "<16 x i32>", "%p", "%far"), "b");
}

// LEGAL far-first: commutes
TEST(FarFirst, LeavesOthersAlone) {
  EXPECT_EQ(firstOf("fsub", "<16 x float>", "%p", "%far"), "a") << "sides matter";
  EXPECT_EQ(firstOf("fadd", "<16 x float>", "%p", "%q"), "a") << "another array";
  EXPECT_EQ(firstOf("fadd", "<8 x float>", "%p", "%far"), "a") << "half a line";
  EXPECT_EQ(firstOf("fadd", "<16 x float>", "%p", "%far", "  store <16 x float> %b, ptr %q\n"), "a")
      << "loaded for others, too";
}

} // namespace
} // namespace heddle::jit
