// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function is compared with the product of the whole matrix that its arguments stand for.
#include "blas/blas_test.h"

#include <functional>

using namespace heddle::blas::test;

namespace {

constexpr int Trials = 10;

/// Element (i, j) of a matrix.
using Elements = std::function<Wide(int64_t, int64_t)>;

cublasFillMode_t anyTriangle(Random &random) {
  return random.oneOf({CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER});
}
cublasOperation_t anyOperation(Random &random) {
  return random.oneOf({CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C});
}

/// The place of (i, j) in a packed triangle of order n.
int64_t packedPlace(cublasFillMode_t uplo, int64_t n, int64_t i, int64_t j) {
  return uplo == CUBLAS_FILL_MODE_UPPER ? i + j * (j + 1) / 2 : i + (2 * n - j - 1) * j / 2;
}

bool isStored(cublasFillMode_t uplo, int64_t i, int64_t j) {
  return uplo == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j;
}

/// The matrix with one stored triangle, which `stored` reads: symmetric or Hermitian.
Elements symmetricOf(cublasFillMode_t uplo, bool hermitian, Elements stored) {
  return [=](int64_t i, int64_t j) -> Wide {
    Wide value = isStored(uplo, i, j) ? stored(i, j) : stored(j, i);
    if (!hermitian)
      return value;
    return i == j ? value.real() : isStored(uplo, i, j) ? value : std::conj(value);
  };
}

/// op of the triangular matrix whose triangle `stored` reads.
Elements triangularOf(cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag,
                      Elements stored) {
  return [=](int64_t i, int64_t j) -> Wide {
    int64_t r = op == CUBLAS_OP_N ? i : j, c = op == CUBLAS_OP_N ? j : i;
    if (!isStored(uplo, r, c))
      return 0;
    if (r == c && diag == CUBLAS_DIAG_UNIT)
      return 1;
    return op == CUBLAS_OP_C ? std::conj(stored(r, c)) : stored(r, c);
  };
}

template <typename T>
std::vector<Wide> product(const Elements &A, int64_t rows, const Vector<T> &x, Wide alpha,
                          Wide beta, const Vector<T> &y) {
  std::vector<Wide> expected = valuesOf(y);
  for (int64_t i = 0; i < rows; ++i) {
    Wide sum = 0;
    for (int64_t j = 0; j < x.n; ++j)
      sum += A(i, j) * x.at(j);
    expected[y.place(i)] = alpha * sum + (beta == 0.0 ? 0 : beta * y.at(i));
  }
  return expected;
}

template <typename T> double tolerance(int64_t n) { return Precision<T> * (4 * n + 10); }

template <typename T, typename F, typename G> void testGeneral(F gemv, G gbmv) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t m = random.size(), n = random.size();
    cublasOperation_t op = anyOperation(random);
    int64_t rows = op == CUBLAS_OP_N ? m : n, columns = op == CUBLAS_OP_N ? n : m;
    Matrix<T> A(random, m, n);
    Vector<T> x(random, columns, random.step()), y(random, rows, random.step());
    T alpha = random.factor<T>(), beta = random.factor<T>();
    EXPECT_OK(gemv(context, op, m, n, context.scalar(alpha), A.data(), A.ld, x.data(), x.inc,
                   context.scalar(beta), y.data(), y.inc));
    // As in BLAS, nothing happens to y where the matrix is empty.
    if (m == 0 || n == 0)
      return expectArray(context, y, valuesOf(y), 0);
    auto whole = [&](int64_t i, int64_t j) { return A.at(op, i, j); };
    expectArray(context, y, product(whole, rows, x, widen(alpha), widen(beta), y),
                tolerance<T>(columns));

    int64_t kl = random.integer(0, m - 1), ku = random.integer(0, n - 1);
    Matrix<T> band(random, kl + ku + 1, n);
    y.put();
    EXPECT_OK(gbmv(context, op, m, n, kl, ku, context.scalar(alpha), band.data(), band.ld, x.data(),
                   x.inc, context.scalar(beta), y.data(), y.inc));
    auto banded = [&](int64_t i, int64_t j) -> Wide {
      int64_t r = op == CUBLAS_OP_N ? i : j, c = op == CUBLAS_OP_N ? j : i;
      Wide value = r - c > kl || c - r > ku ? Wide(0) : band.at(ku + r - c, c);
      return op == CUBLAS_OP_C ? std::conj(value) : value;
    };
    expectArray(context, y, product(banded, rows, x, widen(alpha), widen(beta), y),
                tolerance<T>(columns));
  });
}

