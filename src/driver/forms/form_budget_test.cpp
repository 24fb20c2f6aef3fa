// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/forms/form_budget.h"

#include <gtest/gtest.h>

namespace heddle::driver {
namespace {

constexpr FormBudget::Time Nanosecond = 16, Second = 1'000'000'000 * Nanosecond;

/// A kernel of 32 lanes, the compilation of which took a second.
struct Kernel {
  KernelCode code = {};
  Compiled first;
  Kernel() {
    code.width = 32;
    first.info.code = &code;
    first.compilation = 1'000'000'000;
  }
};

/// As a later process of the same program goes on.
FormBudget later(const Compiled &first, const FormBudget &before, FormBudget::Time used) {
  FormRecord record;
  before.store(record, used);
  FormBudget budget(first);
  budget.load(record);
  return budget;
}

TEST(FormBudget, ComparesTheKernelsTimeWithThatOfCompilations) {
  Kernel kernel;
  FormBudget budget(kernel.first);
  EXPECT_GT(budget.missing(8, 1 * Second), 0u);
  EXPECT_EQ(budget.missing(8, 100 * Second), 0u);
  EXPECT_GT(budget.missing(256, 1 * Second), budget.missing(8, 1 * Second));
  auto before = budget.missing(16, 2 * Second);
  budget.begin(8);
  budget.end(8, 3 * Second);
  EXPECT_GT(budget.missing(16, 2 * Second), before);
}

TEST(FormBudget, AddsUpTheTimesOfProcesses) {
  Kernel kernel;
  FormBudget budget(kernel.first);
  auto missing = budget.missing(8, 0);
  FormBudget second = later(kernel.first, budget, missing - Nanosecond);
  EXPECT_EQ(second.missing(8, 0), Nanosecond);
  EXPECT_EQ(later(kernel.first, second, Nanosecond).missing(8, 0), 0u);
}

TEST(FormBudget, CountsACompilationThatTheEndOfTheProcessEnds) {
  Kernel kernel;
  FormBudget budget(kernel.first);
  auto used = budget.missing(8, 0);
  budget.begin(8);
  auto missing = later(kernel.first, budget, used).missing(8, 0);
  EXPECT_GT(missing, 0u); // as if the process had been killed
  budget.lose();
  EXPECT_GT(later(kernel.first, budget, used).missing(8, 0), missing);
}

TEST(FormBudget, KnowsWhatTheFirstFormTookInAnEarlierProcess) {
  Kernel kernel;
  FormBudget budget(kernel.first);
  FormRecord record;
  budget.store(record, 0);
  EXPECT_EQ(record.compilation, kernel.first.compilation);
  Kernel cached;
  cached.first.compilation = 0;
  FormBudget second(cached.first);
  second.load(record);
  EXPECT_EQ(second.missing(8, 0), budget.missing(8, 0));
}

TEST(FormBudget, DoesNotWantWhatTakesMinutes) {
  Kernel kernel;
  FormBudget budget(kernel.first);
  EXPECT_TRUE(budget.isCheap(256));
  kernel.first.compilation *= 15;
  EXPECT_TRUE(budget.isCheap(32));
  EXPECT_FALSE(budget.isCheap(256));
}

} // namespace
} // namespace heddle::driver
