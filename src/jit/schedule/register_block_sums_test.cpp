// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/schedule/register_block_sums.h"

#include "jit/emit/back_end.h"
#include "jit/test_module.h"
#include "jit/test_object.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

using namespace llvm;

/// The module after the pass.
std::unique_ptr<Module> groupedText(LLVMContext &context, const std::string &source,
                                    const char *cpu = "x86-64-v4") {
  return moduleAfter(context, source, cpu, [](Module &module, TargetMachine &machine) {
    runPass<RegisterBlockSums>(module, machine);
  });
}

struct Counts {
  unsigned loads = 0, products = 0, groups = 0;
  unsigned sharedColumns = 0; ///< products with the same vector as the one before
  bool inOrder = false;       ///< the back end keeps it
};

/// A function that adds products of `steps` vectors at %b with scalars at %a to `sums` sums of
/// `lanes` that lie at %c, one step after the other; after each step comes `between`.
Counts grouped(unsigned sums, unsigned steps, const std::string &between = "", unsigned lanes = 16,
               const char *cpu = "x86-64-v4") {
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
  std::unique_ptr<Module> module = groupedText(context, source, cpu);
  if (!module)
    return {};
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

/// Six sums of four registers, whose rows are one scalar in half of the lanes and another one in
/// the rest: a register is a broadcast of one of them.
TEST(RegisterBlockSums, MakesPartsOfFactors) {
  std::string concatenation = "<i32 0";
  for (int i = 1; i < 32; ++i)
    concatenation += ", i32 " + std::to_string(i);
  concatenation += ">";
  std::string source = "define void @f(ptr %a, ptr %b, ptr %c) {\n";
  for (int i = 0; i < 6; ++i)
    source += filledIn(R"(
      %c$i = getelementptr <32 x float>, ptr %c, i64 $i
      %s$i.0 = load <32 x float>, ptr %c$i)",
                       {{"$i", std::to_string(i)}});
  for (int k = 0; k < 4; ++k) {
    source += filledIn("\n%pb$k = getelementptr <32 x float>, ptr %b, i64 $k\n"
                       "%b$k = load <32 x float>, ptr %pb$k\n",
                       {{"$k", std::to_string(k)}});
    for (int i = 0; i < 6; ++i)
      source += filledIn(R"(
        %p$i.$k = getelementptr float, ptr %a, i64 $at
        %x$i.$k = load <1 x float>, ptr %p$i.$k
        %q$i.$k = getelementptr float, ptr %p$i.$k, i64 100
        %y$i.$k = load <1 x float>, ptr %q$i.$k
        %low$i.$k = shufflevector <1 x float> %x$i.$k, <1 x float> poison,
                      <16 x i32> zeroinitializer
        %high$i.$k = shufflevector <1 x float> %y$i.$k, <1 x float> poison,
                      <16 x i32> zeroinitializer
        %w$i.$k = shufflevector <16 x float> %low$i.$k, <16 x float> %high$i.$k, <32 x i32> $mask
        %s$i.$next = call <32 x float> @llvm.fma.v32f32(<32 x float> %b$k, <32 x float> %w$i.$k,
                      <32 x float> %s$i.$k)
        )",
                         {{"$mask", concatenation},
                          {"$at", std::to_string(k * 6 + i)},
                          {"$next", std::to_string(k + 1)},
                          {"$i", std::to_string(i)},
                          {"$k", std::to_string(k)}});
  }
  for (int i = 0; i < 6; ++i)
    source += filledIn("store <32 x float> %s$i.4, ptr %c$i\n", {{"$i", std::to_string(i)}});
  source += "ret void\n}\ndeclare <32 x float> "
            "@llvm.fma.v32f32(<32 x float>, <32 x float>, <32 x float>)\n";
  LLVMContext context;
  std::unique_ptr<Module> module = groupedText(context, source, "x86-64-v3");
  ASSERT_TRUE(module);
  unsigned broadcasts = 0;
  for (const Instruction &instruction : instructions(*module->getFunction("f")))
    if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction)) {
      bool isFactor =
          any_of(shuffle->users(), [](const User *user) { return isa<CallInst>(user); });
      EXPECT_TRUE(!isFactor || shuffle->getShuffleMask().size() == 8);
      broadcasts += isFactor && all_equal(shuffle->getShuffleMask());
    }
  EXPECT_EQ(broadcasts, 6u * 4 * 4);
}

