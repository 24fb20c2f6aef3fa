// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/group_sums.h"

#include "jit/back_end.h"
#include "jit/machine.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

using namespace llvm;

struct Counts {
  unsigned loads = 0, products = 0, groups = 0;
  unsigned sharedColumns = 0; ///< products with the same vector as the one before
  bool inOrder = false;       ///< the back end keeps it
};

/// A function that adds products of `steps` vectors at %b with scalars at %a to `sums` sums of
/// `lanes` that lie at %c, one step after the other; after each step comes `between`.
Counts grouped(unsigned sums, unsigned steps, const std::string &between = "", unsigned lanes = 16,
               const std::string &cpu = "x86-64-v4") {
  auto number = [](unsigned n) { return std::to_string(n); };
  std::string vector = "<" + number(lanes) + " x float>",
              name = "@llvm.fma.v" + number(lanes) + "f32";
  std::string source = "define void @f(ptr %a, ptr %b, ptr %c, i32 %n) {\n";
  auto line = [&](const std::string &text) { source += "  " + text + "\n"; };
  for (unsigned i = 0; i < sums; ++i) {
    line("%c" + number(i) + " = getelementptr " + vector + ", ptr %c, i64 " + number(i));
    line("%s" + number(i) + "." + number(0) + " = load " + vector + ", ptr %c" + number(i));
  }
  for (unsigned k = 0; k < steps; ++k) {
    line("%pb" + number(k) + " = getelementptr " + vector + ", ptr %b, i64 " + number(k));
    line("%b" + number(k) + " = load " + vector + ", ptr %pb" + number(k));
    for (unsigned i = 0; i < sums; ++i) {
      std::string at = number(k) + "." + number(i), sum = "%s" + number(i) + ".";
      line("%p" + at + " = getelementptr float, ptr %a, i64 " + number(k * sums + i));
      line("%a" + at + " = load float, ptr %p" + at);
      line("%i" + at + " = insertelement " + vector + " poison, float %a" + at + ", i64 0");
      line("%w" + at + " = shufflevector " + vector + " %i" + at + ", " + vector + " poison, <" +
           number(lanes) + " x i32> zeroinitializer");
      line(sum + number(k + 1) + " = call " + vector + " " + name + "(" + vector + " %w" + at +
           ", " + vector + " %b" + number(k) + ", " + vector + " " + sum + number(k) + ")");
    }
    source += between;
  }
  for (unsigned i = 0; i < sums; ++i)
    line("store " + vector + " %s" + number(i) + "." + number(steps) + ", ptr %c" + number(i));
  source += "  ret void\n}\ndeclare " + vector + " " + name + "(" + vector + ", " + vector + ", " +
            vector + ")\n";
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(source, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module)
    return {};
  auto machine = cantFail(createMachine(cpu.c_str(), true));
  module->setDataLayout(machine->createDataLayout());
  groupSums(*module, *machine);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  Counts counts;
  counts.inOrder = module->getFunction("f")->hasFnAttribute(InOrder);
  const Value *column = nullptr;
  for (const Instruction &instruction : instructions(*module->getFunction("f"))) {
    if (auto *product = dyn_cast<CallInst>(&instruction)) {
      counts.sharedColumns += product->getArgOperand(1) == column;
      column = product->getArgOperand(1);
    }
    counts.loads += isa<LoadInst>(instruction);
    counts.products += isa<CallInst>(instruction);
    counts.groups += isa<FenceInst>(instruction);
  }
  return counts;
}

/// Sums of eight registers, of which none fits with its factors: three registers of all four sums
/// at a time load each factor once, and the scalars three times.
TEST(GroupSums, CutsWideSums) {
  Counts counts = grouped(4, 4, "", 64, "x86-64-v3");
  EXPECT_EQ(counts.groups, 3u);
  EXPECT_EQ(counts.products, 4u * 8 * 4);
  EXPECT_EQ(counts.loads, 4u * 8 + 8 * 4 + 3 * 4 * 4);
}

/// Eight sums of four registers are groups of 3, 3 and 2 sums. Three rows and four columns leave no
/// register for the columns and a row: column by column, in an order that stays.
TEST(GroupSums, GoesByColumnsWhereRowsDoNotFit) {
  Counts counts = grouped(8, 4, "", 32, "x86-64-v3");
  EXPECT_EQ(counts.groups, 3u);
  EXPECT_EQ(counts.products, 4u * 4 * (3 + 3) + 4u * 2) << "the last group fits, and stays whole";
  EXPECT_EQ(counts.sharedColumns, 4u * 4 * (2 + 2) + 4u);
  EXPECT_TRUE(counts.inOrder);
  EXPECT_FALSE(grouped(8, 4, "", 32, "x86-64-v4").inOrder) << "32 registers";
}

/// 48 sums are four groups of 12; each loads the vectors of all steps.
TEST(GroupSums, CutsWhatDoesNotFit) {
  Counts counts = grouped(48, 4);
  EXPECT_EQ(counts.groups, 4u);
  EXPECT_EQ(counts.products, 48u * 4);
  EXPECT_EQ(counts.loads, 48u + 48 * 4 + 4 * 4);
}

TEST(GroupSums, EqualParts) { EXPECT_EQ(grouped(50, 4).groups, 5u); }

TEST(GroupSums, LeavesWhatFits) { EXPECT_EQ(grouped(24, 4).groups, 0u); }

/// There are registers for 28 sums, but not for what is added to them too.
TEST(GroupSums, LeavesRoomForFactors) { EXPECT_EQ(grouped(28, 4).groups, 3u); }

