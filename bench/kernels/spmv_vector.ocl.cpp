// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "spmv_vector.h"

using namespace spmv_vector;

static void run(bench::Data &data) {
  bench::opencl::launch("spmv_vector", "spmvVector", {Rows / (Block / 32)}, {Block}, Rows, data.arrays[0],
                        data.arrays[1], data.arrays[2], data.arrays[3], data.arrays[4]);
}

BENCHMARK("spmv_vector", problem, run)
