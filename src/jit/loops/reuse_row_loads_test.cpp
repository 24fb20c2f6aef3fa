// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of a row that ends where a page does, with each register of the row loaded once or
// for each product.
#include "jit/loops/reuse_row_loads.h"

#include "jit/test_module.h"
#include "jit/test_object.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace heddle::jit {
namespace {

using namespace llvm;

/// void run(row, weights, out): out[i] = 3 + the sum of weights[k] * row[i + STEP * k].
using Convolve = void (*)(const float *, const float *, float *);

struct Case {
  const char *flags;
  unsigned lanes, turns, step;
  bool writes, isShared;
};

void PrintTo(const Case &test, std::ostream *out) {
  *out << test.flags << " " << test.lanes << ", " << test.turns << " turns of " << test.step;
}

std::string textOf(const Case &c) {
  std::string text = R"(
  @heddle_kernel = constant ptr @run
  define internal void @run(ptr %row, ptr %weights, ptr %out) {
  entry:
    store float 0.0, ptr %out
    br label %loop
  loop:
    %k = phi i64 [0, %entry], [%next, %loop]
    %sum = phi <LANES x float> [splat (float 3.0), %entry], [%more, %loop]
    %at = mul i64 %k, STEP
    %p = getelementptr float, ptr %row, i64 %at
    %x = load <LANES x float>, ptr %p, align 4
    %q = getelementptr float, ptr %weights, i64 %k
    %w = load float, ptr %q, align 4
    WRITE
    %one = insertelement <LANES x float> poison, float %w, i64 0
    %all = shufflevector <LANES x float> %one, <LANES x float> poison, <LANES x i32> zeroinitializer
    %more = call FLAGS <LANES x float> @llvm.fma(<LANES x float> %x, <LANES x float> %all, <LANES x float> %sum)
    %next = add i64 %k, 1
    %again = icmp ult i64 %next, TURNS
    br i1 %again, label %loop, label %end
  end:
    store <LANES x float> %more, ptr %out, align 4
    ret void
  })";
  text = filledIn(text, {{"LANES", std::to_string(c.lanes)},
                         {"TURNS", std::to_string(c.turns)},
                         {"STEP", std::to_string(c.step)},
                         {"FLAGS", c.flags},
                         {"WRITE", c.writes ? "store float %w, ptr %out" : ""},
                         {"llvm.fma", "llvm.fma.v" + std::to_string(c.lanes) + "f32"}});
  std::string type = "<" + std::to_string(c.lanes) + " x float>";
  return text + "\ndeclare " + type + " @llvm.fma.v" + std::to_string(c.lanes) + "f32(" + type +
         ", " + type + ", " + type + ")\n";
}

class ReuseRowLoadsTest : public testing::TestWithParam<Case> {
protected:
  void check(Convolve run) {
    const Case &c = GetParam();
    size_t length = c.lanes + c.step * (c.turns - 1);
    LonePage page;
    std::mt19937 random(5);
    for (bool atEnd : {false, true}) {
      auto *row = reinterpret_cast<float *>(atEnd ? page.end() - length * 4 : page.begin());
      std::vector<float> weights(c.turns), out(c.lanes), want(c.lanes, 3);
      for (size_t i = 0; i < length; ++i)
        row[i] = float(random() % 100);
      for (float &weight : weights)
        weight = float(random() % 10);
      for (unsigned k = 0; k < c.turns; ++k)
        for (unsigned i = 0; i < c.lanes; ++i)
          want[i] += row[i + c.step * k] * weights[k];
      run(row, weights.data(), out.data());
      EXPECT_EQ(out, want);
    }
  }
};