TEST(Level2, General) {
  testGeneral<float>(cublasSgemv, cublasSgbmv);
  testGeneral<float>(cublasSgemv_64, cublasSgbmv_64);
  testGeneral<double>(cublasDgemv, cublasDgbmv);
  testGeneral<double>(cublasDgemv_64, cublasDgbmv_64);
  testGeneral<cuComplex>(cublasCgemv, cublasCgbmv);
  testGeneral<cuComplex>(cublasCgemv_64, cublasCgbmv_64);
  testGeneral<cuDoubleComplex>(cublasZgemv, cublasZgbmv);
  testGeneral<cuDoubleComplex>(cublasZgemv_64, cublasZgbmv_64);
}

/// A product with a triangular matrix, and the solution that leads back.
template <typename T, typename Multiply, typename Solve>
void testTriangle(Context &context, const Elements &A, Vector<T> &x, Multiply multiply,
                  Solve solve) {
  const Vector<T> &same = x;
  std::vector<Wide> expected = product<T>(A, x.n, same, 1, 0, same);
  EXPECT_OK(multiply());
  expectArray(context, x, expected, tolerance<T>(x.n));
  EXPECT_OK(solve());
  expectArray(context, x, valuesOf(x), 100 * tolerance<T>(x.n));
}

/// Makes the matrix one that is solved well: a large diagonal, small elements beside it.
template <typename T> void makeDominant(Array<T> &A, int64_t n) {
  for (T &value : A.host)
    value = narrow<T>(widen(value) / double(n + 1) + 1.0 / double(n + 1));
  A.put();
}

template <typename T, typename Mv, typename Sv, typename Bmv, typename Bsv, typename Pmv,
          typename Psv>
void testTriangular(Mv trmv, Sv trsv, Bmv tbmv, Bsv tbsv, Pmv tpmv, Psv tpsv) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t n = random.size(), k = random.integer(0, std::max<int64_t>(n - 1, 0));
    cublasFillMode_t uplo = anyTriangle(random);
    cublasOperation_t op = anyOperation(random);
    cublasDiagType_t diag = CUBLAS_DIAG_UNIT;
    Vector<T> x(random, n, random.step());

    Matrix<T> A(random, n, n);
    makeDominant(A, n);
    if (random.coin()) {
      diag = CUBLAS_DIAG_NON_UNIT;
      for (int64_t i = 0; i < n; ++i)
        A.host[i * (A.ld + 1)] = narrow<T>(2 + i % 3);
      A.put();
    }
    auto dense = [&](int64_t i, int64_t j) { return A.at(i, j); };
    testTriangle(
        context, triangularOf(uplo, op, diag, dense), x,
        [&] { return trmv(context, uplo, op, diag, n, A.data(), A.ld, x.data(), x.inc); },
        [&] { return trsv(context, uplo, op, diag, n, A.data(), A.ld, x.data(), x.inc); });

    Matrix<T> band(random, k + 1, n);
    Array<T> packed(random, n * (n + 1) / 2);
    auto bandPlace = [&](int64_t i, int64_t j) {
      return (uplo == CUBLAS_FILL_MODE_UPPER ? k + i - j : i - j) + j * band.ld;
    };
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < n; ++i)
        if (isStored(uplo, i, j)) {
          packed.host[packedPlace(uplo, n, i, j)] = A.host[i + j * A.ld];
          if (std::abs(i - j) <= k)
            band.host[bandPlace(i, j)] = A.host[i + j * A.ld];
        }
    band.put();
    packed.put();
    x.put();
    auto banded = [&](int64_t i, int64_t j) { return std::abs(i - j) > k ? Wide(0) : A.at(i, j); };
    testTriangle(
        context, triangularOf(uplo, op, diag, banded), x,
        [&] { return tbmv(context, uplo, op, diag, n, k, band.data(), band.ld, x.data(), x.inc); },
        [&] { return tbsv(context, uplo, op, diag, n, k, band.data(), band.ld, x.data(), x.inc); });
    x.put();
    testTriangle(
        context, triangularOf(uplo, op, diag, dense), x,
        [&] { return tpmv(context, uplo, op, diag, n, packed.data(), x.data(), x.inc); },
        [&] { return tpsv(context, uplo, op, diag, n, packed.data(), x.data(), x.inc); });
  });
}

