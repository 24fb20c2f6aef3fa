// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "scan.h"

using scan::Block;
using scan::Blocks;

static void run(bench::Data &data) {
  void *in = data.arrays[0], *out = data.arrays[1], *sums = data.arrays[2];
  bench::opencl::launch("scan", "scanBlocks", {Blocks}, {Block}, in, out, sums);
  bench::opencl::launch("scan", "scanSums", {1}, {Block}, Blocks, sums);
  bench::opencl::launch("scan", "addSums", {Blocks}, {Block}, sums, out);
}

BENCHMARK("scan", scan::problem, run)
