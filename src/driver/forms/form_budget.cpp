// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/forms/form_budget.h"

#include <algorithm>

#include <sys/stat.h>

namespace heddle::driver {

namespace {

using Time = FormBudget::Time;

constexpr uint32_t CudaWarp = 32;
constexpr Time Nanosecond = 16, Millisecond = 1'000'000 * Nanosecond;
constexpr Time UsedPerCompilation = 4; ///< of a kernel's time, before it is worth that much
constexpr Time LongestCompilation = 20'000 * Millisecond;
/// Where nobody has measured it, by the bytes of the first form's object: about what it took.
constexpr Time LeastCompilation = 40 * Millisecond, CompilationPerByte = 3'000 * Nanosecond;

} // namespace

void FormBudget::load(const FormRecord &record) {
  earlier_ = record.used * Nanosecond;
  spent_ = record.spent * Nanosecond;
  compilation_ = record.compilation * Nanosecond;
}

void FormBudget::store(FormRecord &record, Time used) const {
  record.used = (earlier_ + used) / Nanosecond;
  record.spent = spent_ / Nanosecond;
  record.compilation = std::max(compilation_, first_.compilation * Nanosecond) / Nanosecond;
}

/// Wide forms of large kernels take longest.
Time FormBudget::estimate(uint32_t width) const {
  Time first = std::max(compilation_, first_.compilation * Nanosecond);
  if (!first) {
    struct stat status = {};
    stat(first_.objectPath.c_str(), &status);
    first = LeastCompilation + static_cast<Time>(status.st_size) * CompilationPerByte;
  }
  return first * std::max(1u, width / std::max(first_.info.code->width, CudaWarp));
}

bool FormBudget::isCheap(uint32_t width) const { return estimate(width) <= LongestCompilation; }

Time FormBudget::missing(uint32_t width, Time used) const {
  Time needed = UsedPerCompilation * (spent_ + estimate(width)), has = earlier_ + used;
  return needed - std::min(needed, has);
}

void FormBudget::begin(uint32_t width) { spent_ += estimate(width); }

void FormBudget::end(uint32_t width, Time took) { spent_ += took - estimate(width); }

} // namespace heddle::driver
