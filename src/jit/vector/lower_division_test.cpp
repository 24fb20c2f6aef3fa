// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every quotient and remainder of 8 bits, and those of 16 and 32 bits that lie next to an integer,
// on machines with more and with fewer instructions.
#include "jit/vector/lower_division.h"

#include "base/abi/kernel_abi.h"
#include "jit/test_module.h"
#include "jit/test_object.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::jit {
namespace {

using namespace llvm;

constexpr unsigned Lanes = 32;

using Run = void (*)(const void *, const void *, void *);

/// void run(a, b, out): 32 lanes of `type`; all divided by the first of b if `isUniform`.
std::string divisionText(const std::string &operation, const std::string &type, bool isUniform) {
  std::string vector = "<32 x " + type + ">";
  std::string divisor = "  %y = load " + vector + ", ptr %b, align 1\n";
  if (isUniform)
    divisor = "  %n = load " + type + ", ptr %b, align 1\n" + //
              "  %one = insertelement " + vector + " poison, " + type + " %n, i32 0\n" +
              "  %y = shufflevector " + vector + " %one, " + vector +
              " poison, <32 x i32> zeroinitializer\n";
  return "@heddle_kernel = constant ptr @run\n"
         "define internal void @run(ptr %a, ptr %b, ptr %out) {\n"
         "  %x = load " +
         vector + ", ptr %a, align 1\n" + divisor + "  %r = " + operation + " " + vector +
         " %x, %y\n"
         "  store " +
         vector +
         " %r, ptr %out, align 1\n"
         "  ret void\n}\n";
}

/// The same one after the other in a loop; the first of b is read in front of it.
std::string loopText(const std::string &operation) {
  return "@heddle_kernel = constant ptr @run\n"
         "define internal void @run(ptr %a, ptr %b, ptr %out) {\n"
         "entry:\n"
         "  %n = load i32, ptr %b\n"
         "  br label %loop\n"
         "loop:\n"
         "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n"
         "  %pa = getelementptr i32, ptr %a, i64 %i\n"
         "  %x = load i32, ptr %pa\n"
         "  %r = " +
         operation +
         " i32 %x, %n\n"
         "  %po = getelementptr i32, ptr %out, i64 %i\n"
         "  store i32 %r, ptr %po\n"
         "  %next = add i64 %i, 1\n"
         "  %again = icmp ult i64 %next, 32\n"
         "  br i1 %again, label %loop, label %exit\n"
         "exit:\n"
         "  ret void\n}\n";
}

enum class Form { Lanes, Uniform, Loop };

struct Divider {
  Divider(const std::string &operation, const std::string &type, const char *cpu,
          Form form = Form::Lanes)
      : object(cantFail(
            buildObject(form == Form::Loop ? loopText(operation)
                                           : divisionText(operation, type, form == Form::Uniform),
                        cpu,
                        [&](Module &module, TargetMachine &) {
                          runPass<LowerDivision>(module);
                          for (Function &function : module)
                            for (Instruction &instruction : instructions(function)) {
                              divisions += instruction.isIntDivRem() &&
                                           !isa<Constant>(instruction.getOperand(0));
                              vectorQuotients += instruction.getType()->isVectorTy() &&
                                                 instruction.getOpcode() == Instruction::FDiv;
                            }
                        }))),
        run(*object.symbol<Run>(KernelSymbol)) {}
  unsigned divisions = 0; ///< integer divisions that are left
  unsigned vectorQuotients = 0;
  LoadedObject object;
  Run run;
};

template <typename T> std::string typeName() { return "i" + std::to_string(8 * sizeof(T)); }

/// Divides all pairs, 32 at a time, or as many as have one divisor, and compares with the host's
/// division.
template <typename T>
void check(const std::vector<std::pair<T, T>> &pairs, const char *cpu, Form form = Form::Lanes) {
  constexpr bool IsSigned = std::is_signed_v<T>;
  Divider quotient(IsSigned ? "sdiv" : "udiv", typeName<T>(), cpu, form);
  Divider remainder(IsSigned ? "srem" : "urem", typeName<T>(), cpu, form);
  EXPECT_EQ(quotient.divisions + remainder.divisions, 0u);
  for (size_t first = 0, last; first < pairs.size(); first = last) {
    last = std::min(first + Lanes, pairs.size());
    if (form != Form::Lanes)
      last = std::find_if(pairs.begin() + first, pairs.begin() + last,
                          [&](auto pair) { return pair.second != pairs[first].second; }) -
             pairs.begin();
    T a[Lanes], b[Lanes], q[Lanes], r[Lanes];
    for (unsigned lane = 0; lane != Lanes; ++lane)
      std::tie(a[lane], b[lane]) = pairs[std::min(first + lane, last - 1)];
    quotient.run(a, b, q);
    remainder.run(a, b, r);
    for (unsigned lane = 0; lane != Lanes; ++lane) {
      ASSERT_EQ(q[lane], T(a[lane] / b[lane])) << +a[lane] << " / " << +b[lane];
      ASSERT_EQ(r[lane], T(a[lane] % b[lane])) << +a[lane] << " % " << +b[lane];
    }
  }
}

/// Not defined, in C++ as in LLVM.
template <typename T> bool isDefined(T a, T b) {
  return b != 0 && !(std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == T(-1));
}

template <typename T> std::vector<std::pair<T, T>> allPairs() {
  std::vector<std::pair<T, T>> pairs;
  for (int b = std::numeric_limits<T>::min(); b <= std::numeric_limits<T>::max(); ++b)
    for (int a = std::numeric_limits<T>::min(); a <= std::numeric_limits<T>::max(); ++a)
      if (isDefined(T(a), T(b)))
        pairs.push_back({T(a), T(b)});
  return pairs;
}

/// Dividends at and beside multiples of the divisor, where a rounded quotient would show, and the
/// extremes.
template <typename T> std::vector<std::pair<T, T>> hardPairs() {
  using Limits = std::numeric_limits<T>;
  std::mt19937_64 random(5);
  std::vector<T> divisors = {
      T(1), T(2), T(3), T(-1), Limits::max(), Limits::min(), T(Limits::max() - 1)};
  for (int i = 0; i != 2000; ++i)
    divisors.push_back(T(random() >> random() % 64));
  std::vector<std::pair<T, T>> pairs;
  auto add = [&](T a, T b) {
    if (isDefined(a, b))
      pairs.push_back({a, b});
  };
  for (T b : divisors) {
    for (T a : {Limits::max(), Limits::min(), T(0), T(1), T(-1)})
      add(a, b);
    if (!isDefined(Limits::max(), b))
      continue;
    T most = T(Limits::max() / b),
      some = most ? T(random() % uint64_t(most < 0 ? -int64_t(most) : most)) : T(0);
    for (T multiple : {T(uint64_t(most) * uint64_t(b)), T(uint64_t(some) * uint64_t(b))})
      for (int beside : {-1, 0, 1})
        add(T(uint64_t(multiple) + uint64_t(int64_t(beside))), b);
  }
  return pairs;
}

class LowerDivisionTest : public testing::TestWithParam<const char *> {};

TEST_P(LowerDivisionTest, IsExact) {
  check(allPairs<int8_t>(), GetParam());
  check(allPairs<uint8_t>(), GetParam());
  check(hardPairs<int16_t>(), GetParam());
  check(hardPairs<uint16_t>(), GetParam());
  check(hardPairs<int32_t>(), GetParam());
  check(hardPairs<uint32_t>(), GetParam());
}

TEST_P(LowerDivisionTest, IsExactByReciprocals) {
  check(allPairs<int8_t>(), GetParam(), Form::Uniform);
  check(allPairs<uint8_t>(), GetParam(), Form::Uniform);
  check(hardPairs<int16_t>(), GetParam(), Form::Uniform);
  check(hardPairs<uint16_t>(), GetParam(), Form::Uniform);
  check(hardPairs<int32_t>(), GetParam(), Form::Uniform);
  check(hardPairs<uint32_t>(), GetParam(), Form::Uniform);
}

TEST_P(LowerDivisionTest, IsExactByWhatALoopDividesBy) {
  check(hardPairs<int32_t>(), GetParam(), Form::Loop);
  check(hardPairs<uint32_t>(), GetParam(), Form::Loop);
}

#if defined(__x86_64__)
INSTANTIATE_TEST_SUITE_P(Machines, LowerDivisionTest,
                         testing::Values(static_cast<const char *>(nullptr), "x86-64",
                                         "x86-64-v3"));
#else
INSTANTIATE_TEST_SUITE_P(Machines, LowerDivisionTest,
                         testing::Values(static_cast<const char *>(nullptr)));
#endif

TEST(LowerDivision, LeavesWideIntegers) {
  EXPECT_EQ(Divider("sdiv", "i64", nullptr).divisions, 1u);
}

TEST(LowerDivision, MultipliesByReciprocalsWhereItMay) {
  for (auto [operation, isUniform, left] :
       {std::tuple("fdiv arcp", true, 0u), {"fdiv arcp", false, 1u}, {"fdiv", true, 1u}}) {
    Divider divider(operation, "float", nullptr, isUniform ? Form::Uniform : Form::Lanes);
    EXPECT_EQ(divider.vectorQuotients, left) << operation << isUniform;
    float a[Lanes], b[Lanes], got[Lanes];
    for (unsigned i = 0; i < Lanes; ++i)
      a[i] = 3.5f * float(i) - 40, b[i] = 7.25f + (isUniform ? 0 : float(i));
    divider.run(a, b, got);
    for (unsigned i = 0; i < Lanes; ++i)
      EXPECT_FLOAT_EQ(got[i], a[i] / b[i]);
  }
}

/// All bytes as floats, divided by a constant; so many divisions are left.
void checkBytes(float divisor, unsigned left) {
  std::string number = "0x" + utohexstr(APFloat(double(divisor)).bitcastToAPInt().getZExtValue());
  unsigned quotients = 0;
  LoadedObject object(
      cantFail(buildObject("@heddle_kernel = constant ptr @run\n"
                           "define internal void @run(ptr %a, ptr %unused, ptr %out) {\n"
                           "  %x = load <32 x i8>, ptr %a, align 1\n"
                           "  %f = uitofp <32 x i8> %x to <32 x float>\n"
                           "  %r = fdiv <32 x float> %f, splat (float " +
                               number +
                               ")\n"
                               "  store <32 x float> %r, ptr %out, align 4\n"
                               "  ret void\n}\n",
                           nullptr, [&](Module &module, TargetMachine &machine) {
                             runPass<LowerDivision>(module, machine);
                             for (Function &function : module)
                               for (Instruction &instruction : instructions(function))
                                 quotients += instruction.getOpcode() == Instruction::FDiv;
                           })));
  EXPECT_EQ(quotients, left) << divisor;
  auto run = *object.symbol<Run>(KernelSymbol);
  for (unsigned first = 0; first < 256; first += Lanes) {
    uint8_t numbers[Lanes];
    float got[Lanes];
    for (unsigned i = 0; i < Lanes; ++i)
      numbers[i] = uint8_t(first + i);
    run(numbers, nullptr, got);
    for (unsigned i = 0; i < Lanes; ++i)
      EXPECT_EQ(got[i], float(numbers[i]) / divisor) << divisor;
  }
}

TEST(LowerDivision, DividesSmallNumbersByConstants) {
  for (float divisor : {255.0f, -3.0f, 127.5f, 0.1f})
    checkBytes(divisor, 0);
  checkBytes(1e-30f, 1);
}

} // namespace
} // namespace heddle::jit
