// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSOLVER's dense part against OpenBLAS's LAPACK called directly, on the same data in one run: for
// each call the ratio of the times, the median of paired rounds. Both copy the matrix first, since
// they work in place. Batches are compared with a loop of direct calls.
//
//   g++ -O2 -std=c++20 cusolver.cpp -I<toolkit>/include -L<toolkit>/lib64 -lcusolver -lcudart
//   -lopenblas
#include <cusolverDn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" {
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivots, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *pivots, double *b, const int *ldb, int *info);
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
             const int *lwork, int *info);
void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info);
void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a,
             const int *lda, double *s, double *u, const int *ldu, double *vt, const int *ldvt,
             double *work, const int *lwork, int *info);
}

namespace {

constexpr int Rounds = 9;

void expect(bool right, const char *what) {
  if (right)
    return;
  std::fprintf(stderr, "%s failed\n", what);
  std::exit(1);
}
#define CALL(call) expect((call) == 0, #call)

template <typename F> double seconds(F f) {
  auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Prints how the direct calls compare with ours: over 1, ours are faster.
template <typename F, typename G> void compare(const char *name, int n, F ours, G direct) {
  ours(), direct();
  std::vector<double> ratios;
  for (int i = 0; i < Rounds; ++i) {
    double first = seconds(ours);
    ratios.push_back(seconds(direct) / first);
  }
  std::nth_element(ratios.begin(), ratios.begin() + Rounds / 2, ratios.end());
  std::printf("%-10s of %-5d %.2f of direct\n", name, n, ratios[Rounds / 2]);
}

double *onDevice(size_t count) {
  double *memory;
  CALL(cudaMalloc(reinterpret_cast<void **>(&memory), count * sizeof(double)));
  return memory;
}

/// A symmetric, positive definite matrix of order n, a place to work on copies of it, and what
/// routines want.
struct Problem {
  explicit Problem(int n)
      : n(n), size(size_t(n) * size_t(n)), matrix(size), work(onDevice(size)),
        other(onDevice(size)), vectors(onDevice(size)), values(onDevice(size_t(n))),
        tau(onDevice(size_t(n))), scratch(size * 4 + 1000) {
    CALL(cudaMalloc(reinterpret_cast<void **>(&info), sizeof(int)));
    CALL(cudaMalloc(reinterpret_cast<void **>(&pivots), size_t(n) * sizeof(int)));
    CALL(cusolverDnCreate(&handle));
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        matrix[size_t(i) + size_t(j) * size_t(n)] = i == j ? n : double((i * j) % 17) / 16;
  }
  double *fresh() {
    std::memcpy(work, matrix.data(), size * sizeof(double)); // device memory is the process's
    return work;
  }
  void finish() { CALL(cudaDeviceSynchronize()); }

  int n;
  size_t size;
  std::vector<double> matrix;
  double *work, *other, *vectors, *values, *tau;
  std::vector<double> scratch;
  int *info = nullptr, *pivots = nullptr;
  cusolverDnHandle_t handle = nullptr;
};

void factors(int n) {
  Problem p(n);
  int lwork = int(p.scratch.size());
  compare(
      "Dpotrf", n,
      [&] {
        CALL(cusolverDnDpotrf(p.handle, CUBLAS_FILL_MODE_LOWER, n, p.fresh(), n, p.other, 1,
                              p.info));
        p.finish();
      },
      [&] { dpotrf_("L", &n, p.fresh(), &n, p.info); });
  compare(
      "Dgetrf", n,
      [&] {
        CALL(cusolverDnDgetrf(p.handle, n, n, p.fresh(), n, p.other, p.pivots, p.info));
        p.finish();
      },
      [&] { dgetrf_(&n, &n, p.fresh(), &n, p.pivots, p.info); });
  std::memcpy(p.other, p.work, p.size * sizeof(double)); // the factors
  compare(
      "Dgetrs", n,
      [&] {
        CALL(cusolverDnDgetrs(p.handle, CUBLAS_OP_N, n, n, p.other, n, p.pivots, p.fresh(), n,
                              p.info));
        p.finish();
      },
      [&] { dgetrs_("N", &n, &n, p.other, &n, p.pivots, p.fresh(), &n, p.info); });
  compare(
      "Dgeqrf", n,
      [&] {
        CALL(cusolverDnDgeqrf(p.handle, n, n, p.fresh(), n, p.tau, p.other, 1, p.info));
        p.finish();
      },
      [&] { dgeqrf_(&n, &n, p.fresh(), &n, p.tau, p.scratch.data(), &lwork, p.info); });
}

void values(int n) {
  Problem p(n);
  int lwork = int(p.scratch.size()), liwork = 5 * n + 3;
  std::vector<int> integers(static_cast<size_t>(liwork));
  compare(
      "Dsyevd", n,
      [&] {
        CALL(cusolverDnDsyevd(p.handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n,
                              p.fresh(), n, p.values, p.other, 1, p.info));
        p.finish();
      },
      [&] {
        dsyevd_("V", "L", &n, p.fresh(), &n, p.values, p.scratch.data(), &lwork, integers.data(),
                &liwork, p.info);
      });
  compare(
      "Dgesvd", n,
      [&] {
        CALL(cusolverDnDgesvd(p.handle, 'A', 'A', n, n, p.fresh(), n, p.values, p.other, n,
                              p.vectors, n, p.tau, 1, nullptr, p.info));
        p.finish();
      },
      [&] {
        dgesvd_("A", "A", &n, &n, p.fresh(), &n, p.values, p.other, &n, p.vectors, &n,
                p.scratch.data(), &lwork, p.info);
      });
}

void batch(int n, int count) {
  Problem p(n);
  double *all = onDevice(p.size * size_t(count)), **addresses;
  int *infos;
  CALL(cudaMalloc(reinterpret_cast<void **>(&addresses), size_t(count) * sizeof(double *)));
  CALL(cudaMalloc(reinterpret_cast<void **>(&infos), size_t(count) * sizeof(int)));
  for (int i = 0; i < count; ++i)
    addresses[i] = all + size_t(i) * p.size;
  auto fresh = [&] {
    for (int i = 0; i < count; ++i)
      std::memcpy(addresses[i], p.matrix.data(), p.size * sizeof(double));
  };
  compare(
      "batch", n,
      [&] {
        fresh();
        CALL(cusolverDnDpotrfBatched(p.handle, CUBLAS_FILL_MODE_LOWER, n, addresses, n, infos,
                                     count));
        p.finish();
      },
      [&] {
        fresh();
        for (int i = 0; i < count; ++i)
          dpotrf_("L", &n, addresses[i], &n, p.info);
      });
}

} // namespace

int main() {
  factors(256);
  factors(1024);
  values(128);
  values(384);
  batch(32, 1000);
}
