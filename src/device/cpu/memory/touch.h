// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <csetjmp>
#include <cstdint>

namespace heddle::device::cpu {

/// While a thread touches memory that the program has named, which may not be there, this says so
/// to the handler of faults (faults/fault.cpp).
struct Touch {
  jmp_buf escape;
  uintptr_t address = 0; ///< of the fault, where the processor tells it
};
Touch *currentTouch();
void setCurrentTouch(Touch *);

/// Calls touch(), which owns nothing and only reads and writes memory. False: some of it cannot be
/// accessed; what comes before that has been done.
template <typename F> bool tryTouch(F touch, uintptr_t &address) {
  Touch here;
  if (_setjmp(here.escape) != 0) {
    setCurrentTouch(nullptr);
    address = here.address;
    return false;
  }
  setCurrentTouch(&here);
  touch();
  setCurrentTouch(nullptr);
  return true;
}

} // namespace heddle::device::cpu
