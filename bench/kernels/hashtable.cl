// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define SLOTS (1u << 21)
#define EMPTY 0xffffffffu

uint slotOf(uint key) {
  key = (key ^ (key >> 16)) * 0x85ebca6b;
  key = (key ^ (key >> 13)) * 0xc2b2ae35;
  return (key ^ (key >> 16)) % SLOTS;
}

kernel void clear(global uint *slots, global uint *values) {
  slots[get_global_id(0)] = EMPTY;
  values[get_global_id(0)] = 0;
}

kernel void insert(int count, global const uint *keys, global uint *slots, global uint *values) {
  int i = get_global_id(0);
  if (i >= count)
    return;
  uint key = keys[i], slot = slotOf(key);
  while (true) {
    uint found = atomic_cmpxchg(&slots[slot], EMPTY, key);
    if (found == EMPTY || found == key)
      break;
    slot = (slot + 1) % SLOTS;
  }
  atomic_inc(&values[slot]);
}

kernel void lookUp(int count, global const uint *keys, global const uint *slots, global const uint *values,
                   global uint *out) {
  int i = get_global_id(0);
  if (i >= count)
    return;
  uint slot = slotOf(keys[i]);
  while (slots[slot] != keys[i])
    slot = (slot + 1) % SLOTS;
  out[i] = values[slot];
}
