// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "hashtable.h"

using namespace hashtable;
using bench::opencl::launch;

static void run(bench::Data &data) {
  void *keys = data.arrays[0], *slots = data.arrays[1], *values = data.arrays[2];
  launch("hashtable", "clear", {Slots / Block}, {Block}, slots, values);
  launch("hashtable", "insert", {Keys / Block}, {Block}, Keys, keys, slots, values);
  launch("hashtable", "lookUp", {LookedUp / Block}, {Block}, LookedUp, keys, slots, values, data.arrays[3]);
}

BENCHMARK("hash_insert", problem, run)
