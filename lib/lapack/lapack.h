// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenBLAS's LAPACK as templates over its four types: HEDDLE_LAPACK_OF(T, getrf)(&m, &n, a, &lda,
// ipiv, &info).
//
// The routines are Fortran's: arguments are addresses, and the length of each string follows at the
// end, which a caller of ours need not write. Their types come from LAPACK's C header.
#pragma once

#include "support/cpu_library.h"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#define LAPACK_FORTRAN_STRLEN_END
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapack.h>

namespace heddle::lapack {

using ComplexFloat = std::complex<float>;
using ComplexDouble = std::complex<double>;

template <typename T> struct RealOf {
  using Type = T;
};
template <typename R> struct RealOf<std::complex<R>> {
  using Type = R;
};
/// float for ComplexFloat.
template <typename T> using Real = typename RealOf<T>::Type;
template <typename T> inline constexpr bool IsComplex = !std::is_same_v<T, Real<T>>;

template <typename F> class Routine;

/// A routine that is loaded when it is called first.
template <typename R, typename... A> class Routine<R(A...)> {
public:
  constexpr Routine(library::CpuLibrary &library, const char *name) : function(library, name) {}

  template <typename... U> R operator()(U... arguments) {
    return call(std::make_index_sequence<sizeof...(A) - sizeof...(U)>(), arguments...);
  }

private:
  template <size_t... Lengths, typename... U>
  R call(std::index_sequence<Lengths...>, U... arguments) {
    return function(arguments..., (Lengths - Lengths + 1)...);
  }

  library::CpuFunction<R(A...)> function;
};

/// BLAS's routines in the form that is used here, for any type T.
template <typename T>
using Gemm = void(const char *, const char *, const int *, const int *, const int *, const T *,
                  const T *, const int *, const T *, const int *, const T *, T *, const int *,
                  size_t, size_t);
template <typename T>
using Trsm = void(const char *, const char *, const char *, const char *, const int *, const int *,
                  const T *, const T *, const int *, T *, const int *, size_t, size_t, size_t,
                  size_t);
template <typename T>
using Trmm = void(const char *, const char *, const char *, const char *, const int *, const int *,
                  const T *, const T *, const int *, T *, const int *, size_t, size_t, size_t,
                  size_t);

/// False, after a line on stderr, if OpenBLAS is missing.
bool available();

#define HEDDLE_LAPACK(name)                                                                        \
  extern Routine<decltype(s##name##_)> s##name;                                                    \
  extern Routine<decltype(d##name##_)> d##name;                                                    \
  extern Routine<decltype(c##name##_)> c##name;                                                    \
  extern Routine<decltype(z##name##_)> z##name;
#define HEDDLE_LAPACK_PAIR(real, complex)                                                          \
  extern Routine<decltype(s##real##_)> s##real;                                                    \
  extern Routine<decltype(d##real##_)> d##real;                                                    \
  extern Routine<decltype(c##complex##_)> c##real;                                                 \
  extern Routine<decltype(z##complex##_)> z##real;
#include "lapack/lapack.def"

#define HEDDLE_BLAS_ROUTINE(name, Type)                                                            \
  extern Routine<Type<float>> s##name;                                                             \
  extern Routine<Type<double>> d##name;                                                            \
  extern Routine<Type<ComplexFloat>> c##name;                                                      \
  extern Routine<Type<ComplexDouble>> z##name;
HEDDLE_BLAS_ROUTINE(gemm, Gemm)
HEDDLE_BLAS_ROUTINE(trsm, Trsm)
HEDDLE_BLAS_ROUTINE(trmm, Trmm)
#undef HEDDLE_BLAS_ROUTINE

/// The one of four that belongs to T.
template <typename T, typename S, typename D, typename C, typename Z>
auto &pick(S &s, D &d, C &c, Z &z) {
  if constexpr (std::is_same_v<T, float>)
    return s;
  else if constexpr (std::is_same_v<T, double>)
    return d;
  else if constexpr (std::is_same_v<T, ComplexFloat>)
    return c;
  else
    return z;
}
#define HEDDLE_LAPACK_OF(T, name)                                                                  \
  ::heddle::lapack::pick<T>(::heddle::lapack::s##name, ::heddle::lapack::d##name,                  \
                            ::heddle::lapack::c##name, ::heddle::lapack::z##name)

/// Memory that a routine works in, with no values of its own.
template <typename T> std::unique_ptr<T[]> workspace(int64_t count) {
  return std::unique_ptr<T[]>(new T[count > 0 ? count : 1]);
}

/// Asks a routine how much memory it wants, and calls it with that: `call(work, &lwork, &info)`.
/// Returns its info.
template <typename T, typename F> int withWorkspace(F &&call) {
  T best[2] = {};
  int size = -1, info = 0;
  call(best, &size, &info);
  if (info != 0)
    return info;
  size = static_cast<int>(std::real(best[0])) + 1;
  std::unique_ptr<T[]> work = workspace<T>(size);
  call(work.get(), &size, &info);
  return info;
}

/// A matrix of the caller's for a routine to work on in place.
///
/// OpenBLAS's complex kernels read a column behind the last one (0.3.21: cdotc and cgemv on x86-64;
/// what they read has no effect), which the end of the user's memory does not allow: a complex
/// matrix is copied to memory with one more, and back at the end.
template <typename T> class InPlace {
public:
  InPlace(int rows, int cols, T *values, int ld)
      : rows(rows), cols(cols), user(values), userLd(ld) {
    own = user, ownLd = std::max(1, ld);
    if (!IsComplex<T> || !user)
      return;
    ownLd = std::max(1, rows);
    copy = workspace<T>(int64_t(ownLd) * (cols + 1));
    own = copy.get();
    for (int j = 0; j < cols; ++j)
      std::copy_n(user + j * int64_t(userLd), rows, own + j * int64_t(ownLd));
  }
  InPlace(const InPlace &) = delete;
  ~InPlace() {
    for (int j = 0; own != user && j < cols; ++j)
      std::copy_n(own + j * int64_t(ownLd), rows, user + j * int64_t(userLd));
  }

  T *get() { return own; }
  const int *ld() const { return &ownLd; }

private:
  int rows, cols;
  T *user, *own;
  int userLd, ownLd;
  std::unique_ptr<T[]> copy;
};

} // namespace heddle::lapack