TEST_P(ReuseRowLoadsTest, GivesTheSame) {
#ifdef __x86_64__
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    GTEST_SKIP() << "this CPU has no AVX2";
#endif
  const Case &c = GetParam();
  auto bytes = buildObject(textOf(c), "x86-64-v3", [&](Module &module, TargetMachine &machine) {
    runPass<ReuseRowLoads>(module, machine);
    bool isLoop = false;
    unsigned rows = 0;
    for (Instruction &instruction : instructions(*module.getFunction("run"))) {
      isLoop |= isa<PHINode>(instruction);
      rows += isa<LoadInst>(instruction) && instruction.getType()->isVectorTy();
    }
    EXPECT_EQ(isLoop, !c.isShared);
    if (c.isShared) {
      EXPECT_LE(2 * rows, c.turns * c.lanes / 8);
    }
  });
  ASSERT_TRUE(bool(bytes)) << toString(bytes.takeError());
  LoadedObject object(*bytes);
  check(*object.symbol<Convolve>("heddle_kernel"));
}

/// Registers loaded of rows after the pass over a loop that is changed so.
unsigned rowsLoaded(std::initializer_list<std::pair<std::string, std::string>> changes) {
  std::string text = textOf({"fast", 64, 33, 1, false, true});
  for (const auto &[from, to] : changes) {
    size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    text.replace(at, from.size(), to);
  }
  unsigned rows = 0;
  auto bytes = buildObject(text, "x86-64-v3", [&](Module &module, TargetMachine &machine) {
    runPass<ReuseRowLoads>(module, machine);
    for (Instruction &instruction : instructions(*module.getFunction("run")))
      if (isa<LoadInst>(instruction))
        if (auto *type = dyn_cast<FixedVectorType>(instruction.getType()))
          rows += type->getNumElements() / 8;
  });
  EXPECT_TRUE(bool(bytes)) << toString(bytes.takeError());
  return rows;
}

const std::string Sum = "%more = call fast <64 x float> @llvm.fma.v64f32(<64 x float> %x, "
                        "<64 x float> %all, <64 x float> %";

/// Every second product is of another row.
// LEGAL reuse-row-loads: one row
TEST(ReuseRowLoads, LeavesSumsOfTwoRows) {
  EXPECT_LT(rowsLoaded({}), 33u * 8 / 2);
  std::string other = Sum;
  other.replace(other.find("%more"), 5, "%half").replace(other.find("%x"), 2, "%y");
  EXPECT_EQ(rowsLoaded({{Sum + "sum)", "%qb = getelementptr float, ptr %weights, i64 %at\n"
                                       "    %y = load <64 x float>, ptr %qb, align 4\n    " +
                                           other + "sum)\n    " + Sum + "half)"}}),
            2u * 33 * 8);
}

/// All sums so far are added up, too.
// LEGAL reuse-row-loads: other uses
TEST(ReuseRowLoads, LeavesSumsThatOthersWant) {
  EXPECT_EQ(rowsLoaded({{"%sum = phi", "%others = phi <64 x float> [zeroinitializer, %entry], "
                                       "[%with, %loop]\n    %sum = phi"},
                        {"%next = add", "%with = fadd <64 x float> %others, %sum\n    %next = add"},
                        {"ret void", "store <64 x float> %with, ptr %out, align 4\n    ret void"}}),
            33u * 8);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ReuseRowLoadsTest,
    testing::Values(Case{"fast", 64, 33, 1, false, true}, Case{"reassoc", 64, 21, 1, false, true},
                    Case{"fast", 32, 31, 1, false, true}, Case{"fast", 64, 33, 2, false, true},
                    Case{"fast", 64, 40, 3, false, true},
                    // LEGAL reuse-row-loads: order
                    Case{"", 64, 33, 1, false, false}, // in this order
                    // LEGAL reuse-row-loads: writes between
                    Case{"fast", 64, 33, 1, true, false},   // writes in between
                    Case{"fast", 64, 5, 1, false, false},   // rows hardly overlap
                    Case{"fast", 64, 17, 48, false, false}, // nor here
                    Case{"fast", 8, 33, 1, false, false},   // one register
                    Case{"fast", 64, 300, 1, false, false}) // too long
);

} // namespace
} // namespace heddle::jit
