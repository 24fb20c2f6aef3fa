// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/driver.h"

namespace heddle::runtime {

CUresult remedy(CUresult) {
  CUresult error = driver::enterBefore(driver::EnterPlain);
  if (awaitsLoad.load(std::memory_order_relaxed))
    loadAwaited();
  return error;
}

} // namespace heddle::runtime
