// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blas/blas_test.h"

#include <functional>

using namespace heddle::blas::test;

namespace {

constexpr int Trials = 8;

using Elements = std::function<Wide(int64_t, int64_t)>;

cublasFillMode_t anyTriangle(Random &random) {
  return random.oneOf({CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER});
}
cublasOperation_t anyOperation(Random &random) {
  return random.oneOf({CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C});
}
bool isStored(cublasFillMode_t uplo, int64_t i, int64_t j) {
  return uplo == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j;
}

/// The matrix op needs to be rows x columns.
template <typename T>
Matrix<T> operand(Random &random, cublasOperation_t op, int64_t rows, int64_t columns) {
  return op == CUBLAS_OP_N ? Matrix<T>(random, rows, columns) : Matrix<T>(random, columns, rows);
}

/// alpha A B + beta C in the places of C for which `inside` holds.
template <typename T>
std::vector<Wide> product(const Elements &A, const Elements &B, int64_t k, Wide alpha, Wide beta,
                          const Matrix<T> &C,
                          std::function<bool(int64_t, int64_t)> inside = nullptr) {
  std::vector<Wide> expected = valuesOf(C);
  for (int64_t j = 0; j < C.columns; ++j)
    for (int64_t i = 0; i < C.rows; ++i) {
      if (inside && !inside(i, j))
        continue;
      Wide sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum += A(i, p) * B(p, j);
      expected[i + j * C.ld] = alpha * sum + (beta == 0.0 ? 0 : beta * C.at(i, j));
    }
  return expected;
}

template <typename T> Elements elements(const Matrix<T> &A, cublasOperation_t op) {
  return [&A, op](int64_t i, int64_t j) { return A.at(op, i, j); };
}

template <typename T> double tolerance(int64_t k) { return Precision<T> * (4 * k + 10); }

template <typename T, typename F> void testGemm(F gemm) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t m = random.size(), n = random.size(), k = random.size();
    cublasOperation_t opA = anyOperation(random), opB = anyOperation(random);
    Matrix<T> A = operand<T>(random, opA, m, k), B = operand<T>(random, opB, k, n), C(random, m, n);
    T alpha = random.factor<T>(), beta = random.factor<T>();
    EXPECT_OK(gemm(context, opA, opB, m, n, k, context.scalar(alpha), A.data(), A.ld, B.data(),
                   B.ld, context.scalar(beta), C.data(), C.ld));
    expectArray(context, C,
                product(elements(A, opA), elements(B, opB), k, widen(alpha), widen(beta), C),
                tolerance<T>(k));
  });
}

TEST(Level3, Gemm) {
  testGemm<float>(cublasSgemm);
  testGemm<float>(cublasSgemm_64);
  testGemm<double>(cublasDgemm);
  testGemm<double>(cublasDgemm_64);
  testGemm<cuComplex>(cublasCgemm);
  testGemm<cuComplex>(cublasCgemm_64);
  testGemm<cuDoubleComplex>(cublasZgemm);
  testGemm<cuDoubleComplex>(cublasZgemm_64);
  testGemm<cuComplex>(cublasCgemm3m);
  testGemm<cuComplex>(cublasCgemm3m_64);
  testGemm<cuDoubleComplex>(cublasZgemm3m);
  testGemm<cuDoubleComplex>(cublasZgemm3m_64);
}

