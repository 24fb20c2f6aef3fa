// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batches of factors, solutions, inverses and least squares, checked by what they must fulfil: A x
// = b, A A^-1 = 1, R^H R = A^H A, A^H (A x - b) = 0.
#include "blas/blas_test.h"

using namespace heddle::blas::test;

namespace {

constexpr int Trials = 4;

/// Matrices of one batch, and their addresses on the device.
template <typename T> struct Matrices {
  Matrices(Random &random, int64_t count, int64_t rows, int64_t columns)
      : rows(rows), columns(columns), ld(std::max<int64_t>(1, rows) + random.integer(0, 2)),
        stride(ld * columns + 1), count(count), values(random, stride * count) {
    std::vector<T *> pointers(count + 1);
    for (int64_t i = 0; i < count; ++i)
      pointers[i] = values.data() + i * stride;
    cudaMalloc(reinterpret_cast<void **>(&array), pointers.size() * sizeof(T *));
    cudaMemcpy(array, pointers.data(), pointers.size() * sizeof(T *), cudaMemcpyHostToDevice);
  }
  Matrices(const Matrices &) = delete;
  ~Matrices() { cudaFree(array); }

  /// Makes the diagonals so large that no pivots are needed.
  void strengthen() {
    for (int64_t b = 0; b < count; ++b)
      for (int64_t i = 0; i < std::min(rows, columns); ++i)
        values.host[b * stride + i + i * ld] = narrow<T>(double(rows) + 2);
    values.put();
  }
  /// Makes the last column of the first matrix zero.
  void makeSingular() {
    for (int64_t i = 0; i < rows; ++i)
      values.host[i + (columns - 1) * ld] = T{};
    values.put();
  }
  Wide at(const std::vector<T> &now, int64_t b, int64_t i, int64_t j) const {
    return widen(now[b * stride + i + j * ld]);
  }
  Wide before(int64_t b, int64_t i, int64_t j) const { return at(values.host, b, i, j); }
  Wide before(cublasOperation_t op, int64_t b, int64_t i, int64_t j) const {
    Wide value = op == CUBLAS_OP_N ? before(b, i, j) : before(b, j, i);
    return op == CUBLAS_OP_C ? std::conj(value) : value;
  }
  const T *const *constant() const { return array; }

  int64_t rows, columns, ld, stride, count;
  Array<T> values;
  T **array = nullptr;
};

/// Whole numbers on the device.
struct Numbers {
  explicit Numbers(int64_t count) : size(count + 1) {
    cudaMalloc(reinterpret_cast<void **>(&data), size * sizeof(int));
    cudaMemset(data, 0x55, size * sizeof(int));
  }
  Numbers(const Numbers &) = delete;
  ~Numbers() { cudaFree(data); }
  std::vector<int> now(const Context &context) const {
    std::vector<int> values(size);
    EXPECT_EQ(cudaStreamSynchronize(context.stream), cudaSuccess);
    cudaMemcpy(values.data(), data, size * sizeof(int), cudaMemcpyDeviceToHost);
    return values;
  }
  size_t size;
  int *data = nullptr;
};

/// What inverses and solutions of random matrices of order n may be off by.
template <typename T> double looseness(int64_t n) { return Precision<T> * 5e3 * double(n + 1); }

int64_t anyOrder(Random &random) { return random.oneOf<int64_t>({0, 1, 2, 5, 16, 31}); }

/// Checks op(A) x = b for matrix number `matrix`.
template <typename T>
void expectSolved(const Matrices<T> &A, cublasOperation_t op, const Matrices<T> &B,
                  const std::vector<T> &x, int64_t matrix) {
  for (int64_t j = 0; j < B.columns; ++j)
    for (int64_t i = 0; i < A.rows; ++i) {
      Wide sum = 0;
      double size = 1;
      for (int64_t p = 0; p < A.rows; ++p) {
        sum += A.before(op, matrix, i, p) * B.at(x, matrix, p, j);
        size = std::max(size, std::abs(B.at(x, matrix, p, j)));
      }
      expectNear(sum, B.before(matrix, i, j), looseness<T>(A.rows) * size, i + j * A.rows);
    }
}

/// Checks that `inverse` is A's.
template <typename T>
void expectInverse(const Matrices<T> &A, const Matrices<T> &C, const std::vector<T> &inverse,
                   int64_t matrix) {
  for (int64_t j = 0; j < A.rows; ++j) {
    double size = 1;
    for (int64_t i = 0; i < A.rows; ++i)
      size = std::max(size, std::abs(C.at(inverse, matrix, i, j)));
    for (int64_t i = 0; i < A.rows; ++i) {
      Wide sum = 0;
      for (int64_t p = 0; p < A.rows; ++p)
        sum += A.before(matrix, i, p) * C.at(inverse, matrix, p, j);
      expectNear(sum, i == j, looseness<T>(A.rows) * size, i + j * A.rows);
    }
  }
}

template <typename T, typename F, typename S, typename I> void testLU(F getrf, S getrs, I getri) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t n = anyOrder(random), nrhs = random.integer(0, 4), count = random.integer(0, 5);
    bool withPivots = random.coin();
    Matrices<T> A(random, count, n, n), B(random, count, n, nrhs), C(random, count, n, n);
    if (!withPivots)
      A.strengthen();
    Numbers pivots(n * count), infos(count);
    int *P = withPivots ? pivots.data : nullptr;
    EXPECT_OK(getrf(context, n, A.array, A.ld, P, infos.data, count));
    cublasOperation_t op = random.oneOf({CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C});
    int info = 7;
    EXPECT_OK(getrs(context, op, n, nrhs, A.constant(), A.ld, P, B.array, B.ld, &info, count));
    EXPECT_EQ(info, 0);
    EXPECT_OK(getri(context, n, A.constant(), A.ld, P, C.array, C.ld, infos.data, count));
    std::vector<int> states = infos.now(context);
    std::vector<T> x = B.values.now(context.stream), inverse = C.values.now(context.stream);
    for (int64_t b = 0; b < count; ++b) {
      EXPECT_EQ(states[b], 0);
      expectSolved(A, op, B, x, b);
      expectInverse(A, C, inverse, b);
    }
    EXPECT_EQ(states[count], 0x55555555);
  });
}

