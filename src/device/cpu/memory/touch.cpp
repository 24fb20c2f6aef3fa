// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/memory/touch.h"

#include <atomic>

namespace heddle::device::cpu {

static thread_local Touch *thisTouch = nullptr;
Touch *currentTouch() { return thisTouch; }
void setCurrentTouch(Touch *touch) {
  thisTouch = touch;
  std::atomic_signal_fence(std::memory_order_seq_cst); // before or behind what it is about
}

} // namespace heddle::device::cpu
