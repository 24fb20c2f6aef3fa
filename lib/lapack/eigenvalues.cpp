// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lapack/eigenvalues.h"

namespace heddle::lapack {

template <typename T> int eigenvalues(char jobz, char uplo, int n, T *a, int lda, Real<T> *w) {
  InPlace<T> own(n, n, a, lda);
  using R = Real<T>;
  T work1[2] = {};
  R rwork1[2] = {};
  int iwork1 = 0, info = 0, ask = -1;
  auto call = [&](T *work, int lwork, R *rwork, int lrwork, int *iwork, int liwork) {
    if constexpr (IsComplex<T>)
      HEDDLE_LAPACK_OF(T, syevd)(&jobz, &uplo, &n, own.get(), own.ld(), w, work, &lwork, rwork,
                                 &lrwork, iwork, &liwork, &info);
    else
      HEDDLE_LAPACK_OF(T, syevd)(&jobz, &uplo, &n, own.get(), own.ld(), w, work, &lwork, iwork,
                                 &liwork, &info);
  };
  call(work1, ask, rwork1, ask, &iwork1, ask);
  int lwork = int(std::real(work1[0])) + 1, lrwork = int(rwork1[0]) + 1, liwork = iwork1 + 1;
  std::unique_ptr<T[]> work = workspace<T>(lwork);
  std::unique_ptr<R[]> rwork = workspace<R>(lrwork);
  std::unique_ptr<int[]> iwork = workspace<int>(liwork);
  call(work.get(), lwork, rwork.get(), lrwork, iwork.get(), liwork);
  return info;
}

template int eigenvalues(char, char, int, float *, int, float *);
template int eigenvalues(char, char, int, double *, int, double *);
template int eigenvalues(char, char, int, ComplexFloat *, int, float *);
template int eigenvalues(char, char, int, ComplexDouble *, int, double *);

} // namespace heddle::lapack
