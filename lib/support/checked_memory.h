// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that a function of a library is given, for `heddle check`.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace heddle::library {

/// Rows of elements: matrices and vectors.
struct Rows {
  const void *first; ///< the lowest address
  int64_t rowBytes, pitch, rows;
};

/// False if memcheck is on and the device cannot access one of them: then it has been reported.
bool mayAccess(std::initializer_list<Rows>);

/// A matrix of columns, as BLAS has it.
inline Rows columnsOf(const void *first, int64_t rows, int64_t columns, int64_t leading,
                      int64_t elementBytes) {
  return {first, rows * elementBytes, leading * elementBytes, columns};
}
/// A vector with a distance between elements, which may be negative.
template <typename T> Rows elementsOf(const T *first, int64_t n, int64_t distance) {
  int64_t step = distance < 0 ? -distance : distance;
  return {first, sizeof(T), step * int64_t(sizeof(T)), n};
}

} // namespace heddle::library
