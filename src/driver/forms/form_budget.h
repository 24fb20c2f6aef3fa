// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When another form of a kernel is worth its compilation: what the kernel has used, in this process
// and in earlier ones, against what compilations of its forms took and would take. A program that
// runs for a second may end while a form is compiled. That form is lost, and was paid for all the
// same: the next process counts it twice, and so does not begin it again at once.
#pragma once

#include "base/cache/form_record.h"
#include "device/kernel_forms.h"
#include "driver/modules/module.h"

namespace heddle::driver {

/// Without a lock of its own.
class FormBudget {
public:
  using Time = device::KernelForms::Time; // 1/16 ns

  /// Of the kernel whose first form this is.
  explicit FormBudget(const Compiled &first) : first_(first) {}

  /// Of earlier processes; with `used` of this one.
  void load(const FormRecord &);
  void store(FormRecord &, Time used) const;

  /// A form that takes longer than this is not wanted, however long the kernel runs.
  bool isCheap(uint32_t width) const;
  /// How much more of its time the kernel must use first, which has used so much in this process.
  Time missing(uint32_t width, Time used) const;
  /// Around a compilation. It counts with what is expected until it has ended.
  void begin(uint32_t width);
  void end(uint32_t width, Time took);
  /// In place of `end`: the program has ended first. The next attempt will be as costly as all
  /// before it, for the program may always be so short.
  void lose() { spent_ *= 2; }

private:
  Time estimate(uint32_t width) const;

  const Compiled &first_;
  Time earlier_ = 0;     ///< the kernel's time in earlier processes
  Time spent_ = 0;       ///< on compilations
  Time compilation_ = 0; ///< of the first form; 0: not known
};

} // namespace heddle::driver
