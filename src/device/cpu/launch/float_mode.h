// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace heddle::device::cpu {

/// While it lives, this thread's floating-point unit takes denormal numbers for zero, as operands
/// and as results, if `flush`, and else for what they are, whatever the host's code has set:
/// programs compiled with -ffast-math or -Mflushz flush theirs, and threads inherit the mode.
class FloatMode {
public:
  explicit FloatMode(bool flush) : saved_(read()) {
    uint64_t mode = flush ? saved_ | FlushBits : saved_ & ~FlushBits;
    changed_ = mode != saved_;
    if (changed_)
      write(mode);
  }
  ~FloatMode() {
    if (changed_)
      write(saved_);
  }
  FloatMode(const FloatMode &) = delete;
  FloatMode &operator=(const FloatMode &) = delete;

private:
#if defined(__x86_64__)
  static constexpr uint64_t FlushBits = 0x8040; // MXCSR: flush to zero, denormals are zero
  static uint64_t read() { return _mm_getcsr(); }
  static void write(uint64_t mode) { _mm_setcsr(static_cast<unsigned>(mode)); }
#elif defined(__aarch64__)
  static constexpr uint64_t FlushBits = 1 << 24; // FPCR.FZ
  static uint64_t read() {
    uint64_t mode;
    asm volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
  }
  static void write(uint64_t mode) { asm volatile("msr fpcr, %0" : : "r"(mode)); }
#else
#error "set the floating-point mode of this processor here"
#endif

  uint64_t saved_;
  bool changed_;
};

} // namespace heddle::device::cpu
