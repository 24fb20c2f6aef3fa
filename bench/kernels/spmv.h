// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse matrix times vector, compressed rows, one thread a row. Rows have 4 to 28 elements at
// random columns within a band, as a mesh has after renumbering.
#pragma once

#include "../harness/bench.h"

namespace spmv {
constexpr int Rows = 1 << 18;
constexpr int Band = 1 << 14;

struct Matrix {
  std::vector<int> starts, columns;
};

inline Matrix matrix() {
  bench::Random random(3);
  Matrix m;
  m.starts.push_back(0);
  for (int row = 0; row < Rows; ++row) {
    int count = 4 + random.next() % 25;
    for (int i = 0; i < count; ++i) {
      int column = row - Band / 2 + int(random.next() % Band);
      m.columns.push_back(column < 0 ? 0 : column >= Rows ? Rows - 1 : column);
    }
    m.starts.push_back(int(m.columns.size()));
  }
  return m;
}

inline bench::Problem problem() {
  Matrix m = matrix();
  double elements = double(m.columns.size());
  bench::Problem problem{bench::Unit::Bytes, elements * 8 + Rows * 12.0};
  return problem.input(m.starts)
      .input(m.columns)
      .input(bench::randomFloats(m.columns.size(), -1, 1, 4))
      .input(bench::randomFloats(Rows, -1, 1, 5))
      .output<float>(Rows);
}
} // namespace spmv
