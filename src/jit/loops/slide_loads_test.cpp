// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of a row that ends where a page does, with and without shifts in place of loads.
#include "jit/loops/slide_loads.h"

#include "jit/test_module.h"
#include "jit/test_object.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace heddle::jit {
namespace {

using namespace llvm;

/// void run(row, weights, out): out[i] = the sum of weights[k] * row[i + STEP * k], of LANES
/// elements.
using Convolve = void (*)(const void *, const void *, void *);

/// The element type T stands for; steps and turns.
struct Case {
  const char *type;
  unsigned bytes, lanes, turns, step;
  bool isShifted;
};

void PrintTo(const Case &test, std::ostream *out) {
  *out << test.lanes << " x " << test.type << ", " << test.turns << " turns of " << test.step;
}

std::string textOf(const Case &c) {
  std::string text = R"(
  @heddle_kernel = constant ptr @run
  define internal void @run(ptr %row, ptr %weights, ptr %out) {
  entry:
    br label %loop
  loop:
    %k = phi i64 [0, %entry], [%next, %loop]
    %sum = phi <LANES x T> [zeroinitializer, %entry], [%more, %loop]
    %at = mul i64 %k, STEP
    %p = getelementptr T, ptr %row, i64 %at
    %x = load <LANES x T>, ptr %p, align BYTES
    %q = getelementptr T, ptr %weights, i64 %k
    %w = load T, ptr %q, align BYTES
    %one = insertelement <LANES x T> poison, T %w, i64 0
    %all = shufflevector <LANES x T> %one, <LANES x T> poison, <LANES x i32> zeroinitializer
    %product = MUL <LANES x T> %x, %all
    %more = ADD <LANES x T> %sum, %product
    %next = add i64 %k, 1
    %again = icmp ult i64 %next, TURNS
    br i1 %again, label %loop, label %end
  end:
    store <LANES x T> %more, ptr %out, align BYTES
    %after = load <LANES x T>, ptr %row, align BYTES
    %sums = ADD <LANES x T> %after, %more
    store <LANES x T> %sums, ptr %out, align BYTES
    ret void
  })";
  bool isFloat = std::string(c.type) == "float" || std::string(c.type) == "double";
  text = filledIn(text, {{"LANES", std::to_string(c.lanes)},
                         {"TURNS", std::to_string(c.turns)},
                         {"STEP", std::to_string(c.step)},
                         {"BYTES", std::to_string(c.bytes)},
                         {"MUL", isFloat ? "fmul" : "mul"},
                         {"ADD", isFloat ? "fadd" : "add"},
                         {" T", std::string(" ") + c.type}});
  return text;
}

/// `out` may be the row itself, which is read again at the end.
template <typename T>
std::vector<T> expected(const Case &c, const T *row, const T *weights, bool isInPlace) {
  std::vector<T> sums(c.lanes), out(c.lanes);
  for (unsigned k = 0; k < c.turns; ++k)
    for (unsigned i = 0; i < c.lanes; ++i)
      sums[i] = sums[i] + row[i + c.step * k] * weights[k];
  for (unsigned i = 0; i < c.lanes; ++i)
    out[i] = (isInPlace ? sums[i] : row[i]) + sums[i];
  return out;
}

class SlideLoadsTest : public testing::TestWithParam<Case> {
protected:
  template <typename T> void check(Convolve run) {
    const Case &c = GetParam();
    size_t length = c.lanes + c.step * (c.turns - 1);
    LonePage page;
    std::mt19937 random(5);
    for (bool atEnd : {false, true})
      for (bool isInPlace : {false, true}) {
        T *row = reinterpret_cast<T *>(atEnd ? page.end() - length * sizeof(T) : page.begin());
        std::vector<T> weights(c.turns), out(c.lanes);
        for (size_t i = 0; i < length; ++i)
          row[i] = T(random() % 100);
        for (T &weight : weights)
          weight = T(random() % 10);
        std::vector<T> want = expected(c, row, weights.data(), isInPlace);
        run(row, weights.data(), isInPlace ? row : out.data());
        if (isInPlace)
          std::copy(row, row + c.lanes, out.begin());
        EXPECT_EQ(out, want);
      }
  }
};

