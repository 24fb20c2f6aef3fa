// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lapack/lapack.h"
#include "support/cpu_libraries.h"

namespace heddle::lapack {

namespace {
library::CpuLibrary openblas{library::Lapack.file, library::Lapack.package};
}

bool available() { return openblas.find("dgetrf_") != nullptr; }

#define HEDDLE_ONE(routine, symbol) Routine<decltype(symbol)> routine{openblas, #symbol};
#define HEDDLE_LAPACK(name)                                                                        \
  HEDDLE_ONE(s##name, s##name##_)                                                                  \
  HEDDLE_ONE(d##name, d##name##_)                                                                  \
  HEDDLE_ONE(c##name, c##name##_)                                                                  \
  HEDDLE_ONE(z##name, z##name##_)
#define HEDDLE_LAPACK_PAIR(real, complex)                                                          \
  HEDDLE_ONE(s##real, s##real##_)                                                                  \
  HEDDLE_ONE(d##real, d##real##_)                                                                  \
  HEDDLE_ONE(c##real, c##complex##_)                                                               \
  HEDDLE_ONE(z##real, z##complex##_)
#include "lapack/lapack.def"

#define HEDDLE_BLAS_ROUTINE(name, Type)                                                            \
  Routine<Type<float>> s##name{openblas, "s" #name "_"};                                           \
  Routine<Type<double>> d##name{openblas, "d" #name "_"};                                          \
  Routine<Type<ComplexFloat>> c##name{openblas, "c" #name "_"};                                    \
  Routine<Type<ComplexDouble>> z##name{openblas, "z" #name "_"};
HEDDLE_BLAS_ROUTINE(gemm, Gemm)
HEDDLE_BLAS_ROUTINE(trsm, Trsm)
HEDDLE_BLAS_ROUTINE(trmm, Trmm)

} // namespace heddle::lapack
