// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenBLAS as templates over the four types of BLAS. `HEDDLE_BLAS(T, gemm)` is the function of the
// type, sgemm for float; scalars go to it through pass(), since it takes real ones by value and
// complex ones by address.
#pragma once

#include "blas/element.h"
#include "support/cpu_library.h"

#include <cublas_api.h>

#include <cblas.h>

namespace heddle::blas {

namespace openblas {
extern library::CpuLibrary library;

/// LAPACK's functions on complex symmetric matrices, which C headers of BLAS do not have: uplo, n,
/// alpha, then vectors with their increments and matrices with their leading dimensions.
using SymmetricProduct = void(const char *, const int *, const void *, const void *, const int *,
                              const void *, const int *, const void *, void *, const int *);
using SymmetricUpdate = void(const char *, const int *, const void *, const void *, const int *,
                             void *, const int *);

#define HEDDLE_CBLAS(name) extern library::CpuFunction<decltype(cblas_##name)> name;
#define HEDDLE_FORTRAN(name, type) extern library::CpuFunction<type> name;
#include "blas/openblas.def"

extern library::CpuFunction<decltype(openblas_set_num_threads)> setThreads;
extern library::CpuFunction<decltype(openblas_get_num_threads)> getThreads;
} // namespace openblas

/// The one of four that belongs to T.
template <typename T, typename S, typename D, typename C, typename Z>
auto &pick(S &s, D &d, C &c, Z &z) {
  if constexpr (std::is_same_v<T, float>)
    return s;
  else if constexpr (std::is_same_v<T, double>)
    return d;
  else if constexpr (std::is_same_v<T, cuComplex>)
    return c;
  else
    return z;
}
#define HEDDLE_BLAS_OF(T, s, d, c, z) pick<T>(openblas::s, openblas::d, openblas::c, openblas::z)
#define HEDDLE_BLAS(T, name) HEDDLE_BLAS_OF(T, s##name, d##name, c##name, z##name)

/// A scalar as OpenBLAS takes it.
inline float pass(const float &value) { return value; }
inline double pass(const double &value) { return value; }
inline const cuComplex *pass(const cuComplex &value) { return &value; }
inline const cuDoubleComplex *pass(const cuDoubleComplex &value) { return &value; }

/// While one lives, OpenBLAS runs each call on the thread that makes it: for many calls at once.
/// Others' calls at the same time are slower, and right.
class OneThreadEach {
public:
  OneThreadEach();
  ~OneThreadEach();
};

} // namespace heddle::blas
