// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hashtable.h"

using namespace hashtable;

static unsigned slotOf(unsigned key) {
  key = (key ^ (key >> 16)) * 0x85ebca6b;
  key = (key ^ (key >> 13)) * 0xc2b2ae35;
  return (key ^ (key >> 16)) % Slots;
}

/// Reads first: a bus lock only for what is free.
static unsigned takeSlot(unsigned key, unsigned *slots) {
  for (unsigned slot = slotOf(key);; slot = (slot + 1) % Slots) {
    unsigned found = __atomic_load_n(&slots[slot], __ATOMIC_RELAXED);
    if (found == Empty &&
        __atomic_compare_exchange_n(&slots[slot], &found, key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return slot;
    if (found == key)
      return slot;
  }
}

static void run(bench::Data &data) {
  const unsigned *keys = data.get<unsigned>(0);
  unsigned *slots = data.get<unsigned>(1), *values = data.get<unsigned>(2), *out = data.get<unsigned>(3);
#pragma omp parallel
  {
#pragma omp for
    for (unsigned i = 0; i < Slots; ++i) {
      slots[i] = Empty;
      values[i] = 0;
    }
#pragma omp for
    for (int i = 0; i < Keys; ++i)
      __atomic_fetch_add(&values[takeSlot(keys[i], slots)], 1, __ATOMIC_RELAXED);
#pragma omp for
    for (int i = 0; i < LookedUp; ++i) {
      unsigned slot = slotOf(keys[i]);
      while (slots[slot] != keys[i])
        slot = (slot + 1) % Slots;
      out[i] = values[slot];
    }
  }
}

BENCHMARK("hash_insert", problem, run)