TEST_P(SlideLoadsTest, GivesTheSame) {
#ifdef __x86_64__
  if (!__builtin_cpu_supports("avx512bw"))
    GTEST_SKIP() << "this CPU has no AVX-512";
#endif
  const Case &c = GetParam();
  auto bytes = buildObject(textOf(c), "x86-64-v4", [&](Module &module, TargetMachine &machine) {
    runPass<SlideLoads>(module, machine);
    unsigned shifts = 0, turns = 0;
    for (Instruction &instruction : instructions(*module.getFunction("run"))) {
      auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction);
      shifts += shuffle && !isa<PoisonValue>(shuffle->getOperand(1)) && !shuffle->isConcat();
      turns += isa<PHINode>(instruction);
    }
    EXPECT_EQ(shifts > c.turns / 2, c.isShifted);
    EXPECT_EQ(turns == 0, c.isShifted);
  });
  ASSERT_TRUE(bool(bytes)) << toString(bytes.takeError());
  LoadedObject object(*bytes);
  Convolve run = *object.symbol<Convolve>("heddle_kernel");
  std::string type = c.type;
  if (type == "float")
    check<float>(run);
  else if (type == "double")
    check<double>(run);
  else if (type == "i32")
    check<uint32_t>(run);
  else
    check<uint16_t>(run);
}

/// Shuffles of two registers after the pass over this loop, or %x and %y of it.
unsigned shiftsIn(const std::string &from, const std::string &to) {
  std::string text = textOf({"float", 4, 64, 9, 1, true});
  size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  text.replace(at, from.size(), to);
  unsigned shifts = 0;
  auto bytes = buildObject(text, "x86-64-v4", [&](Module &module, TargetMachine &machine) {
    runPass<SlideLoads>(module, machine);
    for (Instruction &instruction : instructions(*module.getFunction("run")))
      if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction))
        shifts += !isa<PoisonValue>(shuffle->getOperand(1)) && !shuffle->isConcat();
  });
  EXPECT_TRUE(bool(bytes)) << toString(bytes.takeError());
  return shifts;
}

const char *const Load = "%x = load <64 x float>, ptr %p, align 4";

// LEGAL slide-loads: plain
TEST(SlideLoads, LeavesVolatileLoads) {
  EXPECT_GT(shiftsIn(Load, Load), 0u);
  EXPECT_EQ(shiftsIn("%x = load <64", "%x = load volatile <64"), 0u);
}

// LEGAL slide-loads: writes between
TEST(SlideLoads, LeavesLoopsThatWrite) {
  EXPECT_EQ(shiftsIn(Load, std::string(Load) + "\n    store float 1.0, ptr %p"), 0u);
}

/// Between the first element of a turn and the others lie some that nobody reads.
// LEGAL slide-loads: gaps
TEST(SlideLoads, LeavesRowsWithGaps) {
  EXPECT_EQ(shiftsIn(Load, "%far = getelementptr float, ptr %p, i64 4096\n"
                           "    %y = load <64 x float>, ptr %far, align 4\n"
                           "    %z = load <64 x float>, ptr %p, align 4\n"
                           "    %x = fadd <64 x float> %y, %z"),
            0u);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, SlideLoadsTest,
    testing::Values(Case{"float", 4, 128, 33, 1, true}, Case{"float", 4, 64, 7, 1, true},
                    Case{"float", 4, 32, 9, 3, true}, Case{"i32", 4, 64, 17, 2, true},
                    Case{"double", 8, 32, 11, 1, true},
                    Case{"float", 4, 64, 5, 16, false},  // no part of a register
                    Case{"i16", 2, 128, 9, 1, false},    // no shift of these
                    Case{"float", 4, 16, 9, 1, false},   // one register
                    Case{"float", 4, 256, 60, 1, false}) // too long
);

} // namespace
} // namespace heddle::jit