/// What is common to updates of a triangle of C: op(A) and op(B) of n x k, and the transposes.
template <typename T> struct Update {
  Update(Random &random, bool hermitian)
      : n(random.oneOf<int64_t>({0, 1, 2, 5, 33, 150})), k(random.size()),
        uplo(anyTriangle(random)), op(random.coin() ? CUBLAS_OP_N
                                      : hermitian   ? CUBLAS_OP_C
                                                    : CUBLAS_OP_T),
        hermitian(hermitian), A(operand<T>(random, op, n, k)), B(operand<T>(random, op, n, k)),
        C(random, n, n) {
    if (hermitian)
      for (int64_t i = 0; i < n; ++i)
        C.host[i * (C.ld + 1)] = narrow<T>(random.real());
    C.put();
  }

  Elements across(const Matrix<T> &M) const {
    return [&M, this](int64_t i, int64_t j) {
      return hermitian ? std::conj(M.at(op, j, i)) : M.at(op, j, i);
    };
  }

  /// alpha op(left) op(right)' + beta C
  std::vector<Wide> expect(const Matrix<T> &left, const Matrix<T> &right, Wide alpha,
                           Wide beta) const {
    return product(elements(left, op), across(right), k, alpha, beta, C,
                   [this](int64_t i, int64_t j) { return isStored(uplo, i, j); });
  }

  int64_t n, k;
  cublasFillMode_t uplo;
  cublasOperation_t op;
  bool hermitian;
  Matrix<T> A, B, C;
};

template <typename T, typename S, typename F> void testRankK(bool hermitian, F syrk) {
  forTrials(Trials, [&](Context &context, Random &random) {
    Update<T> u(random, hermitian);
    S alpha = random.factor<S>(), beta = random.factor<S>();
    EXPECT_OK(syrk(context, u.uplo, u.op, u.n, u.k, context.scalar(alpha), u.A.data(), u.A.ld,
                   context.scalar(beta), u.C.data(), u.C.ld));
    expectArray(context, u.C, u.expect(u.A, u.A, widen(alpha), widen(beta)), tolerance<T>(u.k));
  });
}

TEST(Level3, RankK) {
  testRankK<float, float>(false, cublasSsyrk);
  testRankK<float, float>(false, cublasSsyrk_64);
  testRankK<double, double>(false, cublasDsyrk);
  testRankK<double, double>(false, cublasDsyrk_64);
  testRankK<cuComplex, cuComplex>(false, cublasCsyrk);
  testRankK<cuComplex, cuComplex>(false, cublasCsyrk_64);
  testRankK<cuDoubleComplex, cuDoubleComplex>(false, cublasZsyrk);
  testRankK<cuDoubleComplex, cuDoubleComplex>(false, cublasZsyrk_64);
  testRankK<cuComplex, float>(true, cublasCherk);
  testRankK<cuComplex, float>(true, cublasCherk_64);
  testRankK<cuDoubleComplex, double>(true, cublasZherk);
  testRankK<cuDoubleComplex, double>(true, cublasZherk_64);
}

template <typename T, typename S, typename F> void testRank2K(bool hermitian, F syr2k) {
  forTrials(Trials, [&](Context &context, Random &random) {
    Update<T> u(random, hermitian);
    T alpha = random.factor<T>();
    S beta = random.factor<S>();
    EXPECT_OK(syr2k(context, u.uplo, u.op, u.n, u.k, context.scalar(alpha), u.A.data(), u.A.ld,
                    u.B.data(), u.B.ld, context.scalar(beta), u.C.data(), u.C.ld));
    std::vector<Wide> expected = u.expect(u.A, u.B, widen(alpha), widen(beta));
    Wide other = hermitian ? std::conj(widen(alpha)) : widen(alpha);
    std::vector<Wide> second = u.expect(u.B, u.A, other, 0);
    for (int64_t j = 0; j < u.n; ++j)
      for (int64_t i = 0; i < u.n; ++i)
        if (isStored(u.uplo, i, j))
          expected[i + j * u.C.ld] += second[i + j * u.C.ld];
    expectArray(context, u.C, expected, 2 * tolerance<T>(u.k));
  });
}

