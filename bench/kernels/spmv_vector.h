// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse matrix times vector, compressed rows, one warp a row whose sums meet by shuffles. Rows
// have 32 to 223 elements at random columns within a band, as in a finite element matrix of high
// order. OpenCL 1.2 adds in local memory.
#pragma once

#include "../harness/bench.h"

namespace spmv_vector {
constexpr int Rows = 1 << 15;
constexpr int Band = 1 << 12;
constexpr int Block = 256; // threads; eight rows

inline bench::Problem problem() {
  bench::Random random(3);
  std::vector<int> starts{0}, columns;
  for (int row = 0; row < Rows; ++row) {
    int count = 32 + random.next() % 192;
    for (int i = 0; i < count; ++i) {
      int column = row - Band / 2 + int(random.next() % Band);
      columns.push_back(column < 0 ? 0 : column >= Rows ? Rows - 1 : column);
    }
    starts.push_back(int(columns.size()));
  }
  bench::Problem problem{bench::Unit::Bytes, columns.size() * 8.0 + Rows * 12.0};
  return problem.input(starts)
      .input(columns)
      .input(bench::randomFloats(columns.size(), -1, 1, 4))
      .input(bench::randomFloats(Rows, -1, 1, 5))
      .output<float>(Rows);
}
} // namespace spmv_vector