TEST(GroupSums, LeavesShortChains) { EXPECT_EQ(grouped(48, 3).groups, 0u); }

/// What is loaded may change between the steps.
TEST(GroupSums, LeavesWhatMayChange) {
  EXPECT_EQ(grouped(48, 4, "  store i32 %n, ptr %a\n").groups, 0u);
}

/// 48 sums that lie in `frame`, four steps of the same products, and then: back into the frame,
/// each `shift` places on, or, where there is no more to do, to %c.
/// With `early` each store follows its sum's last product, there are others that touch %c before
/// the factors are loaded, and the end loads the sums from the frame.
std::unique_ptr<Module> suspended(LLVMContext &context, const char *frame, unsigned shift,
                                  bool early = false) {
  constexpr unsigned Sums = 48, Steps = 4;
  std::string source =
      std::string("define void @f(") + frame + " %frame, ptr %b, ptr %c, i1 %more) {\n";
  auto line = [&](const Twine &text) { source += "  " + text.str() + "\n"; };
  for (unsigned i = 0; i < Sums; ++i) {
    line("%p" + Twine(i) + " = getelementptr i8, ptr %frame, i64 " + Twine(64 * i));
    line("%s" + Twine(i) + ".0 = load <16 x float>, ptr %p" + Twine(i));
  }
  if (early)
    line("store volatile i32 0, ptr %c");
  auto storeBack = [&](unsigned i) {
    line("store <16 x float> %s" + Twine(i) + ".4, ptr %p" + Twine((i + shift) % Sums));
  };
  line("%b.0 = load <16 x float>, ptr %b");
  for (unsigned k = 0; k < Steps; ++k)
    for (unsigned i = 0; i < Sums; ++i) {
      line("%s" + Twine(i) + "." + Twine(k + 1) +
           " = call <16 x float> @llvm.fma.v16f32(<16 x float> %b.0, <16 x float> %b.0, " +
           "<16 x float> %s" + Twine(i) + "." + Twine(k) + ")");
      if (early && k + 1 == Steps)
        storeBack(i);
    }
  line("br i1 %more, label %suspend, label %end\nsuspend:");
  for (unsigned i = 0; i < Sums && !early; ++i)
    storeBack(i);
  line("ret void\nend:");
  for (unsigned i = 0; i < Sums; ++i) {
    line("%q" + Twine(i) + " = getelementptr i8, ptr %c, i64 " + Twine(64 * i));
    if (early)
      line("%e" + Twine(i) + " = load <16 x float>, ptr %p" + Twine(i));
    line("store <16 x float> %" + (early ? "e" + Twine(i) : "s" + Twine(i) + ".4") + ", ptr %q" +
         Twine(i));
  }
  line("ret void\n}\ndeclare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x "
       "float>)");
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(source, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module)
    return nullptr;
  auto machine = cantFail(createMachine("x86-64-v4", true));
  module->setDataLayout(machine->createDataLayout());
  groupSums(*module, *machine);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  return module;
}

template <typename Kind> unsigned count(const BasicBlock &block) {
  return count_if(block, IsaPred<Kind>);
}

/// Sums of a frame go back there behind their group; the end of the program loads them from it.
TEST(GroupSums, StoresBehindTheGroup) {
  LLVMContext context;
  auto module = suspended(context, "ptr noalias", 0);
  ASSERT_TRUE(module);
  Function &function = *module->getFunction("f");
  const BasicBlock &products = function.getEntryBlock();
  EXPECT_EQ(count<StoreInst>(products), 48u);
  unsigned before = 0, fences = 0;
  for (const Instruction &instruction : products) {
    fences += isa<FenceInst>(instruction);
    before += fences == 1 && isa<StoreInst>(instruction);
  }
  EXPECT_EQ(fences, 4u);
  EXPECT_EQ(before, 12u);
  auto blocks = std::next(function.begin());
  EXPECT_EQ(count<StoreInst>(*blocks), 0u) << "suspend";
  EXPECT_EQ(count<LoadInst>(*++blocks), 48u) << "end";
}

/// Stores to the frame that lie among the products move behind their group, what is written before
/// the factors are loaded does no harm, and other blocks may load from the frame.
TEST(GroupSums, MovesStoresBehindTheGroup) {
  LLVMContext context;
  auto module = suspended(context, "ptr noalias", 0, true);
  ASSERT_TRUE(module);
  unsigned fences = 0, stores = 0;
  for (const Instruction &instruction : module->getFunction("f")->getEntryBlock()) {
    fences += isa<FenceInst>(instruction);
    stores += isa<StoreInst>(instruction);
    if (isa<FenceInst>(instruction))
      EXPECT_EQ(stores, 1u + 12 * (fences - 1));
  }
  EXPECT_EQ(fences, 4u);
  EXPECT_EQ(stores, 1u + 48);
}

/// Others may look into the frame.
TEST(GroupSums, LeavesStoresThatOthersSee) {
  LLVMContext context;
  auto module = suspended(context, "ptr", 0);
  ASSERT_TRUE(module);
  EXPECT_EQ(count<StoreInst>(module->getFunction("f")->getEntryBlock()), 0u);
}

/// A place is loaded from by one sum and stored to by another.
TEST(GroupSums, LeavesStoresToOtherPlaces) {
  LLVMContext context;
  auto module = suspended(context, "ptr noalias", 1);
  ASSERT_TRUE(module);
  EXPECT_EQ(count<StoreInst>(module->getFunction("f")->getEntryBlock()), 0u);
}

} // namespace
} // namespace heddle::jit