TEST(Level3, Rank2K) {
  testRank2K<float, float>(false, cublasSsyr2k);
  testRank2K<float, float>(false, cublasSsyr2k_64);
  testRank2K<double, double>(false, cublasDsyr2k);
  testRank2K<double, double>(false, cublasDsyr2k_64);
  testRank2K<cuComplex, cuComplex>(false, cublasCsyr2k);
  testRank2K<cuComplex, cuComplex>(false, cublasCsyr2k_64);
  testRank2K<cuDoubleComplex, cuDoubleComplex>(false, cublasZsyr2k);
  testRank2K<cuDoubleComplex, cuDoubleComplex>(false, cublasZsyr2k_64);
  testRank2K<cuComplex, float>(true, cublasCher2k);
  testRank2K<cuComplex, float>(true, cublasCher2k_64);
  testRank2K<cuDoubleComplex, double>(true, cublasZher2k);
  testRank2K<cuDoubleComplex, double>(true, cublasZher2k_64);
}

template <typename T, typename S, typename F> void testRankKX(bool hermitian, F syrkx) {
  forTrials(Trials, [&](Context &context, Random &random) {
    Update<T> u(random, hermitian);
    T alpha = random.factor<T>();
    S beta = random.factor<S>();
    EXPECT_OK(syrkx(context, u.uplo, u.op, u.n, u.k, context.scalar(alpha), u.A.data(), u.A.ld,
                    u.B.data(), u.B.ld, context.scalar(beta), u.C.data(), u.C.ld));
    std::vector<Wide> expected = u.expect(u.A, u.B, widen(alpha), widen(beta));
    for (int64_t i = 0; hermitian && i < u.n; ++i)
      expected[i * (u.C.ld + 1)] = expected[i * (u.C.ld + 1)].real();
    expectArray(context, u.C, expected, tolerance<T>(u.k));
  });
}

TEST(Level3, RankKX) {
  testRankKX<float, float>(false, cublasSsyrkx);
  testRankKX<float, float>(false, cublasSsyrkx_64);
  testRankKX<double, double>(false, cublasDsyrkx);
  testRankKX<double, double>(false, cublasDsyrkx_64);
  testRankKX<cuComplex, cuComplex>(false, cublasCsyrkx);
  testRankKX<cuComplex, cuComplex>(false, cublasCsyrkx_64);
  testRankKX<cuDoubleComplex, cuDoubleComplex>(false, cublasZsyrkx);
  testRankKX<cuDoubleComplex, cuDoubleComplex>(false, cublasZsyrkx_64);
  testRankKX<cuComplex, float>(true, cublasCherkx);
  testRankKX<cuComplex, float>(true, cublasCherkx_64);
  testRankKX<cuDoubleComplex, double>(true, cublasZherkx);
  testRankKX<cuDoubleComplex, double>(true, cublasZherkx_64);
}

template <typename T, typename F> void testSymm(bool hermitian, F symm) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t m = random.size(), n = random.size();
    bool left = random.coin();
    cublasFillMode_t uplo = anyTriangle(random);
    Matrix<T> A(random, left ? m : n, left ? m : n), B(random, m, n), C(random, m, n);
    T alpha = random.factor<T>(), beta = random.factor<T>();
    EXPECT_OK(symm(context, left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT, uplo, m, n,
                   context.scalar(alpha), A.data(), A.ld, B.data(), B.ld, context.scalar(beta),
                   C.data(), C.ld));
    Elements symmetric = [&](int64_t i, int64_t j) { return A.symmetric(uplo, hermitian, i, j); };
    Elements other = elements(B, CUBLAS_OP_N);
    expectArray(context, C,
                product(left ? symmetric : other, left ? other : symmetric, A.rows, widen(alpha),
                        widen(beta), C),
                tolerance<T>(A.rows));
  });
}

TEST(Level3, Symm) {
  testSymm<float>(false, cublasSsymm);
  testSymm<float>(false, cublasSsymm_64);
  testSymm<double>(false, cublasDsymm);
  testSymm<double>(false, cublasDsymm_64);
  testSymm<cuComplex>(false, cublasCsymm);
  testSymm<cuComplex>(false, cublasCsymm_64);
  testSymm<cuDoubleComplex>(false, cublasZsymm);
  testSymm<cuDoubleComplex>(false, cublasZsymm_64);
  testSymm<cuComplex>(true, cublasChemm);
  testSymm<cuComplex>(true, cublasChemm_64);
  testSymm<cuDoubleComplex>(true, cublasZhemm);
  testSymm<cuDoubleComplex>(true, cublasZhemm_64);
}

