// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SuiteSparse's libraries, and our matrices in its terms. It has matrices by columns; `T` is double
// or complex double.
#pragma once

#include "solver/sparse/direct.h"
#include "support/cpu_libraries.h"

#include <SuiteSparseQR_C.h>
#include <cholmod.h>
#include <umfpack.h>

#include <type_traits>

namespace heddle::solver::sparse {

inline library::CpuLibrary umfpack{library::Umfpack.file, library::Umfpack.package};
inline library::CpuLibrary cholmod{library::Cholmod.file, library::Cholmod.package};
inline library::CpuLibrary spqr{library::Spqr.file, library::Spqr.package};

/// Declares `nameOf`, the function `name` of a library.
#define HEDDLE_USE(from, name)                                                                     \
  [[maybe_unused]] library::CpuFunction<decltype(::name)> name##Of{from, #name};

template <typename T> constexpr bool IsPair = !std::is_same_v<T, double>;
template <typename T> const double *numbers(const std::vector<T> &values) {
  return reinterpret_cast<const double *>(values.data());
}
template <typename T> double *numbers(std::vector<T> &values) {
  return reinterpret_cast<double *>(values.data());
}

template <typename T> T conjugate(T value) {
  if constexpr (IsPair<T>)
    return std::conj(value);
  else
    return value;
}

/// A matrix by columns, its rows in order within each; `I` is the type of the indices.
template <typename T, typename I> struct Columns {
  Columns() = default;
  explicit Columns(const Rows<T> &a)
      : offsets(a.columns + 1), indices(a.indices.size()), values(a.values.size()) {
    for (int column : a.indices)
      ++offsets[column + 1];
    for (int i = 0; i < a.columns; ++i)
      offsets[i + 1] += offsets[i];
    std::vector<I> next(offsets.begin(), offsets.end() - 1);
    for (int row = 0; row < a.n; ++row)
      for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
        I to = next[a.indices[k]]++;
        indices[to] = row, values[to] = a.values[k];
      }
  }
  std::vector<I> offsets, indices;
  std::vector<T> values;
};

/// A right side as CHOLMOD has it; it only reads it.
template <typename T> cholmod_dense denseOf(const std::vector<T> &values) {
  cholmod_dense dense{};
  dense.nrow = dense.nzmax = dense.d = values.size(), dense.ncol = 1;
  dense.x = const_cast<T *>(values.data());
  dense.xtype = IsPair<T> ? CHOLMOD_COMPLEX : CHOLMOD_REAL, dense.dtype = CHOLMOD_DOUBLE;
  return dense;
}

/// A matrix of CHOLMOD's on our arrays, which it only reads. `stype`: 0 for all elements, 1 for the
/// upper triangle.
template <typename T, typename I>
cholmod_sparse sparseOf(int rows, int columns, std::vector<I> &offsets, std::vector<I> &indices,
                        const std::vector<T> &values, int stype) {
  cholmod_sparse matrix{};
  matrix.nrow = static_cast<size_t>(rows), matrix.ncol = static_cast<size_t>(columns);
  matrix.nzmax = values.size();
  matrix.p = offsets.data(), matrix.i = indices.data();
  matrix.x = const_cast<T *>(values.data());
  matrix.stype = stype, matrix.dtype = CHOLMOD_DOUBLE;
  matrix.itype = sizeof(I) == sizeof(int) ? CHOLMOD_INT : CHOLMOD_LONG;
  matrix.xtype = IsPair<T> ? CHOLMOD_COMPLEX : CHOLMOD_REAL;
  matrix.packed = 1;
  return matrix;
}

} // namespace heddle::solver::sparse
