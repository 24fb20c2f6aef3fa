// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "harris.h"

template <int Form> static void run(bench::Data &data) {
  static const std::string name = "reduce" + std::to_string(Form);
  bench::opencl::launch("harris", name.c_str(), {harris::blocks(Form)}, {harris::Block}, harris::N,
                        data.arrays[0], data.arrays[1]);
}

HARRIS_BENCHMARK(1, "divergent")
HARRIS_BENCHMARK(2, "conflicts")
HARRIS_BENCHMARK(3, "sequential")
HARRIS_BENCHMARK(4, "first_add")
HARRIS_BENCHMARK(5, "last_warp")
HARRIS_BENCHMARK(6, "unrolled")
HARRIS_BENCHMARK(7, "multiple")