/// C = alpha op(A) B out of place and in place, and back by trsm.
template <typename T, typename F, typename G> void testTriangular(F trmm, G trsm) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t m = random.size(), n = random.size();
    cublasSideMode_t side = random.oneOf({CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT});
    cublasFillMode_t uplo = anyTriangle(random);
    cublasOperation_t op = anyOperation(random);
    cublasDiagType_t diag = random.oneOf({CUBLAS_DIAG_UNIT, CUBLAS_DIAG_NON_UNIT});
    int64_t order = side == CUBLAS_SIDE_LEFT ? m : n;
    Matrix<T> A(random, order, order), B(random, m, n), C(random, m, n);
    for (T &value : A.host)
      value = narrow<T>(widen(value) / double(order + 1));
    for (int64_t i = 0; i < order; ++i)
      A.host[i * (A.ld + 1)] = narrow<T>(1 + i % 3);
    A.put();
    T alpha = random.factor<T>(), one = narrow<T>(1);
    Elements triangle = [&](int64_t i, int64_t j) { return A.triangular(uplo, op, diag, i, j); };
    Elements other = elements(B, CUBLAS_OP_N);
    bool left = side == CUBLAS_SIDE_LEFT;
    EXPECT_OK(trmm(context, side, uplo, op, diag, m, n, context.scalar(alpha), A.data(), A.ld,
                   B.data(), B.ld, C.data(), C.ld));
    expectArray(
        context, C,
        product(left ? triangle : other, left ? other : triangle, order, widen(alpha), 0, C),
        tolerance<T>(order));
    EXPECT_OK(trmm(context, side, uplo, op, diag, m, n, context.scalar(one), A.data(), A.ld,
                   B.data(), B.ld, B.data(), B.ld));
    EXPECT_OK(trsm(context, side, uplo, op, diag, m, n, context.scalar(alpha), A.data(), A.ld,
                   B.data(), B.ld));
    std::vector<Wide> back = valuesOf(B);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i)
        back[i + j * B.ld] *= widen(alpha);
    expectArray(context, B, back, 100 * tolerance<T>(order));
  });
}

TEST(Level3, Triangular) {
  testTriangular<float>(cublasStrmm, cublasStrsm);
  testTriangular<float>(cublasStrmm_64, cublasStrsm_64);
  testTriangular<double>(cublasDtrmm, cublasDtrsm);
  testTriangular<double>(cublasDtrmm_64, cublasDtrsm_64);
  testTriangular<cuComplex>(cublasCtrmm, cublasCtrsm);
  testTriangular<cuComplex>(cublasCtrmm_64, cublasCtrsm_64);
  testTriangular<cuDoubleComplex>(cublasZtrmm, cublasZtrsm);
  testTriangular<cuDoubleComplex>(cublasZtrmm_64, cublasZtrsm_64);
}

template <typename T, typename F> void testGeam(F geam) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t m = random.size(), n = random.size();
    cublasOperation_t opA = anyOperation(random), opB = anyOperation(random);
    Matrix<T> A = operand<T>(random, opA, m, n), B = operand<T>(random, opB, m, n), C(random, m, n);
    T alpha = random.factor<T>(), beta = random.factor<T>();
    auto expect = [&](const Matrix<T> &to, cublasOperation_t opB, const Matrix<T> &B) {
      std::vector<Wide> expected = valuesOf(to);
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i)
          expected[i + j * to.ld] = widen(alpha) * A.at(opA, i, j) + widen(beta) * B.at(opB, i, j);
      expectArray(context, to, expected, tolerance<T>(1));
    };
    EXPECT_OK(geam(context, opA, opB, m, n, context.scalar(alpha), A.data(), A.ld,
                   context.scalar(beta), B.data(), B.ld, C.data(), C.ld));
    expect(C, opB, B);
    C.put();
    EXPECT_OK(geam(context, opA, CUBLAS_OP_N, m, n, context.scalar(alpha), A.data(), A.ld,
                   context.scalar(beta), C.data(), C.ld, C.data(), C.ld));
    expect(C, CUBLAS_OP_N, C);
  });
}

