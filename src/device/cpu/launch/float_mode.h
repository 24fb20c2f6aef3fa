// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace heddle::device::cpu {

/// While it lives, this thread's floating-point unit takes denormal numbers for zero, as operands
/// and as results, if `flush`, and else for what they are, rounds to nearest and raises no signals,
/// whatever the host's code has set: programs compiled with -ffast-math or -Mflushz flush theirs,
/// those with -Ktrap get signals, and threads inherit the mode. What a kernel's exceptions leave
/// behind is not the host's to see.
class FloatMode {
public:
  explicit FloatMode(bool flush) : saved_(read()) { set(flush ? Default | FlushBits : Default); }
  ~FloatMode() { set(saved_); }
  FloatMode(const FloatMode &) = delete;
  FloatMode &operator=(const FloatMode &) = delete;

private:
#if defined(__x86_64__)
  static constexpr uint64_t Default = 0x1f80;   // MXCSR: exceptions are masked
  static constexpr uint64_t FlushBits = 0x8040; // flush to zero, denormals are zero
  static uint64_t read() { return _mm_getcsr(); }
  static void write(uint64_t mode) { _mm_setcsr(static_cast<unsigned>(mode)); }
#elif defined(__aarch64__)
  static constexpr uint64_t Default = 0;
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

  static void set(uint64_t mode) {
    if (read() != mode)
      write(mode);
  }

  uint64_t saved_;
};

} // namespace heddle::device::cpu
