// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blas/lt/orders.h"

#include "blas/product.h"
#include "support/parallel.h"

#include <algorithm>
#include <cstring>

namespace heddle::blas {

namespace {

/// The least leading dimension that a layout may have.
uint64_t leastLeading(const Layout &l) {
  auto rounded = [&](uint64_t tile) {
    return std::max<uint64_t>(1, (l.rows + tile - 1) / tile) * tile;
  };
  switch (l.order) {
  case CUBLASLT_ORDER_ROW:
    return std::max<uint64_t>(1, l.columns);
  case CUBLASLT_ORDER_COL32:
    return 32 * rounded(1);
  case CUBLASLT_ORDER_COL4_4R2_8C:
    return 32 * rounded(8);
  case CUBLASLT_ORDER_COL32_2R_4R4:
    return 32 * rounded(32);
  default:
    return std::max<uint64_t>(1, l.rows);
  }
}

} // namespace

int64_t placeOf(const Layout &l, int64_t i, int64_t j) {
  int64_t group = j / 32 * l.ld, column = j % 32;
  switch (l.order) {
  case CUBLASLT_ORDER_ROW:
    return i * l.ld + j;
  case CUBLASLT_ORDER_COL32:
    return group + i * 32 + column;
  case CUBLASLT_ORDER_COL4_4R2_8C: {
    // Tiles of 8 x 32 in eighths: the even or the odd rows of 8 columns, each in two halves of 4
    // rows by 4 columns.
    int64_t eighth = i % 2 * 4 + column / 8, half = column % 8 / 4;
    return group + i / 8 * 256 + eighth * 32 + (half * 4 + i % 8 / 2) * 4 + column % 4;
  }
  case CUBLASLT_ORDER_COL32_2R_4R4: {
    int64_t row = i % 32;
    return group + i / 32 * 1024 + ((row % 8 / 2 * 4 + row / 8) * 2 + row % 2) * 32 + column;
  }
  default:
    return i + j * l.ld;
  }
}

bool isLayout(const Layout &l) {
  return l.order >= CUBLASLT_ORDER_COL && l.order <= CUBLASLT_ORDER_COL32_2R_4R4 && l.ld > 0 &&
         static_cast<uint64_t>(l.ld) >= leastLeading(l) && l.batchCount >= 1;
}

Layout columnsOf(const Layout &l) {
  Layout columns = l;
  columns.order = CUBLASLT_ORDER_COL;
  columns.ld = std::max<int64_t>(1, l.rows);
  columns.batchStride = columns.ld * l.columns;
  return columns;
}

void reorder(const Layout &from, const void *data, const Layout &to, void *result) {
  int64_t rows = from.rows, columns = from.columns, size = sizeOf(from.type);
  int64_t grain = std::max<int64_t>(1, (1 << 13) / std::max<int64_t>(rows, 1));
  library::parallelFor(columns * from.batchCount, grain, [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      int64_t batch = line / columns, j = line % columns;
      auto *source = static_cast<const char *>(data) + batch * from.batchStride * size;
      auto *target = static_cast<char *>(result) + batch * to.batchStride * size;
      for (int64_t i = 0; i < rows; ++i)
        std::memcpy(target + placeOf(to, i, j) * size, source + placeOf(from, i, j) * size, size);
    }
  });
}

} // namespace heddle::blas