TEST(Level3, Geam) {
  testGeam<float>(cublasSgeam);
  testGeam<float>(cublasSgeam_64);
  testGeam<double>(cublasDgeam);
  testGeam<double>(cublasDgeam_64);
  testGeam<cuComplex>(cublasCgeam);
  testGeam<cuComplex>(cublasCgeam_64);
  testGeam<cuDoubleComplex>(cublasZgeam);
  testGeam<cuDoubleComplex>(cublasZgeam_64);
}

template <typename T, typename F> void testDgmm(F dgmm) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t m = random.size(), n = random.size();
    bool left = random.coin();
    Matrix<T> A(random, m, n), C(random, m, n);
    Vector<T> x(random, left ? m : n, random.step());
    EXPECT_OK(dgmm(context, left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT, m, n, A.data(), A.ld,
                   x.data(), x.inc, C.data(), C.ld));
    std::vector<Wide> expected = valuesOf(C);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i)
        expected[i + j * C.ld] = A.at(i, j) * x.at(left ? i : j);
    expectArray(context, C, expected, tolerance<T>(1));
  });
}

TEST(Level3, Dgmm) {
  testDgmm<float>(cublasSdgmm);
  testDgmm<float>(cublasSdgmm_64);
  testDgmm<double>(cublasDdgmm);
  testDgmm<double>(cublasDdgmm_64);
  testDgmm<cuComplex>(cublasCdgmm);
  testDgmm<cuComplex>(cublasCdgmm_64);
  testDgmm<cuDoubleComplex>(cublasZdgmm);
  testDgmm<cuDoubleComplex>(cublasZdgmm_64);
}

/// From packed form to a matrix, whose other triangle stays, and back.
template <typename T, typename F, typename G> void testPacking(F tpttr, G trttp) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int n = random.size();
    cublasFillMode_t uplo = anyTriangle(random);
    Array<T> packed(random, n * (n + 1) / 2), again(random, n * (n + 1) / 2);
    Matrix<T> A(random, n, n);
    EXPECT_OK(tpttr(context, uplo, n, packed.data(), A.data(), A.ld));
    std::vector<Wide> expected = valuesOf(A);
    int64_t place = 0;
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < n; ++i)
        if (isStored(uplo, i, j))
          expected[i + j * A.ld] = packed[place++];
    expectArray(context, A, expected, 0);
    EXPECT_OK(trttp(context, uplo, n, A.data(), A.ld, again.data()));
    std::vector<Wide> same = valuesOf(packed);
    same.pop_back();
    expectArray(context, again, same, 0);
  });
}

TEST(Level3, Packing) {
  testPacking<float>(cublasStpttr, cublasStrttp);
  testPacking<double>(cublasDtpttr, cublasDtrttp);
  testPacking<cuComplex>(cublasCtpttr, cublasCtrttp);
  testPacking<cuDoubleComplex>(cublasZtpttr, cublasZtrttp);
}