TEST(Level2, Triangular) {
  testTriangular<float>(cublasStrmv, cublasStrsv, cublasStbmv, cublasStbsv, cublasStpmv,
                        cublasStpsv);
  testTriangular<float>(cublasStrmv_64, cublasStrsv_64, cublasStbmv_64, cublasStbsv_64,
                        cublasStpmv_64, cublasStpsv_64);
  testTriangular<double>(cublasDtrmv, cublasDtrsv, cublasDtbmv, cublasDtbsv, cublasDtpmv,
                         cublasDtpsv);
  testTriangular<double>(cublasDtrmv_64, cublasDtrsv_64, cublasDtbmv_64, cublasDtbsv_64,
                         cublasDtpmv_64, cublasDtpsv_64);
  testTriangular<cuComplex>(cublasCtrmv, cublasCtrsv, cublasCtbmv, cublasCtbsv, cublasCtpmv,
                            cublasCtpsv);
  testTriangular<cuComplex>(cublasCtrmv_64, cublasCtrsv_64, cublasCtbmv_64, cublasCtbsv_64,
                            cublasCtpmv_64, cublasCtpsv_64);
  testTriangular<cuDoubleComplex>(cublasZtrmv, cublasZtrsv, cublasZtbmv, cublasZtbsv, cublasZtpmv,
                                  cublasZtpsv);
  testTriangular<cuDoubleComplex>(cublasZtrmv_64, cublasZtrsv_64, cublasZtbmv_64, cublasZtbsv_64,
                                  cublasZtpmv_64, cublasZtpsv_64);
}

template <typename T, typename F> void testSymmetric(bool hermitian, F symv) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t n = random.size();
    cublasFillMode_t uplo = anyTriangle(random);
    Matrix<T> A(random, n, n);
    Vector<T> x(random, n, random.step()), y(random, n, random.step());
    T alpha = random.factor<T>(), beta = random.factor<T>();
    EXPECT_OK(symv(context, uplo, n, context.scalar(alpha), A.data(), A.ld, x.data(), x.inc,
                   context.scalar(beta), y.data(), y.inc));
    auto whole = symmetricOf(uplo, hermitian, [&](int64_t i, int64_t j) { return A.at(i, j); });
    expectArray(context, y, product(whole, n, x, widen(alpha), widen(beta), y), tolerance<T>(n));
  });
}

TEST(Level2, Symmetric) {
  testSymmetric<float>(false, cublasSsymv);
  testSymmetric<float>(false, cublasSsymv_64);
  testSymmetric<double>(false, cublasDsymv);
  testSymmetric<double>(false, cublasDsymv_64);
  testSymmetric<cuComplex>(false, cublasCsymv);
  testSymmetric<cuComplex>(false, cublasCsymv_64);
  testSymmetric<cuDoubleComplex>(false, cublasZsymv);
  testSymmetric<cuDoubleComplex>(false, cublasZsymv_64);
  testSymmetric<cuComplex>(true, cublasChemv);
  testSymmetric<cuComplex>(true, cublasChemv_64);
  testSymmetric<cuDoubleComplex>(true, cublasZhemv);
  testSymmetric<cuDoubleComplex>(true, cublasZhemv_64);
}

/// Symmetric where T is real, else Hermitian.
template <typename T, typename F, typename G> void testBandedAndPacked(F sbmv, G spmv) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t n = random.size(), k = random.integer(0, std::max<int64_t>(n - 1, 0));
    cublasFillMode_t uplo = anyTriangle(random);
    Matrix<T> band(random, k + 1, n);
    Array<T> packed(random, n * (n + 1) / 2);
    Vector<T> x(random, n, random.step()), y(random, n, random.step());
    T alpha = random.factor<T>(), beta = random.factor<T>();
    EXPECT_OK(sbmv(context, uplo, n, k, context.scalar(alpha), band.data(), band.ld, x.data(),
                   x.inc, context.scalar(beta), y.data(), y.inc));
    auto banded = symmetricOf(uplo, IsComplexNumber<T>, [&](int64_t i, int64_t j) -> Wide {
      if (std::abs(i - j) > k)
        return 0;
      return band.at(uplo == CUBLAS_FILL_MODE_UPPER ? k + i - j : i - j, j);
    });
    expectArray(context, y, product(banded, n, x, widen(alpha), widen(beta), y), tolerance<T>(n));
    y.put();
    EXPECT_OK(spmv(context, uplo, n, context.scalar(alpha), packed.data(), x.data(), x.inc,
                   context.scalar(beta), y.data(), y.inc));
    auto whole = symmetricOf(uplo, IsComplexNumber<T>, [&](int64_t i, int64_t j) {
      return packed[packedPlace(uplo, n, i, j)];
    });
    expectArray(context, y, product(whole, n, x, widen(alpha), widen(beta), y), tolerance<T>(n));
  });
}

