// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cublasXt on matrices in host memory. Each function is compared with the one of cuBLAS that it is
// (whose own tests compare it with plain loops), spmm with symm on the matrix that is not packed.
#include "blas/blas_test.h"

#include <cublasXt.h>

using namespace heddle::blas::test;

namespace {

constexpr int Trials = 3;

/// A handle with device 0.
struct Xt {
  Xt() {
    int device = 0;
    EXPECT_EQ(cublasXtCreate(&handle), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cublasXtDeviceSelect(handle, 1, &device), CUBLAS_STATUS_SUCCESS);
  }
  Xt(const Xt &) = delete;
  ~Xt() { EXPECT_EQ(cublasXtDestroy(handle), CUBLAS_STATUS_SUCCESS); }
  operator cublasXtHandle_t() const { return handle; }
  cublasXtHandle_t handle = nullptr;
};

/// What all calls of a trial take: square matrices of order n on the host and on the device, and
/// arguments.
template <typename T, typename S> struct Case {
  explicit Case(Random &random)
      : n(random.size()), A(random, n, n), B(random, n, n), C(random, n, n),
        alpha(random.value<T>()), realAlpha(random.value<S>()), beta(random.factor<S>()),
        uplo(random.oneOf({CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})),
        side(random.oneOf({CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT})) {
    for (int64_t i = 0; i < n; ++i) // triangular systems with answers that are not large
      A.host[i * (A.ld + 1)] = narrow<T>(double(2 * n + 2));
    A.put();
  }

  /// Whether the host's C, which cublasXt has written, is the device's.
  void expectSame(const Context &context) {
    std::vector<T> theirs = C.now(context.stream);
    for (size_t i = 0; i < theirs.size(); ++i)
      expectNear(widen(C.host[i]), widen(theirs[i]), 100 * Precision<T> * double(n + 2), i);
  }

  int64_t n;
  Matrix<T> A, B, C;
  T alpha;
  S realAlpha, beta;
  cublasFillMode_t uplo;
  cublasSideMode_t side;
};

/// Calls trial(case, xt, context) several times and compares C.
template <typename T, typename S, typename F> void compare(F trial) {
  Xt xt;
  Context context;
  for (int i = 0; i < Trials; ++i) {
    Random random(i);
    Case<T, S> c(random);
    trial(c, xt, context);
    c.expectSame(context);
  }
}

template <typename T, typename F, typename G> void testProduct(F ours, G theirs) {
  compare<T, T>([&](auto &c, Xt &xt, Context &context) {
    for (cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
      EXPECT_OK(ours(xt, op, CUBLAS_OP_N, c.n, c.n, c.n, &c.alpha, c.A.host.data(), c.A.ld,
                     c.B.host.data(), c.B.ld, &c.beta, c.C.host.data(), c.C.ld));
      EXPECT_OK(theirs(context, op, CUBLAS_OP_N, c.n, c.n, c.n, &c.alpha, c.A.data(), c.A.ld,
                       c.B.data(), c.B.ld, &c.beta, c.C.data(), c.C.ld));
    }
  });
}

TEST(Xt, Products) {
  testProduct<float>(cublasXtSgemm, cublasSgemm);
  testProduct<double>(cublasXtDgemm, cublasDgemm);
  testProduct<cuComplex>(cublasXtCgemm, cublasCgemm);
  testProduct<cuDoubleComplex>(cublasXtZgemm, cublasZgemm);
}

template <typename T, typename S, typename F, typename G> void testUpdate(F ours, G theirs) {
  compare<T, S>([&](auto &c, Xt &xt, Context &context) {
    EXPECT_OK(ours(xt, c.uplo, CUBLAS_OP_N, c.n, c.n, &c.realAlpha, c.A.host.data(), c.A.ld,
                   &c.beta, c.C.host.data(), c.C.ld));
    EXPECT_OK(theirs(context, c.uplo, CUBLAS_OP_N, c.n, c.n, &c.realAlpha, c.A.data(), c.A.ld,
                     &c.beta, c.C.data(), c.C.ld));
  });
}

TEST(Xt, Updates) {
  testUpdate<float, float>(cublasXtSsyrk, cublasSsyrk);
  testUpdate<double, double>(cublasXtDsyrk, cublasDsyrk);
  testUpdate<cuComplex, cuComplex>(cublasXtCsyrk, cublasCsyrk);
  testUpdate<cuDoubleComplex, cuDoubleComplex>(cublasXtZsyrk, cublasZsyrk);
  testUpdate<cuComplex, float>(cublasXtCherk, cublasCherk);
  testUpdate<cuDoubleComplex, double>(cublasXtZherk, cublasZherk);
}

template <typename T, typename S, typename F, typename G> void testTwoUpdate(F ours, G theirs) {
  compare<T, S>([&](auto &c, Xt &xt, Context &context) {
    EXPECT_OK(ours(xt, c.uplo, CUBLAS_OP_N, c.n, c.n, &c.alpha, c.A.host.data(), c.A.ld,
                   c.B.host.data(), c.B.ld, &c.beta, c.C.host.data(), c.C.ld));
    EXPECT_OK(theirs(context, c.uplo, CUBLAS_OP_N, c.n, c.n, &c.alpha, c.A.data(), c.A.ld,
                     c.B.data(), c.B.ld, &c.beta, c.C.data(), c.C.ld));
  });
}

TEST(Xt, UpdatesOfTwo) {
  testTwoUpdate<float, float>(cublasXtSsyr2k, cublasSsyr2k);
  testTwoUpdate<double, double>(cublasXtDsyr2k, cublasDsyr2k);
  testTwoUpdate<cuComplex, cuComplex>(cublasXtCsyr2k, cublasCsyr2k);
  testTwoUpdate<cuDoubleComplex, cuDoubleComplex>(cublasXtZsyr2k, cublasZsyr2k);
  testTwoUpdate<cuComplex, float>(cublasXtCher2k, cublasCher2k);
  testTwoUpdate<cuDoubleComplex, double>(cublasXtZher2k, cublasZher2k);
  testTwoUpdate<float, float>(cublasXtSsyrkx, cublasSsyrkx);
  testTwoUpdate<double, double>(cublasXtDsyrkx, cublasDsyrkx);
  testTwoUpdate<cuComplex, cuComplex>(cublasXtCsyrkx, cublasCsyrkx);
  testTwoUpdate<cuDoubleComplex, cuDoubleComplex>(cublasXtZsyrkx, cublasZsyrkx);
  testTwoUpdate<cuComplex, float>(cublasXtCherkx, cublasCherkx);
  testTwoUpdate<cuDoubleComplex, double>(cublasXtZherkx, cublasZherkx);
}

template <typename T, typename F, typename G> void testSymmetric(F ours, G theirs) {
  compare<T, T>([&](auto &c, Xt &xt, Context &context) {
    EXPECT_OK(ours(xt, c.side, c.uplo, c.n, c.n, &c.alpha, c.A.host.data(), c.A.ld, c.B.host.data(),
                   c.B.ld, &c.beta, c.C.host.data(), c.C.ld));
    EXPECT_OK(theirs(context, c.side, c.uplo, c.n, c.n, &c.alpha, c.A.data(), c.A.ld, c.B.data(),
                     c.B.ld, &c.beta, c.C.data(), c.C.ld));
  });
}

TEST(Xt, SymmetricMatrices) {
  testSymmetric<float>(cublasXtSsymm, cublasSsymm);
  testSymmetric<double>(cublasXtDsymm, cublasDsymm);
  testSymmetric<cuComplex>(cublasXtCsymm, cublasCsymm);
  testSymmetric<cuDoubleComplex>(cublasXtZsymm, cublasZsymm);
  testSymmetric<cuComplex>(cublasXtChemm, cublasChemm);
  testSymmetric<cuDoubleComplex>(cublasXtZhemm, cublasZhemm);
}

template <typename T, typename F, typename G> void testPacked(F ours, G theirs) {
  compare<T, T>([&](auto &c, Xt &xt, Context &context) {
    std::vector<T> packed{T{}};
    for (int64_t j = 0; j < c.n; ++j)
      for (int64_t i = 0; i < c.n; ++i)
        if (c.uplo == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j)
          packed.push_back(c.A.host[i + j * c.A.ld]);
    EXPECT_OK(ours(xt, c.side, c.uplo, c.n, c.n, &c.alpha, packed.data() + 1, c.B.host.data(),
                   c.B.ld, &c.beta, c.C.host.data(), c.C.ld));
    EXPECT_OK(theirs(context, c.side, c.uplo, c.n, c.n, &c.alpha, c.A.data(), c.A.ld, c.B.data(),
                     c.B.ld, &c.beta, c.C.data(), c.C.ld));
  });
}

TEST(Xt, PackedMatrices) {
  testPacked<float>(cublasXtSspmm, cublasSsymm);
  testPacked<double>(cublasXtDspmm, cublasDsymm);
  testPacked<cuComplex>(cublasXtCspmm, cublasCsymm);
  testPacked<cuDoubleComplex>(cublasXtZspmm, cublasZsymm);
}

template <typename T, typename S, typename M, typename H, typename N>
void testTriangular(S solve, M multiply, H theirSolve, N theirMultiply) {
  compare<T, T>([&](auto &c, Xt &xt, Context &context) {
    constexpr cublasDiagType_t diag = CUBLAS_DIAG_NON_UNIT;
    EXPECT_OK(multiply(xt, c.side, c.uplo, CUBLAS_OP_T, diag, c.n, c.n, &c.alpha, c.A.host.data(),
                       c.A.ld, c.B.host.data(), c.B.ld, c.C.host.data(), c.C.ld));
    EXPECT_OK(theirMultiply(context, c.side, c.uplo, CUBLAS_OP_T, diag, c.n, c.n, &c.alpha,
                            c.A.data(), c.A.ld, c.B.data(), c.B.ld, c.C.data(), c.C.ld));
    EXPECT_OK(solve(xt, c.side, c.uplo, CUBLAS_OP_N, diag, c.n, c.n, &c.alpha, c.A.host.data(),
                    c.A.ld, c.C.host.data(), c.C.ld));
    EXPECT_OK(theirSolve(context, c.side, c.uplo, CUBLAS_OP_N, diag, c.n, c.n, &c.alpha, c.A.data(),
                         c.A.ld, c.C.data(), c.C.ld));
  });
}

TEST(Xt, TriangularMatrices) {
  testTriangular<float>(cublasXtStrsm, cublasXtStrmm, cublasStrsm, cublasStrmm);
  testTriangular<double>(cublasXtDtrsm, cublasXtDtrmm, cublasDtrsm, cublasDtrmm);
  testTriangular<cuComplex>(cublasXtCtrsm, cublasXtCtrmm, cublasCtrsm, cublasCtrmm);
  testTriangular<cuDoubleComplex>(cublasXtZtrsm, cublasXtZtrmm, cublasZtrsm, cublasZtrmm);
}

TEST(Xt, Settings) {
  Xt xt;
  int value = 0;
  EXPECT_OK(cublasXtSetBlockDim(xt, 512));
  EXPECT_OK(cublasXtGetBlockDim(xt, &value));
  EXPECT_EQ(value, 512);
  EXPECT_EQ(cublasXtSetBlockDim(xt, 0), CUBLAS_STATUS_INVALID_VALUE);
  cublasXtPinnedMemMode_t mode = CUBLASXT_PINNING_ENABLED;
  EXPECT_OK(cublasXtGetPinningMemMode(xt, &mode));
  EXPECT_EQ(mode, CUBLASXT_PINNING_DISABLED);
  EXPECT_OK(cublasXtSetPinningMemMode(xt, CUBLASXT_PINNING_ENABLED));
  EXPECT_OK(cublasXtGetPinningMemMode(xt, &mode));
  EXPECT_EQ(mode, CUBLASXT_PINNING_ENABLED);
  EXPECT_OK(cublasXtSetCpuRoutine(xt, CUBLASXT_GEMM, CUBLASXT_FLOAT, nullptr));
  EXPECT_OK(cublasXtSetCpuRatio(xt, CUBLASXT_GEMM, CUBLASXT_FLOAT, 0.5f));
  EXPECT_EQ(cublasXtSetCpuRatio(xt, CUBLASXT_GEMM, CUBLASXT_FLOAT, 2.0f),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasXtSetCpuRoutine(xt, CUBLASXT_ROUTINE_MAX, CUBLASXT_FLOAT, nullptr),
            CUBLAS_STATUS_INVALID_VALUE);
}

TEST(Xt, Devices) {
  Xt xt;
  int devices[] = {0, 0}, wrong = 1000, boards = 0;
  EXPECT_OK(cublasXtGetNumBoards(2, devices, &boards));
  EXPECT_EQ(boards, 1);
  EXPECT_OK(cublasXtMaxBoards(&boards));
  EXPECT_GE(boards, 1);
  EXPECT_OK(cublasXtDeviceSelect(xt, 2, devices));
  EXPECT_EQ(cublasXtDeviceSelect(xt, 1, &wrong), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasXtDeviceSelect(xt, 0, devices), CUBLAS_STATUS_INVALID_VALUE);
}

TEST(Xt, Errors) {
  Xt xt;
  float one = 1, numbers[4] = {};
  EXPECT_EQ(cublasXtSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, numbers, 2, numbers, 2,
                          &one, numbers, 2),
            CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cublasXtSgemm(xt, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, numbers, 1, numbers, 2, &one,
                          numbers, 2),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasXtCreate(nullptr), CUBLAS_STATUS_INVALID_VALUE);
  cublasXtHandle_t bare = nullptr;
  EXPECT_OK(cublasXtCreate(&bare)); // no device is selected
  EXPECT_EQ(cublasXtSspmm(bare, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, 1, 1, &one, numbers,
                          numbers, 1, &one, numbers, 1),
            CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_OK(cublasXtDestroy(bare));
}

} // namespace