TEST(Factors, LU) {
  testLU<float>(cublasSgetrfBatched, cublasSgetrsBatched, cublasSgetriBatched);
  testLU<double>(cublasDgetrfBatched, cublasDgetrsBatched, cublasDgetriBatched);
  testLU<cuComplex>(cublasCgetrfBatched, cublasCgetrsBatched, cublasCgetriBatched);
  testLU<cuDoubleComplex>(cublasZgetrfBatched, cublasZgetrsBatched, cublasZgetriBatched);
}

template <typename T, typename F> void testInverse(F matinv) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t n = anyOrder(random), count = random.integer(0, 5);
    Matrices<T> A(random, count, n, n), C(random, count, n, n);
    bool isSingular = count > 0 && n > 0 && random.coin();
    if (isSingular)
      A.makeSingular();
    Numbers infos(count);
    EXPECT_OK(matinv(context, n, A.constant(), A.ld, C.array, C.ld, infos.data, count));
    std::vector<int> states = infos.now(context);
    std::vector<T> inverse = C.values.now(context.stream);
    for (int64_t b = 0; b < count; ++b) {
      EXPECT_EQ(states[b], isSingular && b == 0 ? n : 0);
      if (states[b] == 0)
        expectInverse(A, C, inverse, b);
    }
    expectArray(context, A.values, valuesOf(A.values), 0); // not written
  });
}

TEST(Factors, Inverse) {
  testInverse<float>(cublasSmatinvBatched);
  testInverse<double>(cublasDmatinvBatched);
  testInverse<cuComplex>(cublasCmatinvBatched);
  testInverse<cuDoubleComplex>(cublasZmatinvBatched);
}

/// Checks R^H R = A^H A, where R is the upper triangle of what A became.
template <typename T> void expectTriangle(const Matrices<T> &A, const std::vector<T> &now) {
  for (int64_t b = 0; b < A.count; ++b)
    for (int64_t j = 0; j < A.columns; ++j)
      for (int64_t i = 0; i <= j; ++i) {
        Wide ours = 0, expected = 0;
        for (int64_t p = 0; p < A.rows; ++p) {
          expected += std::conj(A.before(b, p, i)) * A.before(b, p, j);
          if (p <= i)
            ours += std::conj(A.at(now, b, p, i)) * A.at(now, b, p, j);
        }
        expectNear(ours, expected, looseness<T>(A.rows), i + j * A.rows);
      }
}

/// Checks A^H (A x - b) = 0.
template <typename T>
void expectLeastSquares(const Matrices<T> &A, const Matrices<T> &C, const std::vector<T> &x,
                        int64_t b) {
  for (int64_t j = 0; j < C.columns; ++j) {
    double size = 1;
    for (int64_t i = 0; i < A.columns; ++i)
      size = std::max(size, std::abs(C.at(x, b, i, j)));
    for (int64_t i = 0; i < A.columns; ++i) {
      Wide sum = 0;
      for (int64_t p = 0; p < A.rows; ++p) {
        Wide rest = -C.before(b, p, j);
        for (int64_t q = 0; q < A.columns; ++q)
          rest += A.before(b, p, q) * C.at(x, b, q, j);
        sum += std::conj(A.before(b, p, i)) * rest;
      }
      expectNear(sum, 0, looseness<T>(A.rows) * size, i);
    }
  }
}

