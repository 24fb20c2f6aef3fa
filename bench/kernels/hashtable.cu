// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hashtable.h"

using namespace hashtable;

__device__ static unsigned slotOf(unsigned key) {
  key = (key ^ (key >> 16)) * 0x85ebca6b;
  key = (key ^ (key >> 13)) * 0xc2b2ae35;
  return (key ^ (key >> 16)) % Slots;
}

__global__ static void clear(unsigned *slots, unsigned *values) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  slots[i] = Empty;
  values[i] = 0;
}

__global__ static void insert(int count, const unsigned *keys, unsigned *slots, unsigned *values) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  unsigned key = keys[i], slot = slotOf(key);
  while (true) {
    unsigned found = atomicCAS(&slots[slot], Empty, key);
    if (found == Empty || found == key)
      break;
    slot = (slot + 1) % Slots;
  }
  atomicAdd(&values[slot], 1);
}

__global__ static void lookUp(int count, const unsigned *keys, const unsigned *slots, const unsigned *values,
                              unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  unsigned slot = slotOf(keys[i]);
  while (slots[slot] != keys[i])
    slot = (slot + 1) % Slots;
  out[i] = values[slot];
}

static void run(bench::Data &data) {
  const unsigned *keys = data.get<unsigned>(0);
  unsigned *slots = data.get<unsigned>(1), *values = data.get<unsigned>(2);
  clear<<<Slots / Block, Block>>>(slots, values);
  insert<<<Keys / Block, Block>>>(Keys, keys, slots, values);
  lookUp<<<LookedUp / Block, Block>>>(LookedUp, keys, slots, values, data.get<unsigned>(3));
}

BENCHMARK("hash_insert", problem, run)
