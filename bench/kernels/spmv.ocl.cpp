// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "spmv.h"

static void run(bench::Data &data) {
  using spmv::Rows;
  bench::opencl::launch("spmv", "spmvScalar", {(Rows + 255) / 256}, {256}, Rows, data.arrays[0], data.arrays[1],
                        data.arrays[2], data.arrays[3], data.arrays[4]);
}

BENCHMARK("spmv_scalar", spmv::problem, run)
