// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one change of an mbarrier object. What its bits are, and why this is enough, is said in
// include/heddle/device_mbarrier.h.
#include "devlib.h"

using namespace heddle::devlib;

namespace {

constexpr u64 Parity = 1ull << 63, Count = 0xfffff, Bytes = 0x7fffffull << 40;

/// The compiler alone must keep accesses on their sides.
inline void keepOrder() { asm volatile("" ::: "memory"); }

u64 next(u64 before, u32 arrivals, u32 drops, i64 bytes) {
  u64 expected = (before >> 20 & Count) - drops, missing = (before & Count) - arrivals;
  u64 outstanding = ((before & ~Parity) + ((u64)bytes << 40)) & Bytes, parity = before & Parity;
  if (missing == 0 && outstanding == 0) {
    missing = expected;
    parity ^= Parity;
  }
  return parity | outstanding | expected << 20 | (missing & Count);
}

} // namespace

extern "C" __attribute__((nothrow)) u64 __heddle_mbarrier_change(void *barrier, u32 arrivals,
                                                                 u32 drops, i64 bytes) {
  auto *word = (u64 *)barrier;
  keepOrder();
  u64 before = *(volatile u64 *)word;
  while (!__atomic_compare_exchange_n(word, &before, next(before, arrivals, drops, bytes),
                                      /*weak=*/false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
  keepOrder();
  return before;
}