TEST(Level2, BandedAndPacked) {
  testBandedAndPacked<float>(cublasSsbmv, cublasSspmv);
  testBandedAndPacked<float>(cublasSsbmv_64, cublasSspmv_64);
  testBandedAndPacked<double>(cublasDsbmv, cublasDspmv);
  testBandedAndPacked<double>(cublasDsbmv_64, cublasDspmv_64);
  testBandedAndPacked<cuComplex>(cublasChbmv, cublasChpmv);
  testBandedAndPacked<cuComplex>(cublasChbmv_64, cublasChpmv_64);
  testBandedAndPacked<cuDoubleComplex>(cublasZhbmv, cublasZhpmv);
  testBandedAndPacked<cuDoubleComplex>(cublasZhbmv_64, cublasZhpmv_64);
}

template <typename T, typename F> void testGer(bool conjugated, F ger) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t m = random.size(), n = random.size();
    Matrix<T> A(random, m, n);
    Vector<T> x(random, m, random.step()), y(random, n, random.step());
    T alpha = random.factor<T>();
    EXPECT_OK(ger(context, m, n, context.scalar(alpha), x.data(), x.inc, y.data(), y.inc, A.data(),
                  A.ld));
    std::vector<Wide> expected = valuesOf(A);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i)
        expected[i + j * A.ld] +=
            widen(alpha) * x.at(i) * (conjugated ? std::conj(y.at(j)) : y.at(j));
    expectArray(context, A, expected, tolerance<T>(1));
  });
}

TEST(Level2, Ger) {
  testGer<float>(false, cublasSger);
  testGer<float>(false, cublasSger_64);
  testGer<double>(false, cublasDger);
  testGer<double>(false, cublasDger_64);
  testGer<cuComplex>(false, cublasCgeru);
  testGer<cuComplex>(false, cublasCgeru_64);
  testGer<cuComplex>(true, cublasCgerc);
  testGer<cuComplex>(true, cublasCgerc_64);
  testGer<cuDoubleComplex>(false, cublasZgeru);
  testGer<cuDoubleComplex>(false, cublasZgeru_64);
  testGer<cuDoubleComplex>(true, cublasZgerc);
  testGer<cuDoubleComplex>(true, cublasZgerc_64);
}

/// What an update adds to element (i, j): alpha x x' or alpha x y' + alpha' y x'.
template <typename T>
Wide updateOf(bool hermitian, bool two, Wide alpha, const Vector<T> &x, const Vector<T> &y,
              int64_t i, int64_t j) {
  auto other = [&](Wide value) { return hermitian ? std::conj(value) : value; };
  if (!two)
    return alpha * x.at(i) * other(x.at(j));
  return alpha * x.at(i) * other(y.at(j)) + other(alpha) * y.at(i) * other(x.at(j));
}

/// A rank-one or rank-two update of a dense and of a packed triangle; `Packed` may be a null
/// pointer.
template <typename T, typename A_, bool two, typename Dense, typename Packed>
void testUpdate(bool hermitian, Dense dense, Packed packed) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t n = random.size();
    cublasFillMode_t uplo = anyTriangle(random);
    Matrix<T> A(random, n, n);
    Array<T> AP(random, n * (n + 1) / 2);
    Vector<T> x(random, n, random.step()), y(random, n, random.step());
    A_ alpha = random.value<A_>();
    if constexpr (two)
      EXPECT_OK(dense(context, uplo, n, context.scalar(alpha), x.data(), x.inc, y.data(), y.inc,
                      A.data(), A.ld));
    else
      EXPECT_OK(dense(context, uplo, n, context.scalar(alpha), x.data(), x.inc, A.data(), A.ld));
    std::vector<Wide> inA = valuesOf(A), inAP = valuesOf(AP);
    auto add = [&](Wide &to, int64_t i, int64_t j) {
      to += updateOf(hermitian, two, widen(alpha), x, y, i, j);
      if (hermitian && i == j)
        to = to.real();
    };
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < n; ++i)
        if (isStored(uplo, i, j)) {
          add(inA[i + j * A.ld], i, j);
          add(inAP[packedPlace(uplo, n, i, j)], i, j);
        }
    expectArray(context, A, inA, tolerance<T>(2));
    if constexpr (!std::is_null_pointer_v<Packed>) {
      if constexpr (two)
        EXPECT_OK(packed(context, uplo, n, context.scalar(alpha), x.data(), x.inc, y.data(), y.inc,
                         AP.data()));
      else
        EXPECT_OK(packed(context, uplo, n, context.scalar(alpha), x.data(), x.inc, AP.data()));
      expectArray(context, AP, inAP, tolerance<T>(2));
    }
  });
}

