// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/vector/reassociate_reductions.h"

#include "jit/test_module.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

using namespace llvm;

/// Two registers into one number, neighbours first; OP stands for the operation, T for the type.
constexpr const char *Neighbours = R"(
  %e1 = shufflevector <4 x T> %a, <4 x T> %b, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
  %o1 = shufflevector <4 x T> %a, <4 x T> %b, <4 x i32> <i32 1, i32 3, i32 5, i32 7>
  %s1 = OP <4 x T> %e1, %o1
  %e2 = shufflevector <4 x T> %s1, <4 x T> poison, <2 x i32> <i32 0, i32 2>
  %o2 = shufflevector <4 x T> %s1, <4 x T> poison, <2 x i32> <i32 1, i32 3>
  %s2 = OP <2 x T> %e2, %o2
  %e3 = extractelement <2 x T> %s2, i64 0
  %o3 = extractelement <2 x T> %s2, i64 1
  %r = OP T %e3, %o3
)";

std::string with(std::string text, const std::string &operation, const std::string &type) {
  for (auto [from, to] : {std::pair<std::string, std::string>("OP ", operation + " "),
                          {" x T>", " x " + type + ">"},
                          {" T ", " " + type + " "}})
    for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
      text.replace(at, from.size(), to);
  return text;
}

/// The function's text after the pass.
std::string after(const std::string &body, const std::string &type) {
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(
      with("define T @sum(<4 x T> %a, <4 x T> %b, ptr %p) {\n" + body + "  ret T %r\n}\n", "",
           type),
      error, context);
  EXPECT_TRUE(module) << error.getMessage().str() << body;
  if (!module)
    return "";
  runPass<ReassociateReductions>(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  std::string text;
  raw_string_ostream(text) << *module->getFunction("sum");
  return text;
}

bool joinsRegisters(const std::string &text, const std::string &operation, const char *type) {
  std::string joined = operation + " <4 x " + type + "> %a, %b";
  return text.find(joined) != text.npos && text.find("i32 4, i32 6") == text.npos;
}

TEST(ReassociateReductions, JoinsRegistersFirst) {
  for (const char *operation : {"add", "mul", "xor", "or", "and"}) {
    std::string text = after(with(Neighbours, operation, "i32"), "i32");
    EXPECT_TRUE(joinsRegisters(text, operation, "i32")) << text;
  }
}

// LEGAL reassociate-reductions: order
TEST(ReassociateReductions, NeedsPermissionForFloats) {
  std::string text = after(with(Neighbours, "fadd reassoc nsz", "float"), "float");
  EXPECT_TRUE(joinsRegisters(text, "fadd reassoc nsz", "float")) << text;
  for (const char *strict : {"fadd", "fadd nsz", "fadd contract"}) {
    text = after(with(Neighbours, strict, "float"), "float");
    EXPECT_NE(text.find("i32 4, i32 6"), text.npos) << text;
  }
}

TEST(ReassociateReductions, OrdersLoadsByAddress) {
  std::string loads = "  %q = getelementptr i8, ptr %p, i64 16\n"
                      "  %far = load <4 x i32>, ptr %q\n  %near = load <4 x i32>, ptr %p\n";
  std::string body = with(Neighbours, "add", "i32");
  body.replace(body.find("%a, <4 x i32> %b"), 16, "%far, <4 x i32> %near");
  body.replace(body.find("%a, <4 x i32> %b"), 16, "%far, <4 x i32> %near");
  std::string text = after(loads + body, "i32");
  EXPECT_NE(text.find("add <4 x i32> %near, %far"), text.npos) << text;
}

/// Lane 0 twice and lane 1 not at all.
// LEGAL reassociate-reductions: once
TEST(ReassociateReductions, LeavesNetsThatTakeLanesTwice) {
  std::string body = Neighbours;
  body.replace(body.find("i32 1, i32 3, i32 5"), 5, "i32 0");
  std::string text = after(with(body, "add", "i32"), "i32");
  EXPECT_NE(text.find("i32 0, i32 3, i32 5"), text.npos) << text;
}

/// Each lane of %b four times: the same for "or", not for "add".
TEST(ReassociateReductions, TakesLanesTwiceWhereThatIsTheSame) {
  std::string more = with(Neighbours, "OP", "T");
  more.replace(more.find("%r = OP T %e3, %o3"), 18,
               "%m = OP <4 x T> %b, %turned\n  %n0 = extractelement <4 x T> %m, i64 0\n"
               "  %n1 = extractelement <4 x T> %m, i64 2\n  %n = OP T %n0, %n1\n"
               "  %s3 = OP T %e3, %o3\n  %r = OP T %s3, %n");
  more = "  %turned = shufflevector <4 x T> %b, <4 x T> poison, <4 x i32> <i32 1, i32 2, i32 3, "
         "i32 0>" +
         more;
  std::string text = after(with(more, "or", "i32"), "i32");
  EXPECT_NE(text.find("or <4 x i32> %b, %a"), text.npos) << text;
  EXPECT_EQ(text.find("%turned"), text.npos) << text;
  text = after(with(more, "add", "i32"), "i32");
  EXPECT_NE(text.find("%turned"), text.npos) << text;
}

// LEGAL reassociate-reductions: other uses
TEST(ReassociateReductions, LeavesWhatOthersUse) {
  std::string body = with(Neighbours, "add", "i32") + "  store <4 x i32> %s1, ptr %p\n";
  std::string text = after(body, "i32");
  EXPECT_NE(text.find("i32 4, i32 6"), text.npos) << text;
  EXPECT_NE(text.find("store <4 x i32> %s1"), text.npos) << text;
}

/// %b gets into the product 2^32 times, which is as good as never for a counter of 32 bits.
// LEGAL reassociate-reductions: once
TEST(ReassociateReductions, CountsHoweverOften) {
  std::string squares = "  %q0 = mul <4 x i32> %b, %b\n";
  for (int i = 1; i < 32; ++i)
    squares += "  %q" + std::to_string(i) + " = mul <4 x i32> %q" + std::to_string(i - 1) + ", %q" +
               std::to_string(i - 1) + "\n";
  std::string body = squares + "  %c = mul <4 x i32> %a, %q31\n";
  for (int i = 0; i < 4; ++i)
    body += "  %e" + std::to_string(i) + " = extractelement <4 x i32> %c, i64 " +
            std::to_string(i) + "\n";
  body += "  %f = mul i32 %e0, %e1\n  %g = mul i32 %e2, %e3\n  %r = mul i32 %f, %g\n";
  std::string text = after(body, "i32");
  EXPECT_NE(text.find("mul <4 x i32> %b, %b"), text.npos) << text;
}

/// A lane that a shuffle leaves open may be any number.
// LEGAL reassociate-reductions: open lanes
TEST(ReassociateReductions, LeavesNetsWithOpenLanes) {
  std::string body = with(Neighbours, "add", "i32");
  body.replace(body.find("i32 1, i32 3, i32 5"), 5, "i32 poison");
  std::string text = after(body, "i32");
  EXPECT_NE(text.find("i32 poison, i32 3, i32 5"), text.npos) << text;
}

/// A part of the net lies in a block before.
// LEGAL reassociate-reductions: one block
TEST(ReassociateReductions, LeavesWhatLiesInOtherBlocks) {
  std::string body = with(Neighbours, "add", "i32");
  body.insert(body.find("  %e2"), "  br label %then\nthen:\n");
  std::string text = after(body, "i32");
  EXPECT_NE(text.find("i32 4, i32 6"), text.npos) << text;
}

} // namespace
} // namespace heddle::jit