template <typename T, typename Q, typename G> void testQR(Q geqrf, G gels) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t m = anyOrder(random), n = random.integer(0, m), count = random.integer(0, 4);
    int64_t nrhs = random.integer(0, 3);
    Matrices<T> A(random, count, m, n), tau(random, count, n, 1), C(random, count, m, nrhs);
    int info = 7;
    EXPECT_OK(geqrf(context, m, n, A.array, A.ld, tau.array, &info, count));
    EXPECT_EQ(info, 0);
    expectTriangle(A, A.values.now(context.stream));

    A.values.put();
    bool isSingular = count > 0 && n > 0 && random.coin();
    if (isSingular)
      A.makeSingular();
    Numbers infos(count);
    EXPECT_OK(gels(context, CUBLAS_OP_N, m, n, nrhs, A.array, A.ld, C.array, C.ld, &info,
                   infos.data, count));
    std::vector<int> states = infos.now(context);
    std::vector<T> x = C.values.now(context.stream);
    expectTriangle(A, A.values.now(context.stream));
    for (int64_t b = 0; b < count; ++b) {
      EXPECT_EQ(states[b], isSingular && b == 0 ? n : 0);
      if (states[b] == 0)
        expectLeastSquares(A, C, x, b);
    }
  });
}

TEST(Factors, QR) {
  testQR<float>(cublasSgeqrfBatched, cublasSgelsBatched);
  testQR<double>(cublasDgeqrfBatched, cublasDgelsBatched);
  testQR<cuComplex>(cublasCgeqrfBatched, cublasCgelsBatched);
  testQR<cuDoubleComplex>(cublasZgeqrfBatched, cublasZgelsBatched);
}

TEST(Factors, SingularMatrices) {
  Context context;
  Random random(3);
  Matrices<double> A(random, 2, 6, 6), C(random, 2, 6, 6);
  A.makeSingular();
  Numbers pivots(12), infos(2);
  EXPECT_OK(cublasDgetrfBatched(context, 6, A.array, A.ld, pivots.data, infos.data, 2));
  EXPECT_EQ(infos.now(context)[0], 6);
  EXPECT_EQ(infos.now(context)[1], 0);
  EXPECT_OK(cublasDgetriBatched(context, 6, A.constant(), A.ld, pivots.data, C.array, C.ld,
                                infos.data, 2));
  EXPECT_EQ(infos.now(context)[0], 6);
  EXPECT_EQ(infos.now(context)[1], 0);
}