TEST(Level2, RankOne) {
  testUpdate<float, float, false>(false, cublasSsyr, cublasSspr);
  testUpdate<float, float, false>(false, cublasSsyr_64, cublasSspr_64);
  testUpdate<double, double, false>(false, cublasDsyr, cublasDspr);
  testUpdate<double, double, false>(false, cublasDsyr_64, cublasDspr_64);
  testUpdate<cuComplex, cuComplex, false>(false, cublasCsyr, nullptr);
  testUpdate<cuComplex, cuComplex, false>(false, cublasCsyr_64, nullptr);
  testUpdate<cuDoubleComplex, cuDoubleComplex, false>(false, cublasZsyr, nullptr);
  testUpdate<cuDoubleComplex, cuDoubleComplex, false>(false, cublasZsyr_64, nullptr);
  testUpdate<cuComplex, float, false>(true, cublasCher, cublasChpr);
  testUpdate<cuComplex, float, false>(true, cublasCher_64, cublasChpr_64);
  testUpdate<cuDoubleComplex, double, false>(true, cublasZher, cublasZhpr);
  testUpdate<cuDoubleComplex, double, false>(true, cublasZher_64, cublasZhpr_64);
}

TEST(Level2, RankTwo) {
  testUpdate<float, float, true>(false, cublasSsyr2, cublasSspr2);
  testUpdate<float, float, true>(false, cublasSsyr2_64, cublasSspr2_64);
  testUpdate<double, double, true>(false, cublasDsyr2, cublasDspr2);
  testUpdate<double, double, true>(false, cublasDsyr2_64, cublasDspr2_64);
  testUpdate<cuComplex, cuComplex, true>(false, cublasCsyr2, nullptr);
  testUpdate<cuComplex, cuComplex, true>(false, cublasCsyr2_64, nullptr);
  testUpdate<cuDoubleComplex, cuDoubleComplex, true>(false, cublasZsyr2, nullptr);
  testUpdate<cuDoubleComplex, cuDoubleComplex, true>(false, cublasZsyr2_64, nullptr);
  testUpdate<cuComplex, cuComplex, true>(true, cublasCher2, cublasChpr2);
  testUpdate<cuComplex, cuComplex, true>(true, cublasCher2_64, cublasChpr2_64);
  testUpdate<cuDoubleComplex, cuDoubleComplex, true>(true, cublasZher2, cublasZhpr2);
  testUpdate<cuDoubleComplex, cuDoubleComplex, true>(true, cublasZher2_64, cublasZhpr2_64);
}

/// With beta zero what is not a number in y does not matter.
TEST(Level2, ZeroBeta) {
  Context context;
  Random random(1);
  Matrix<float> A(random, 5, 5);
  Vector<float> x(random, 5, 1), y(random, 5, 1);
  std::fill(y.host.begin(), y.host.end(), NAN);
  y.put();
  float one = 1, zero = 0;
  EXPECT_OK(cublasSgemv(context, CUBLAS_OP_N, 5, 5, &one, A.data(), A.ld, x.data(), 1, &zero,
                        y.data(), 1));
  auto whole = [&](int64_t i, int64_t j) { return A.at(i, j); };
  std::vector<Wide> expected = product(whole, 5, x, 1, 0, y);
  expected.pop_back();
  expectArray(context, y, expected, tolerance<float>(5));
}

TEST(Level2, Errors) {
  Context context;
  float s = 1, *none = nullptr;
  auto gemv = [&](cublasOperation_t op, int m, int lda, int incx, const float *alpha) {
    return cublasSgemv(context, op, m, 2, alpha, &s, lda, &s, incx, &s, &s, 1);
  };
  EXPECT_EQ(gemv(CUBLAS_OP_N, -1, 1, 1, &s), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemv(CUBLAS_OP_N, 3, 2, 1, &s), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemv(CUBLAS_OP_N, 3, 3, 0, &s), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemv(CUBLAS_OP_N, 3, 3, 1, none), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemv(static_cast<cublasOperation_t>(9), 3, 3, 1, &s), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(
      cublasStrsv(context, CUBLAS_FILL_MODE_FULL, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 1, &s, 1, &s, 1),
      CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasSsbmv(context, CUBLAS_FILL_MODE_LOWER, 4, 2, &s, &s, 2, &s, 1, &s, &s, 1),
            CUBLAS_STATUS_INVALID_VALUE);
}

} // namespace