/// Sums of eight registers, of which none fits with its factors: three registers of all four sums
/// at a time load each factor once, and the scalars three times.
TEST(RegisterBlockSums, CutsWideSums) {
  Counts counts = grouped(4, 4, "", 64, "x86-64-v3");
  EXPECT_EQ(counts.groups, 3u);
  EXPECT_EQ(counts.products, 4u * 8 * 4);
  EXPECT_EQ(counts.loads, 4u * 8 + 8 * 4 + 3 * 4 * 4);
}

/// Eight sums of four registers are groups of 3, 3 and 2 sums. Three rows and four columns leave no
/// register for the columns and a row: column by column, in an order that stays.
TEST(RegisterBlockSums, GoesByColumnsWhereRowsDoNotFit) {
  Counts counts = grouped(8, 4, "", 32, "x86-64-v3");
  EXPECT_EQ(counts.groups, 3u);
  EXPECT_EQ(counts.products, 4u * 4 * (3 + 3) + 4u * 2) << "the last group fits, and stays whole";
  EXPECT_EQ(counts.sharedColumns, 4u * 4 * (2 + 2) + 4u);
  EXPECT_TRUE(counts.inOrder);
  EXPECT_FALSE(grouped(8, 4, "", 32, "x86-64-v4").inOrder) << "32 registers";
}

/// 48 sums are four groups of 12; each loads the vectors of all steps.
TEST(RegisterBlockSums, CutsWhatDoesNotFit) {
  Counts counts = grouped(48, 4);
  EXPECT_EQ(counts.groups, 4u);
  EXPECT_EQ(counts.products, 48u * 4);
  EXPECT_EQ(counts.loads, 48u + 48 * 4 + 4 * 4);
}

TEST(RegisterBlockSums, EqualParts) { EXPECT_EQ(grouped(50, 4).groups, 5u); }

TEST(RegisterBlockSums, LeavesWhatFits) { EXPECT_EQ(grouped(24, 4).groups, 0u); }

/// There are registers for 28 sums, but not for what is added to them too.
TEST(RegisterBlockSums, LeavesRoomForFactors) { EXPECT_EQ(grouped(28, 4).groups, 3u); }

TEST(RegisterBlockSums, LeavesShortChains) { EXPECT_EQ(grouped(48, 3).groups, 0u); }

/// What is loaded may change between the steps.
// LEGAL register-block-sums: writes between
TEST(RegisterBlockSums, LeavesWhatMayChange) {
  EXPECT_EQ(grouped(48, 4, "  store i32 %n, ptr %a\n").groups, 0u);
}

/// 48 sums that lie in `frame`, four steps of the same products, and then: back into the frame,
/// each `shift` places on, or, where there is no more to do, to %c.
/// With `early` each store follows its sum's last product, there are others that touch %c before
/// the factors are loaded, and the end loads the sums from the frame. `end`: how it ends. With
/// `entry`, which goes to %sums and knows %index, the program waits in two places. `apart`: the
/// sums are loaded in a block of their own.
constexpr const char *WarpEnds = "store ptr null, ptr %c, align 8, !heddle.warp-end !0\n  ret void";
std::unique_ptr<Module> suspended(LLVMContext &context, const char *frame, unsigned shift,
                                  bool early = false, const char *end = WarpEnds,
                                  const std::string &entry = "", bool apart = false) {
  constexpr unsigned Sums = 48, Steps = 4;
  std::string source =
      std::string("define void @f(") + frame + " %frame, ptr %b, ptr %c, i1 %more) {\n" + entry;
  auto line = [&](const Twine &text) { source += "  " + text.str() + "\n"; };
  for (unsigned i = 0; i < Sums; ++i) {
    line("%p" + Twine(i) + " = getelementptr i8, ptr %frame, i64 " + Twine(64 * i));
    line("%s" + Twine(i) + ".0 = load <16 x float>, ptr %p" + Twine(i));
  }
  if (apart)
    line("br label %products\nproducts:");
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
  line((entry.empty() ? "" : "store i1 true, ptr %index\n  ") + Twine("ret void\nend:"));
  for (unsigned i = 0; i < Sums; ++i) {
    line("%q" + Twine(i) + " = getelementptr i8, ptr %c, i64 " + Twine(64 * i));
    if (early)
      line("%e" + Twine(i) + " = load <16 x float>, ptr %p" + Twine(i));
    line("store <16 x float> %" + (early ? "e" + Twine(i) : "s" + Twine(i) + ".4") + ", ptr %q" +
         Twine(i));
  }
  line(end + Twine("\n}\ndeclare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x "
                   "float>)\n!0 = !{}"));
  return groupedText(context, source);
}

