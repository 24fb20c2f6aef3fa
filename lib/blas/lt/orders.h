// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the elements of a matrix lie (cuBLAS Library, "cublasLtOrder_t"). The orders with tiles
// have 32 columns beside each other; their leading dimension is from one such group to the next.
#pragma once

#include "blas/lt/objects.h"

namespace heddle::blas {

/// In elements, from the beginning of the matrix.
int64_t placeOf(const Layout &layout, int64_t row, int64_t column);

inline bool isRowOrder(const Layout &l) { return l.order == CUBLASLT_ORDER_ROW; }
inline bool hasTiles(const Layout &l) { return l.order >= CUBLASLT_ORDER_COL32; }

/// Whether the order is one, and the leading dimension enough for it.
bool isLayout(const Layout &layout);

/// The layout of the same matrices in column order, without gaps.
Layout columnsOf(const Layout &layout);

/// Copies all matrices of a batch from one order to another.
void reorder(const Layout &from, const void *data, const Layout &to, void *result);

} // namespace heddle::blas