TEST(Factors, Errors) {
  Context context;
  Random random(4);
  Matrices<float> A(random, 1, 40, 40);
  Numbers infos(1);
  constexpr auto Invalid = CUBLAS_STATUS_INVALID_VALUE;
  int info = 0;
  EXPECT_EQ(cublasSgetrfBatched(nullptr, 4, A.array, 4, nullptr, infos.data, 1),
            CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cublasSgetrfBatched(context, -1, A.array, 4, nullptr, infos.data, 1), Invalid);
  EXPECT_EQ(cublasSgetrfBatched(context, 4, A.array, 3, nullptr, infos.data, 1), Invalid);
  EXPECT_EQ(cublasSgetrfBatched(context, 4, A.array, 4, nullptr, infos.data, -1), Invalid);
  EXPECT_EQ(cublasSgetriBatched(context, 4, A.constant(), 4, nullptr, A.array, 3, infos.data, 1),
            Invalid);
  EXPECT_EQ(cublasSmatinvBatched(context, 33, A.constant(), 40, A.array, 40, infos.data, 1),
            Invalid);
  auto solve = [&](int op, int n, int nrhs, int lda, int ldb) {
    return cublasSgetrsBatched(context, static_cast<cublasOperation_t>(op), n, nrhs, A.constant(),
                               lda, nullptr, A.array, ldb, &info, 1);
  };
  EXPECT_EQ(solve(7, 4, 1, 4, 4), Invalid);
  EXPECT_EQ(info, -1);
  EXPECT_EQ(solve(0, 4, -1, 4, 4), Invalid);
  EXPECT_EQ(info, -3);
  EXPECT_EQ(solve(0, 4, 1, 3, 4), Invalid);
  EXPECT_EQ(info, -5);
  EXPECT_EQ(solve(0, 4, 1, 4, 3), Invalid);
  EXPECT_EQ(info, -8);
  EXPECT_EQ(cublasSgeqrfBatched(context, 4, 4, A.array, 3, A.array, &info, 1), Invalid);
  EXPECT_EQ(info, -4);
  auto least = [&](cublasOperation_t op, int m, int n, int lda) {
    return cublasSgelsBatched(context, op, m, n, 1, A.array, lda, A.array, 40, &info, nullptr, 1);
  };
  EXPECT_EQ(least(CUBLAS_OP_N, 4, 4, 3), Invalid);
  EXPECT_EQ(info, -6);
  EXPECT_EQ(least(CUBLAS_OP_N, 4, 5, 4), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(least(CUBLAS_OP_T, 4, 4, 4), CUBLAS_STATUS_NOT_SUPPORTED);
}

/// One triangle of C = alpha op(A) op(A)' + beta C from A of R, complex numbers of two parts.
template <typename R, typename S, typename F>
void testUpdate(F function, cudaDataType type, bool hermitian) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t n = random.size(), k = random.size();
    bool plain = random.coin();
    cublasOperation_t op = plain ? CUBLAS_OP_N : hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
    cublasFillMode_t uplo = random.oneOf({CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER});
    int64_t rows = plain ? n : k, columns = plain ? k : n, lda = std::max<int64_t>(1, rows) + 1;
    Array<R> A(random, 2 * lda * columns);
    for (R &part : A.host)
      part = narrow<R>(double(random.integer(-20, 20)));
    A.put();
    Matrix<cuComplex> C(random, n, n);
    for (int64_t i = 0; hermitian && i < n; ++i)
      C.host[i * (C.ld + 1)].y = 0;
    C.put();
    S alpha = random.value<S>(), beta = random.factor<S>();
    EXPECT_OK(function(context, uplo, op, n, k, context.scalar(alpha), A.data(), type, lda,
                       context.scalar(beta), C.data(), CUDA_C_32F, C.ld));
    std::vector<Wide> expected = valuesOf(C);
    auto at = [&](int64_t i, int64_t p) {
      int64_t place = 2 * (plain ? i + p * lda : p + i * lda);
      return Wide(A[place].real(), A[place + 1].real());
    };
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < n; ++i) {
        if (uplo == CUBLAS_FILL_MODE_LOWER ? i < j : i > j)
          continue;
        Wide sum = 0, &to = expected[i + j * C.ld];
        for (int64_t p = 0; p < k; ++p)
          sum += hermitian ? plain ? at(i, p) * std::conj(at(j, p)) : std::conj(at(i, p)) * at(j, p)
                           : at(i, p) * at(j, p);
        to = widen(alpha) * sum + (widen(beta) == 0.0 ? 0 : widen(beta) * to);
      }
    expectArray(context, C, expected, Precision<cuComplex> * 1000 * double(k + 1));
  });
}

TEST(TypedUpdates, Values) {
  testUpdate<signed char, cuComplex>(cublasCsyrkEx, CUDA_C_8I, false);
  testUpdate<float, cuComplex>(cublasCsyrkEx, CUDA_C_32F, false);
  testUpdate<signed char, cuComplex>(cublasCsyrkEx_64, CUDA_C_8I, false);
  testUpdate<float, cuComplex>(cublasCsyrk3mEx, CUDA_C_32F, false);
  testUpdate<signed char, cuComplex>(cublasCsyrk3mEx_64, CUDA_C_8I, false);
  testUpdate<signed char, float>(cublasCherkEx, CUDA_C_8I, true);
  testUpdate<float, float>(cublasCherkEx, CUDA_C_32F, true);
  testUpdate<float, float>(cublasCherkEx_64, CUDA_C_32F, true);
  testUpdate<signed char, float>(cublasCherk3mEx, CUDA_C_8I, true);
  testUpdate<float, float>(cublasCherk3mEx_64, CUDA_C_32F, true);
}

TEST(TypedUpdates, Errors) {
  Context context;
  Random random(5);
  Matrix<cuComplex> A(random, 4, 4, 4), C(random, 4, 4, 4);
  cuComplex one{1, 0};
  auto update = [&](cublasOperation_t op, cudaDataType type, int ld) {
    return cublasCsyrkEx(context, CUBLAS_FILL_MODE_LOWER, op, 4, 4, &one, A.data(), type, ld, &one,
                         C.data(), CUDA_C_32F, 4);
  };
  EXPECT_EQ(update(CUBLAS_OP_C, CUDA_C_32F, 4), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(update(CUBLAS_OP_N, CUDA_C_32F, 3), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(update(CUBLAS_OP_N, CUDA_R_32F, 4), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(update(CUBLAS_OP_N, CUDA_C_64F, 4), CUBLAS_STATUS_NOT_SUPPORTED);
}

} // namespace
