// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/vector/vectorize_reductions.h"

#include "jit/test_module.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <cstring>

namespace heddle::jit {
namespace {

using namespace llvm;

/// A loop over %i from %first to %last; `body` computes %next of %sum, a `type`.
std::string loopOf(const std::string &body, const std::string &type = "float",
                   const std::string &more = "", const std::string &step = "1") {
  return "define " + type + " @f(ptr %p, ptr %x, ptr %columns, i64 %first, i64 %last, " + type +
         " %start) {\n"
         "entry:\n  %some = icmp slt i64 %first, %last\n  br i1 %some, label %before, label %end\n"
         "before:\n  br label %loop\n"
         "loop:\n"
         "  %i = phi i64 [ %first, %before ], [ %i.next, %loop ]\n"
         "  %sum = phi " +
         type + " [ %start, %before ], [ %next, %loop ]\n" + body + "  %i.next = add nsw i64 %i, " +
         step +
         "\n  %more = icmp slt i64 %i.next, %last\n"
         "  br i1 %more, label %loop, label %end\n"
         "end:\n  %r = phi " +
         type + " [ %start, %entry ], [ %next, %loop ]\n" + more + "  ret " + type + " %r\n}\n";
}

/// The function's text after the pass.
std::string after(const std::string &source, const char *cpu = "x86-64-v4") {
  LLVMContext context;
  std::unique_ptr<Module> module =
      moduleAfter(context, source, cpu, [](Module &all, TargetMachine &machine) {
        runPass<VectorizeReductions>(all, machine);
      });
  if (!module)
    return "";
  std::string text;
  raw_string_ostream(text) << *module->getFunction("f");
  return text;
}

bool isTaken(const std::string &text) { return text.find("\nsums:") != text.npos; }

constexpr const char *Load = "  %at = getelementptr float, ptr %p, i64 %i\n"
                             "  %v = load float, ptr %at\n";
constexpr const char *Column = "  %c.at = getelementptr i32, ptr %columns, i64 %i\n"
                               "  %c = load i32, ptr %c.at\n  %c64 = sext i32 %c to i64\n";
constexpr const char *Factor = "  %f.at = getelementptr float, ptr %x, i64 %c64\n"
                               "  %f = load float, ptr %f.at\n";
constexpr const char *AddLoad = "  %next = fadd reassoc nsz float %sum, %v\n";
constexpr const char *AddProduct =
    "  %next = call reassoc nsz float @llvm.fma.f32(float %v, float %f, float %sum)\n";

TEST(VectorizeReductions, TakesARowSixteenRoundsAtOnce) {
  std::string text = after(loopOf(std::string(Load) + AddLoad));
  EXPECT_TRUE(isTaken(text)) << text;
  EXPECT_EQ(count(text, "= call <8 x float> @llvm.masked.load"), 2u) << text;
  EXPECT_EQ(count(text, "load float"), 0u) << text;
  EXPECT_EQ(count(text, "select"), 0u) << "idle lanes add zero: " << text;
  EXPECT_NE(text.find("fadd reassoc nsz float %start"), text.npos) << text;
}

TEST(VectorizeReductions, TakesALoopWithoutAPreheader) {
  std::string source = loopOf(std::string(Load) + AddLoad);
  for (auto [what, by] : {std::pair("label %before, label %end", "label %loop, label %end"),
                          std::pair("before:\n  br label %loop\n", ""),
                          std::pair("[ %first, %before ]", "[ %first, %entry ]"),
                          std::pair("[ %start, %before ]", "[ %start, %entry ]")})
    source.replace(source.find(what), strlen(what), by);
  EXPECT_TRUE(isTaken(after(source)));
}

TEST(VectorizeReductions, TakesWholeTurnsWithoutMasks) {
  std::string floats = after(loopOf(std::string(Load) + AddLoad));
  EXPECT_EQ(count(floats, "load <32 x float>"), 1u) << floats;
  std::string bytes = after(loopOf("  %at = getelementptr i8, ptr %p, i64 %i\n"
                                   "  %v = load i8, ptr %at\n  %w = zext i8 %v to i32\n"
                                   "  %next = add i32 %sum, %w\n",
                                   "i32"));
  EXPECT_EQ(count(bytes, "load <64 x i8>"), 1u) << bytes;
  std::string gathers = after(loopOf(std::string(Load) + Column + Factor + AddProduct));
  EXPECT_TRUE(isTaken(gathers) && count(gathers, "whole.turns") == 0) << gathers;
}

// LEGAL vectorize-reductions: order
TEST(VectorizeReductions, NeedsPermissionForFloats) {
  for (const char *flags : {"", "nsz ", "reassoc ", "contract "})
    EXPECT_FALSE(
        isTaken(after(loopOf(Load + std::string("  %next = fadd ") + flags + "float %sum, %v\n"))))
        << flags;
  std::string integers = "  %at = getelementptr i32, ptr %p, i64 %i\n  %v = load i32, ptr %at\n"
                         "  %next = ";
  for (const char *operation : {"add", "mul", "xor", "or", "and"}) {
    std::string text = after(loopOf(integers + operation + " i32 %sum, %v\n", "i32"));
    EXPECT_TRUE(isTaken(text)) << operation << text;
    bool addsZero = operation != std::string("mul") && operation != std::string("and");
    EXPECT_EQ(count(text, "select <8 x i1>"), addsZero ? 0u : 2u) << operation << text;
  }
  std::string text = after(loopOf(integers + "sub i32 %sum, %v\n", "i32"));
  EXPECT_TRUE(isTaken(text)) << text;
  EXPECT_EQ(count(text, "sub <8 x i32> %sums"), 2u) << text;
  EXPECT_NE(text.find("add i32 %start"), text.npos) << text;
  EXPECT_FALSE(isTaken(after(loopOf(integers + "sub i32 %v, %sum\n", "i32"))));
  std::string mixed = "  %at = getelementptr i32, ptr %p, i64 %i\n  %v = load i32, ptr %at\n"
                      "  %once = or i32 %sum, %v\n  %next = sub i32 %once, %v\n";
  EXPECT_FALSE(isTaken(after(loopOf(mixed, "i32")))) << "no one operation";
}

/// What is no number to begin with is what the loop began with.
TEST(VectorizeReductions, MaximaBeginWithTheStart) {
  std::string text = after(loopOf(Load + std::string("  %next = call nsz float @llvm.maxnum.f32("
                                                     "float %sum, float %v)\n")));
  EXPECT_TRUE(isTaken(text)) << text;
  EXPECT_NE(text.find("insertelement <8 x float> poison, float %start"), text.npos) << text;
  EXPECT_EQ(count(text, "select <8 x i1>"), 2u) << text;
}

TEST(VectorizeReductions, GathersWhereThereIsAnInstruction) {
  std::string product = loopOf(std::string(Load) + Column + Factor + AddProduct);
  for (const char *cpu : {"x86-64-v4", "x86-64-v3"}) {
    std::string text = after(product, cpu);
    EXPECT_TRUE(isTaken(text)) << cpu << text;
    EXPECT_EQ(count(text, "@llvm.masked.gather.v8f32"), 2u) << cpu << text;
    EXPECT_EQ(count(text, "select"), 0u) << cpu << text;
  }
  EXPECT_FALSE(isTaken(after(product, "x86-64")));
  std::string wide = "  %c.at = getelementptr i64, ptr %columns, i64 %i\n"
                     "  %c64 = load i64, ptr %c.at\n";
  EXPECT_TRUE(isTaken(after(loopOf(Load + wide + Factor + AddProduct), "x86-64-v4")));
  EXPECT_FALSE(isTaken(after(loopOf(Load + wide + Factor + AddProduct), "x86-64-v3")));
}

/// An idle lane's factor may be anything, and zero times infinity is no number.
// LEGAL vectorize-reductions: idle lanes
TEST(VectorizeReductions, IdleLanesKeepTheirSumsWhereFactorsAreNotLoaded) {
  std::string text = after(loopOf(Load + std::string("  %f = fadd float %v, 1.0\n") + AddProduct));
  EXPECT_TRUE(isTaken(text)) << text;
  EXPECT_EQ(count(text, "select <8 x i1>"), 2u) << text;
}

TEST(VectorizeReductions, CountersAreWidened) {
  std::string text = after(loopOf("  %at = getelementptr i64, ptr %p, i64 %i\n"
                                  "  %v = load i64, ptr %at\n  %w = mul i64 %v, %i\n"
                                  "  %next = add i64 %sum, %w\n",
                                  "i64"));
  EXPECT_TRUE(isTaken(text)) << text;
  EXPECT_EQ(count(text, "mul <8 x i64>"), 2u) << text;
}

// LEGAL vectorize-reductions: speculation
TEST(VectorizeReductions, DividesByWhatIsNotZero) {
  auto dividing = [](const std::string &divisor) {
    return after(loopOf("  %at = getelementptr i32, ptr %p, i64 %i\n"
                        "  %v = load i32, ptr %at\n  %w = srem i32 %v, " +
                            divisor + "\n  %next = add i32 %sum, %w\n",
                        "i32"));
  };
  EXPECT_TRUE(isTaken(dividing("8")));
  EXPECT_FALSE(isTaken(dividing("-1")));
  EXPECT_FALSE(isTaken(dividing("%start")));
}

// LEGAL vectorize-reductions: writes
// LEGAL vectorize-reductions: wanted behind
// LEGAL vectorize-reductions: carried
TEST(VectorizeReductions, LeavesWhatMayNotBe) {
  auto isLeft = [](const std::string &source) { return !isTaken(after(source)); };
  EXPECT_TRUE(isLeft(loopOf(Load + std::string("  store float %v, ptr %x\n") + AddLoad)));
  EXPECT_TRUE(isLeft(loopOf(std::string("  %at = getelementptr float, ptr %p, i64 %i\n"
                                        "  %v = load volatile float, ptr %at\n") +
                            AddLoad)));
  EXPECT_TRUE(
      isLeft(loopOf("  call void @g()\n" + std::string(Load) + AddLoad) + "declare void @g()\n"))
      << "a call";
  EXPECT_TRUE(isLeft(loopOf(std::string(Load) + AddLoad, "float",
                            "  %l = phi float [ 0.0, %entry ], [ %v, %loop ]\n"
                            "  store float %l, ptr %x\n")))
      << "more than the sum is wanted";
  EXPECT_TRUE(isLeft(loopOf(std::string(Load) + AddLoad, "float",
                            "  %l = phi float [ 0.0, %entry ], [ %sum, %loop ]\n"
                            "  store float %l, ptr %x\n")))
      << "the sum before the last round";
  EXPECT_TRUE(isLeft(loopOf(Load + std::string("  %w = fmul float %v, %sum\n"
                                               "  %next = fadd reassoc nsz float %sum, %w\n"))))
      << "what is added depends on the sum";
  EXPECT_TRUE(isLeft(loopOf("  %at = getelementptr i32, ptr %p, i64 %i\n"
                            "  %v = load i32, ptr %at\n  %w = udiv i32 7, %v\n"
                            "  %next = add i32 %sum, %w\n",
                            "i32")))
      << "idle lanes would divide by zero";
}

TEST(VectorizeReductions, LeavesWhatIsNotWorthIt) {
  EXPECT_FALSE(isTaken(after(loopOf(std::string(Load) + AddLoad, "float", "", "2"))));
  std::string second = "  %g.at = getelementptr float, ptr %p, i64 %c64\n"
                       "  %v = load float, ptr %g.at\n";
  EXPECT_FALSE(isTaken(after(loopOf(Column + second + Factor + AddProduct))))
      << "two gathers, one load side by side";
  std::string known = loopOf(std::string(Load) + AddLoad);
  known.replace(known.find("%i.next, %last"), 14, "%i.next, 7");
  known.replace(known.find("[ %first, "), 10, "[ 0, ");
  EXPECT_FALSE(isTaken(after(known))) << "seven rounds";
  known.replace(known.find("%i.next, 7"), 10, "%i.next, 9");
  EXPECT_TRUE(isTaken(after(known)));
}

/// The row ends with what is read.
// LEGAL vectorize-reductions: counted
TEST(VectorizeReductions, LeavesLoopsThatAreNotCounted) {
  std::string text = loopOf(std::string(Load) + AddLoad);
  text.replace(text.find("icmp slt i64 %i.next, %last"), 27, "fcmp olt float %v, 1.0");
  EXPECT_FALSE(isTaken(after(text)));
  text = loopOf(std::string(Load) +
                    "  %leaves = fcmp olt float %v, 1.0\n"
                    "  br i1 %leaves, label %out, label %on\non:\n" +
                    AddLoad,
                "float", "  ret float %r\nout:\n");
  for (size_t at = 0; (at = text.find(", %loop ]", at)) != text.npos; at += 7)
    text.replace(at, 9, ", %on ]");
  text.replace(text.rfind("ret float %r"), 12, "ret float 1.0");
  EXPECT_FALSE(isTaken(after(text))) << "leaves early";
}

} // namespace
} // namespace heddle::jit