/// A product that OpenBLAS runs on several threads, in a stream that writes its operands and reads
/// its result.
TEST(Level3, LargeProductInAStream) {
  Context context;
  constexpr int N = 384;
  constexpr size_t Bytes = N * N * sizeof(float);
  std::vector<float> A(N * N, 0), B(N * N), C(N * N, -1);
  for (int i = 0; i < N; ++i)
    A[i + ((i + 1) % N) * N] = 2; // twice the rows below
  for (int i = 0; i < N * N; ++i)
    B[i] = i % 1013;
  float *device, alpha = 1, beta = 0;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void **>(&device), 3 * Bytes), cudaSuccess);
  float *dA = device, *dB = device + N * N, *dC = device + 2 * N * N;
  for (int round = 0; round < 3; ++round) {
    cudaMemsetAsync(device, 0xff, 3 * Bytes, context.stream);
    cudaMemcpyAsync(dA, A.data(), Bytes, cudaMemcpyHostToDevice, context.stream);
    cudaMemcpyAsync(dB, B.data(), Bytes, cudaMemcpyHostToDevice, context.stream);
    EXPECT_OK(cublasSgemm(context, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &alpha, dA, N, dB, N, &beta,
                          dC, N));
    cudaMemcpyAsync(C.data(), dC, Bytes, cudaMemcpyDeviceToHost, context.stream);
    ASSERT_EQ(cudaStreamSynchronize(context.stream), cudaSuccess);
    for (int j = 0; j < N; ++j)
      for (int i = 0; i < N; ++i)
        ASSERT_EQ(C[i + j * N], 2 * B[(i + 1) % N + j * N]);
  }
  cudaFree(device);
}

/// As cuBLAS does, by the places of BLAS's arguments.
TEST(Level3, TellsOfArguments) {
  Context context;
  float s = 1;
  testing::internal::CaptureStdout();
  cublasSgemm(context, CUBLAS_OP_N, CUBLAS_OP_N, 4, 2, 2, &s, &s, 3, &s, 2, &s, &s, 4);
  cublasGemmEx(context, CUBLAS_OP_N, CUBLAS_OP_N, 4, 2, 2, &s, &s, CUDA_R_32F, 4, &s, CUDA_R_32F, 1,
               &s, &s, CUDA_R_32F, 4, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  cublasSsyrk(context, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 4, 1, &s, &s, 4, &s, &s, 3);
  cublasSsymm(context, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, 4, -1, &s, &s, 4, &s, 4, &s, &s,
              4);
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            " ** On entry to SGEMM  parameter number 8 had an illegal value\n"
            " ** On entry to GEMM_EX  parameter number 12 had an illegal value\n"
            " ** On entry to SSYRK  parameter number 10 had an illegal value\n"
            " ** On entry to SSYMM  parameter number 4 had an illegal value\n");
}

TEST(Level3, Errors) {
  Context context;
  float s = 1, *none = nullptr;
  auto gemm = [&](cublasOperation_t op, int m, int lda, const float *alpha) {
    return cublasSgemm(context, op, CUBLAS_OP_N, m, 2, 2, alpha, &s, lda, &s, 2, &s, &s, 4);
  };
  EXPECT_EQ(cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &s, &s, 1, &s, 1, &s, &s, 1),
            CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(gemm(CUBLAS_OP_N, -1, 4, &s), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemm(CUBLAS_OP_N, 4, 3, &s), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemm(CUBLAS_OP_T, 4, 1, &s), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemm(CUBLAS_OP_N, 4, 4, none), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemm(static_cast<cublasOperation_t>(7), 4, 4, &s), CUBLAS_STATUS_INVALID_VALUE);
  cuComplex c{1, 0};
  EXPECT_EQ(cublasCsyrk(context, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_C, 1, 1, &c, &c, 1, &c, &c, 1),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasCherk(context, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, 1, 1, &s, &c, 1, &s, &c, 1),
            CUBLAS_STATUS_INVALID_VALUE);
  auto update = [&](int n, float *C) {
    return cublasSsyrk(context, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, 1, &s, &s, 4, &s, C, 4);
  };
  EXPECT_EQ(cublasSgemm(context, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 0, &s, &s, 2, &s, 1, &s, none, 2),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(update(1, none), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(update(0, none), CUBLAS_STATUS_SUCCESS);
  // In place, geam takes a matrix as it is.
  EXPECT_EQ(cublasSgeam(context, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, &s, &s, 1, &s, none, 1, &s, 1),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasSgemm_64(context, CUBLAS_OP_N, CUBLAS_OP_N, int64_t(1) << 33, 1, 1, &s, &s,
                           int64_t(1) << 33, &s, 1, &s, &s, int64_t(1) << 33),
            CUBLAS_STATUS_NOT_SUPPORTED);
}

} // namespace
