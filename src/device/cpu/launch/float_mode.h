// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace heddle::device::cpu {

/// While it lives, this thread's floating-point unit takes denormal numbers for zero, as operands
/// and as results, if `flush`.
class FloatMode {
public:
  explicit FloatMode(bool flush) : flush_(flush) {
    if (flush_)
      write((saved_ = read()) | FlushBits);
  }
  ~FloatMode() {
    if (flush_)
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

  bool flush_;
  uint64_t saved_ = 0;
};

} // namespace heddle::device::cpu