template <typename Kind> unsigned count(const BasicBlock &block) {
  return count_if(block, IsaPred<Kind>);
}

/// Sums of a frame go back there behind their group; the end of the program loads them from it.
TEST(RegisterBlockSums, StoresBehindTheGroup) {
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
TEST(RegisterBlockSums, MovesStoresBehindTheGroup) {
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

/// The same where another block has loaded the sums: a sum's start is used by its first product
/// and, for a while, by the copy of that.
TEST(RegisterBlockSums, MovesStoresOfSumsThatAnotherBlockLoads) {
  LLVMContext context;
  auto module = suspended(context, "ptr noalias", 0, true, WarpEnds, "", true);
  ASSERT_TRUE(module);
  unsigned fences = 0, stores = 0;
  for (const Instruction &instruction : *std::next(module->getFunction("f")->begin())) {
    fences += isa<FenceInst>(instruction);
    stores += isa<StoreInst>(instruction);
    if (isa<FenceInst>(instruction))
      EXPECT_EQ(stores, 1u + 12 * (fences - 1));
  }
  EXPECT_EQ(fences, 4u);
  EXPECT_EQ(stores, 1u + 48);
}

// LEGAL register-block-sums: frame
TEST(RegisterBlockSums, LeavesStoresThatOthersSee) {
  LLVMContext context;
  auto module = suspended(context, "ptr", 0);
  ASSERT_TRUE(module);
  EXPECT_EQ(count<StoreInst>(module->getFunction("f")->getEntryBlock()), 0u);
}

/// A place is loaded from by one sum and stored to by another.
// LEGAL register-block-sums: place
TEST(RegisterBlockSums, LeavesStoresToOtherPlaces) {
  LLVMContext context;
  auto module = suspended(context, "ptr noalias", 1);
  ASSERT_TRUE(module);
  EXPECT_EQ(count<StoreInst>(module->getFunction("f")->getEntryBlock()), 0u);
}

/// The program waits on both ways, on one without the store: what the sum was before stays there.
// LEGAL register-block-sums: all ways
TEST(RegisterBlockSums, LeavesStoresOfOneWay) {
  LLVMContext context, another;
  auto module = suspended(context, "ptr noalias", 0, false, "ret void");
  ASSERT_TRUE(module);
  EXPECT_EQ(count<StoreInst>(module->getFunction("f")->getEntryBlock()), 0u);
  module = suspended(another, "ptr noalias", 0, false,
                     "%old = load <16 x float>, ptr %p3\n  store <16 x float> %old, ptr %c\n"
                     "  store ptr null, ptr %c, align 8, !heddle.warp-end !0\n  ret void");
  ASSERT_TRUE(module);
  EXPECT_EQ(count<StoreInst>(module->getFunction("f")->getEntryBlock()), 47u);
}

/// The other way leads to where the program goes on elsewhere, and ends there or reads the place.
TEST(RegisterBlockSums, FollowsWaysToWhereTheProgramGoesOn) {
  auto storesAtOnce = [](const char *then, const char *index) {
    std::string entry = "  %index = getelementptr i8, ptr %frame, i64 8192\n"
                        "  %p0.too = getelementptr i8, ptr %frame, i64 0\n"
                        "  %at = load i1, ptr %index\n  br i1 %at, label %sums, label %rest\n"
                        "rest:\n";
    entry += std::string("  ") + then + "\n  store ptr null, ptr %c, !heddle.warp-end !0\n" +
             "  ret void\nsums:\n";
    LLVMContext context;
    auto module = suspended(context, "ptr noalias", 0, false, index, entry);
    auto blocks = module->getFunction("f")->begin();
    return count<StoreInst>(*std::next(blocks, 2));
  };
  const char *rest = "store i1 false, ptr %index\n  ret void",
             *sums = "store i1 true, ptr %index\n  ret void", *unknown = "ret void";
  EXPECT_EQ(storesAtOnce("", rest), 48u);
  EXPECT_EQ(storesAtOnce("%x = load <16 x float>, ptr %p0.too", rest), 47u);
  EXPECT_EQ(storesAtOnce("", sums), 0u);
  EXPECT_EQ(storesAtOnce("", unknown), 0u);
}

/// 48 sums in the frame and the text of one more product for each step of the first of them.
std::string sumsInFrame(const std::string &more, const std::string &asWell) {
  std::string source = "define void @f(ptr noalias %frame, ptr %b, ptr %c) {\n"
                       "  %b.0 = load <16 x float>, ptr %b\n";
  auto line = [&](const Twine &text) { source += "  " + text.str() + "\n"; };
  auto product = [&](const Twine &name, const Twine &factor, const Twine &sum) {
    line(name + " = call <16 x float> @llvm.fma.v16f32(<16 x float> " + factor +
         ", <16 x float> %b.0, <16 x float> " + sum + ")");
  };
  for (unsigned i = 0; i < 48; ++i) {
    line("%p" + Twine(i) + " = getelementptr i8, ptr %frame, i64 " + Twine(64 * i));
    line("%s" + Twine(i) + ".0 = load <16 x float>, ptr %p" + Twine(i));
  }
  source += more;
  for (unsigned k = 0; k < 4; ++k)
    for (unsigned i = 0; i < 48; ++i)
      product("%s" + Twine(i) + "." + Twine(k + 1), "%b.0", "%s" + Twine(i) + "." + Twine(k));
  for (unsigned i = 0; i < 48; ++i)
    line("store <16 x float> %s" + Twine(i) + ".4, ptr %p" + Twine(i));
  return source + asWell +
         "  ret void\n}\ndeclare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, "
         "<16 x float>)\n";
}

/// Where each store to the frame lies: the number of groups before it.
std::vector<unsigned> groupsBeforeStores(const Function &function) {
  std::vector<unsigned> groups;
  unsigned fences = 0;
  for (const Instruction &instruction : instructions(function)) {
    fences += isa<FenceInst>(instruction);
    if (auto *store = dyn_cast<StoreInst>(&instruction);
        store && store->getValueOperand()->getType()->isVectorTy())
      groups.push_back(fences);
  }
  return groups;
}

/// What the frame has of a sum is the start of another one too, which may come in a later group.
// LEGAL register-block-sums: first use
TEST(RegisterBlockSums, LeavesStoresOfWhatOthersStartWith) {
  LLVMContext context, another;
  auto module = groupedText(context, sumsInFrame("", ""));
  ASSERT_TRUE(module);
  std::vector<unsigned> groups = groupsBeforeStores(*module->getFunction("f"));
  EXPECT_EQ(llvm::count(groups, 1u), 12);
  std::string other = "  %o0 = call <16 x float> @llvm.fma.v16f32(<16 x float> %b.0, <16 x float> "
                      "%b.0, <16 x float> %s0.0)\n";
  for (unsigned k = 0; k < 3; ++k)
    other += "  %o" + std::to_string(k + 1) +
             " = call <16 x float> @llvm.fma.v16f32(<16 x float> %b.0, <16 x float> %b.0, "
             "<16 x float> %o" +
             std::to_string(k) + ")\n";
  module = groupedText(another, sumsInFrame(other, "  store <16 x float> %o3, ptr %c\n"));
  ASSERT_TRUE(module);
  for (const Instruction &instruction : instructions(*module->getFunction("f")))
    if (auto *store = dyn_cast<StoreInst>(&instruction))
      if (store->getPointerOperand()->getName() == "p0")
        EXPECT_TRUE(none_of(make_range(std::next(store->getIterator()), store->getParent()->end()),
                            IsaPred<FenceInst>))
            << "stored before a group that may read it";
}

/// A sum that is ready before the others begin is wanted among them.
// LEGAL register-block-sums: early use
TEST(RegisterBlockSums, LeavesSumsThatAreWantedBefore) {
  std::string early;
  for (unsigned k = 0; k < 5; ++k)
    early += "  %o" + std::to_string(k) +
             " = call <16 x float> @llvm.fma.v16f32(<16 x float> %b.0, <16 x float> %b.0, " +
             "<16 x float> " + (k ? "%o" + std::to_string(k - 1) : "zeroinitializer") + ")\n";
  early += "  %u = fadd <16 x float> %o4, %b.0\n";
  LLVMContext context;
  auto module = groupedText(context, sumsInFrame(early, "  store <16 x float> %u, ptr %c\n"));
  ASSERT_TRUE(module);
  unsigned fences = 0;
  for (const Instruction &instruction : instructions(*module->getFunction("f"))) {
    fences += isa<FenceInst>(instruction);
    if (instruction.getName() == "o4" || instruction.getName() == "u")
      EXPECT_EQ(fences, 0u);
  }
  EXPECT_EQ(fences, 4u);
}

/// The load is one step from a factor, and more steps than are made again from an earlier one.
// LEGAL register-block-sums: far loads
TEST(RegisterBlockSums, FindsLoadsThatAreFarFromOneFactor) {
  std::string far =
      "  %x = load float, ptr %c\n"
      "  %v = insertelement <16 x float> poison, float %x, i64 0\n"
      "  %w0 = shufflevector <16 x float> %v, <16 x float> poison, <16 x i32> zeroinitializer\n";
  for (unsigned i = 0; i < 6; ++i)
    far += "  %w" + std::to_string(i + 1) + " = insertelement <16 x float> %w" + std::to_string(i) +
           ", float 1.0, i64 " + std::to_string(i) + "\n";
  std::string source = "define void @f(ptr %c, ptr %out) {\n" + far +
                       "  store float 0.0, ptr %c\n  %y = load <16 x float>, ptr %out\n";
  for (unsigned k = 0; k < 4; ++k)
    for (unsigned i = 0; i < 48; ++i)
      source += "  %s" + std::to_string(i) + "." + std::to_string(k + 1) +
                " = call <16 x float> @llvm.fma.v16f32(<16 x float> " + (k == 0 ? "%w6" : "%w0") +
                ", <16 x float> " + (i % 2 ? "%w0" : "%y") + ", <16 x float> " +
                (k == 0 ? "splat (float " + std::to_string(i) + ".0)"
                        : "%s" + std::to_string(i) + "." + std::to_string(k)) +
                ")\n";
  for (unsigned i = 0; i < 48; ++i)
    source += "  %p" + std::to_string(i) + " = getelementptr i8, ptr %out, i64 " +
              std::to_string(64 * i) + "\n  store <16 x float> %s" + std::to_string(i) +
              ".4, ptr %p" + std::to_string(i) + "\n";
  source += "  ret void\n}\ndeclare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, "
            "<16 x float>)\n";
  LLVMContext context;
  auto module = groupedText(context, source);
  ASSERT_TRUE(module);
  bool isStored = false;
  for (const Instruction &instruction : instructions(*module->getFunction("f"))) {
    isStored |= isa<StoreInst>(instruction);
    if (isStored && isa<LoadInst>(instruction))
      EXPECT_TRUE(instruction.getType()->isVectorTy()) << "loaded again behind the store";
  }
}

} // namespace
} // namespace heddle::jit
