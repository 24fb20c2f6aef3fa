// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions on matrices of one type (cuBLAS Library, "cuBLAS Level-3 Function Reference" and
// "BLAS-like Extension").
//
// gemm3m computes a complex product with three real ones in place of four on a GPU; here it is
// gemm, which is as right. What OpenBLAS lacks is made of what it has: updates of a triangle by two
// matrices (syrkx) of products of blocks.
#include "blas/arguments.h"
#include "blas/gemm.h"
#include "blas/handle.h"
#include "blas/openblas.h"
#include "support/parallel.h"

#include <vector>

namespace heddle::blas {

namespace {

template <typename T>
cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                    int64_t m, int64_t n, int64_t k, const T *alpha, const T *A, int64_t lda,
                    const T *B, int64_t ldb, const T *beta, T *C, int64_t ldc) {
  const bool plainA = transa == CUBLAS_OP_N, plainB = transb == CUBLAS_OP_N;
  const GemmName name = {nameOf<T>({"SGEMM ", "DGEMM ", "CGEMM ", "ZGEMM "}), 8, 10, 13};
  if (cublasStatus_t bad = checkGemm(handle, {transa, transb, m, n, k, lda, ldb, ldc}, name,
                                     alpha && beta && isThere(C, m, n)))
    return bad;
  auto columns = [&](int64_t all) { return m == 0 || n == 0 ? 0 : all; };
  const std::initializer_list<library::MemoryRows> memory = {
      library::columnsOf(A, plainA ? m : k, columns(plainA ? k : m), lda, sizeof(T)),
      library::columnsOf(B, plainB ? k : n, columns(plainB ? n : k), ldb, sizeof(T)),
      library::written(library::columnsOf(C, m, columns(n), ldc, sizeof(T)))};
  return submit(handle, memory, [=, alpha = Scalar(handle, alpha), beta = Scalar(handle, beta)] {
    const T a = alpha.get(), b = beta.get();
    HEDDLE_BLAS(T, gemm)(CblasColMajor, transposeOf<T>(transa), transposeOf<T>(transb), m, n, k,
                         pass(a), A, lda, B, ldb, pass(b), C, ldc);
  });
}

template <typename T, typename... A> cublasStatus_t gemm3m(cublasHandle_t handle, A... arguments) {
  return gemm<T>(handle, arguments...);
}

template <typename T> bool isSymmetricOperation(cublasOperation_t op) {
  return op == CUBLAS_OP_N || op == CUBLAS_OP_T || (op == CUBLAS_OP_C && !IsComplex<T>);
}
bool isHermitianOperation(cublasOperation_t op) { return op == CUBLAS_OP_N || op == CUBLAS_OP_C; }

using RankUpdate = std::array<Argument, 7>;

/// With a second matrix it stands before C and its scalar.
RankUpdate rankUpdate(cublasFillMode_t uplo, cublasOperation_t trans, bool isOperation, int64_t n,
                      int64_t k, int64_t lda, int64_t ldc, const int64_t *ldb = nullptr) {
  const int64_t rows = trans == CUBLAS_OP_N ? n : k;
  return {{{1, isTriangle(uplo)},
           {2, isOperation},
           {3, n >= 0},
           {4, k >= 0},
           {7, isLeading(lda, rows)},
           {9, !ldb || isLeading(*ldb, rows)},
           {ldb ? 12 : 10, isLeading(ldc, n)}}};
}

template <typename T>
cublasStatus_t syrk(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                    int64_t n, int64_t k, const T *alpha, const T *A, int64_t lda, const T *beta,
                    T *C, int64_t ldc) {
  const RankUpdate arguments =
      rankUpdate(uplo, trans, isSymmetricOperation<T>(trans), n, k, lda, ldc);
  if (cublasStatus_t bad = check(handle, nameOf<T>({"SSYRK ", "DSYRK ", "CSYRK ", "ZSYRK "}),
                                 arguments, alpha && beta && isThere(C, n, n), {n, k, lda, ldc}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha), beta = Scalar(handle, beta)] {
    const T a = alpha.get(), b = beta.get();
    HEDDLE_BLAS(T, syrk)(CblasColMajor, triangleOf(uplo), transposeOf<T>(trans), n, k, pass(a), A,
                         lda, pass(b), C, ldc);
  });
}

template <typename T>
cublasStatus_t herk(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                    int64_t n, int64_t k, const Real<T> *alpha, const T *A, int64_t lda,
                    const Real<T> *beta, T *C, int64_t ldc) {
  const RankUpdate arguments = rankUpdate(uplo, trans, isHermitianOperation(trans), n, k, lda, ldc);
  if (cublasStatus_t bad = check(handle, nameOf<T>({"", "", "CHERK ", "ZHERK "}), arguments,
                                 alpha && beta && isThere(C, n, n), {n, k, lda, ldc}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha), beta = Scalar(handle, beta)] {
    HEDDLE_BLAS_OF(T, cherk, zherk, cherk, zherk)
    (CblasColMajor, triangleOf(uplo), transposeOf<T>(trans), n, k, alpha.get(), A, lda, beta.get(),
     C, ldc);
  });
}

template <typename T>
cublasStatus_t syr2k(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                     int64_t n, int64_t k, const T *alpha, const T *A, int64_t lda, const T *B,
                     int64_t ldb, const T *beta, T *C, int64_t ldc) {
  const RankUpdate arguments =
      rankUpdate(uplo, trans, isSymmetricOperation<T>(trans), n, k, lda, ldc, &ldb);
  if (cublasStatus_t bad =
          check(handle, nameOf<T>({"SSYR2K", "DSYR2K", "CSYR2K", "ZSYR2K"}), arguments,
                alpha && beta && isThere(C, n, n), {n, k, lda, ldb, ldc}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha), beta = Scalar(handle, beta)] {
    const T a = alpha.get(), b = beta.get();
    HEDDLE_BLAS(T, syr2k)(CblasColMajor, triangleOf(uplo), transposeOf<T>(trans), n, k, pass(a), A,
                          lda, B, ldb, pass(b), C, ldc);
  });
}

template <typename T>
cublasStatus_t her2k(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                     int64_t n, int64_t k, const T *alpha, const T *A, int64_t lda, const T *B,
                     int64_t ldb, const Real<T> *beta, T *C, int64_t ldc) {
  const RankUpdate arguments =
      rankUpdate(uplo, trans, isHermitianOperation(trans), n, k, lda, ldc, &ldb);
  if (cublasStatus_t bad = check(handle, nameOf<T>({"", "", "CHER2K", "ZHER2K"}), arguments,
                                 alpha && beta && isThere(C, n, n), {n, k, lda, ldb, ldc}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha), beta = Scalar(handle, beta)] {
    const T a = alpha.get();
    HEDDLE_BLAS_OF(T, cher2k, zher2k, cher2k, zher2k)
    (CblasColMajor, triangleOf(uplo), transposeOf<T>(trans), n, k, &a, A, lda, B, ldb, beta.get(),
     C, ldc);
  });
}

/// One triangle of C = alpha op(A) op(B)' + beta C, where ' is the (conjugate) transpose.
template <typename T> struct TriangleProduct {
  cublasFillMode_t uplo;
  CBLAS_TRANSPOSE transa, transb; // of them, exactly one is none
  int64_t n, k;
  const T *A;
  int64_t lda;
  const T *B;
  int64_t ldb;
  T *C;
  int64_t ldc;
  bool isHermitian; // the diagonal becomes real

  static constexpr int64_t Block = 128;

  const T *rowsOfA(int64_t i) const { return A + (transa == CblasNoTrans ? i : i * lda); }
  const T *columnsOfB(int64_t j) const { return B + (transb == CblasNoTrans ? j * ldb : j); }

  void multiply(int64_t i, int64_t rows, int64_t j, int64_t columns, const T &alpha, const T &beta,
                T *to, int64_t ld) const {
    HEDDLE_BLAS(T, gemm)(CblasColMajor, transa, transb, rows, columns, k, pass(alpha), rowsOfA(i),
                         lda, columnsOfB(j), ldb, pass(beta), to, ld);
  }

  /// The block on the diagonal from column j on: all of it aside, and the triangle from there.
  void diagonalBlock(int64_t j, int64_t size, const T &alpha, const T &beta) const {
    std::vector<T> all(size * size);
    const T zero{};
    multiply(j, size, j, size, alpha, zero, all.data(), size);
    for (int64_t c = 0; c < size; ++c) {
      bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
      for (int64_t r = lower ? c : 0; r < (lower ? size : c + 1); ++r) {
        T &to = C[j + r + (j + c) * ldc];
        to = isZero(beta) ? all[r + c * size] : all[r + c * size] + beta * to;
      }
      if constexpr (IsComplex<T>)
        if (isHermitian)
          C[(j + c) * (ldc + 1)].y = 0;
    }
  }

  void run(const T &alpha, const T &beta) const {
    for (int64_t j = 0; j < n; j += Block) {
      int64_t size = std::min(Block, n - j);
      diagonalBlock(j, size, alpha, beta);
      int64_t first = uplo == CUBLAS_FILL_MODE_LOWER ? j + size : 0;
      int64_t last = uplo == CUBLAS_FILL_MODE_LOWER ? n : j;
      if (first < last)
        multiply(first, last - first, j, size, alpha, beta, C + first + j * ldc, ldc);
    }
  }
};

template <typename T>
cublasStatus_t syrkx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                     int64_t n, int64_t k, const T *alpha, const T *A, int64_t lda, const T *B,
                     int64_t ldb, const T *beta, T *C, int64_t ldc) {
  const RankUpdate arguments =
      rankUpdate(uplo, trans, isSymmetricOperation<T>(trans), n, k, lda, ldc, &ldb);
  if (cublasStatus_t bad =
          check(handle, nameOf<T>({"SSYRKX", "DSYRKX", "CSYRKX", "ZSYRKX"}), arguments,
                alpha && beta && isThere(C, n, n), {n, k, lda, ldb, ldc}))
    return bad;
  bool plain = trans == CUBLAS_OP_N;
  TriangleProduct<T> product{uplo,
                             plain ? CblasNoTrans : CblasTrans,
                             plain ? CblasTrans : CblasNoTrans,
                             n,
                             k,
                             A,
                             lda,
                             B,
                             ldb,
                             C,
                             ldc,
                             false};
  return submit(handle, [=, alpha = Scalar(handle, alpha), beta = Scalar(handle, beta)] {
    product.run(alpha.get(), beta.get());
  });
}

template <typename T>
cublasStatus_t herkx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                     int64_t n, int64_t k, const T *alpha, const T *A, int64_t lda, const T *B,
                     int64_t ldb, const Real<T> *beta, T *C, int64_t ldc) {
  const RankUpdate arguments =
      rankUpdate(uplo, trans, isHermitianOperation(trans), n, k, lda, ldc, &ldb);
  if (cublasStatus_t bad = check(handle, nameOf<T>({"", "", "CHERKX", "ZHERKX"}), arguments,
                                 alpha && beta && isThere(C, n, n), {n, k, lda, ldb, ldc}))
    return bad;
  bool plain = trans == CUBLAS_OP_N;
  TriangleProduct<T> product{uplo,
                             plain ? CblasNoTrans : CblasConjTrans,
                             plain ? CblasConjTrans : CblasNoTrans,
                             n,
                             k,
                             A,
                             lda,
                             B,
                             ldb,
                             C,
                             ldc,
                             true};
  return submit(handle, [=, alpha = Scalar(handle, alpha), beta = Scalar(handle, beta)] {
    product.run(alpha.get(), T{beta.get(), 0});
  });
}

std::array<Argument, 7> symmetricProduct(cublasSideMode_t side, cublasFillMode_t uplo, int64_t m,
                                         int64_t n, int64_t lda, int64_t ldb, int64_t ldc) {
  return {{{1, isSide(side)},
           {2, isTriangle(uplo)},
           {3, m >= 0},
           {4, n >= 0},
           {7, isLeading(lda, side == CUBLAS_SIDE_LEFT ? m : n)},
           {9, isLeading(ldb, m)},
           {12, isLeading(ldc, m)}}};
}

template <typename T>
cublasStatus_t symm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int64_t m,
                    int64_t n, const T *alpha, const T *A, int64_t lda, const T *B, int64_t ldb,
                    const T *beta, T *C, int64_t ldc) {
  const auto arguments = symmetricProduct(side, uplo, m, n, lda, ldb, ldc);
  if (cublasStatus_t bad =
          check(handle, nameOf<T>({"SSYMM ", "DSYMM ", "CSYMM ", "ZSYMM "}), arguments,
                alpha && beta && isThere(C, m, n), {m, n, lda, ldb, ldc}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha), beta = Scalar(handle, beta)] {
    const T a = alpha.get(), b = beta.get();
    HEDDLE_BLAS(T, symm)(CblasColMajor, sideOf(side), triangleOf(uplo), m, n, pass(a), A, lda, B,
                         ldb, pass(b), C, ldc);
  });
}

template <typename T>
cublasStatus_t hemm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int64_t m,
                    int64_t n, const T *alpha, const T *A, int64_t lda, const T *B, int64_t ldb,
                    const T *beta, T *C, int64_t ldc) {
  const auto arguments = symmetricProduct(side, uplo, m, n, lda, ldb, ldc);
  if (cublasStatus_t bad = check(handle, nameOf<T>({"", "", "CHEMM ", "ZHEMM "}), arguments,
                                 alpha && beta && isThere(C, m, n), {m, n, lda, ldb, ldc}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha), beta = Scalar(handle, beta)] {
    const T a = alpha.get(), b = beta.get();
    HEDDLE_BLAS_OF(T, chemm, zhemm, chemm, zhemm)
    (CblasColMajor, sideOf(side), triangleOf(uplo), m, n, &a, A, lda, B, ldb, &b, C, ldc);
  });
}

bool isTriangularProblem(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
                         cublasDiagType_t diag, int64_t m, int64_t n, int64_t lda, int64_t ldb) {
  return isSide(side) && isTriangle(uplo) && isOperation(trans) && isDiagonal(diag) && m >= 0 &&
         n >= 0 && isLeading(lda, side == CUBLAS_SIDE_LEFT ? m : n) && isLeading(ldb, m);
}

template <typename T>
cublasStatus_t trsm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                    cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
                    const T *alpha, const T *A, int64_t lda, T *B, int64_t ldb) {
  bool valid = isTriangularProblem(side, uplo, trans, diag, m, n, lda, ldb) && alpha;
  if (cublasStatus_t bad = check(handle, valid, {m, n, lda, ldb}))
    return bad;
  const int64_t order = side == CUBLAS_SIDE_LEFT ? m : n;
  const bool isEmpty = m == 0 || n == 0;
  const std::initializer_list<library::MemoryRows> memory = {
      library::usedInPart(library::columnsOf(A, order, isEmpty ? 0 : order, lda, sizeof(T))),
      library::written(library::columnsOf(B, m, isEmpty ? 0 : n, ldb, sizeof(T)))};
  return submit(handle, memory, [=, alpha = Scalar(handle, alpha)] {
    const T a = alpha.get();
    HEDDLE_BLAS(T, trsm)(CblasColMajor, sideOf(side), triangleOf(uplo), transposeOf<T>(trans),
                         diagonalOf(diag), m, n, pass(a), A, lda, B, ldb);
  });
}

/// Columns of a loop over a matrix that a thread does at once.
int64_t columnsAtOnce(int64_t m) {
  return std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(m, 1));
}

/// BLAS's is in place; cuBLAS's writes to C, which may be B.
template <typename T>
cublasStatus_t trmm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                    cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
                    const T *alpha, const T *A, int64_t lda, const T *B, int64_t ldb, T *C,
                    int64_t ldc) {
  bool valid =
      isTriangularProblem(side, uplo, trans, diag, m, n, lda, ldb) && isLeading(ldc, m) && alpha;
  if (cublasStatus_t bad = check(handle, valid, {m, n, lda, ldb, ldc}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha)] {
    if (B != C)
      library::parallelFor(n, columnsAtOnce(m), [&](int64_t begin, int64_t end) {
        for (int64_t j = begin; j < end; ++j)
          std::copy_n(B + j * ldb, m, C + j * ldc);
      });
    const T a = alpha.get();
    HEDDLE_BLAS(T, trmm)(CblasColMajor, sideOf(side), triangleOf(uplo), transposeOf<T>(trans),
                         diagonalOf(diag), m, n, pass(a), A, lda, C, ldc);
  });
}

/// op(A) as something to index.
template <typename T> struct Operand {
  const T *data;
  int64_t ld;
  cublasOperation_t op;

  T at(int64_t i, int64_t j) const {
    if (op == CUBLAS_OP_N)
      return data[i + j * ld];
    T value = data[j + i * ld];
    return op == CUBLAS_OP_C ? conjugate(value) : value;
  }
};

/// C = alpha op(A) + beta op(B), in tiles, since one of the operands may lie across. A matrix is
/// not read if its scalar is zero; C may be A or B if that is not transposed.
template <typename T>
void addMatrices(int64_t m, int64_t n, T alpha, Operand<T> A, T beta, Operand<T> B, T *C,
                 int64_t ldc) {
  constexpr int64_t Tile = 32;
  library::parallelFor((n + Tile - 1) / Tile, 8, [&](int64_t begin, int64_t end) {
    for (int64_t i0 = 0; i0 < m; i0 += Tile)
      for (int64_t j = begin * Tile; j < std::min(end * Tile, n); ++j)
        for (int64_t i = i0; i < std::min(i0 + Tile, m); ++i) {
          T sum{};
          if (!isZero(alpha))
            sum = alpha * A.at(i, j);
          if (!isZero(beta))
            sum = sum + beta * B.at(i, j);
          C[i + j * ldc] = sum;
        }
  });
}

template <typename T>
cublasStatus_t geam(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                    int64_t m, int64_t n, const T *alpha, const T *A, int64_t lda, const T *beta,
                    const T *B, int64_t ldb, T *C, int64_t ldc) {
  bool valid = isOperation(transa) && isOperation(transb) && m >= 0 && n >= 0 &&
               isLeading(lda, transa == CUBLAS_OP_N ? m : n) &&
               isLeading(ldb, transb == CUBLAS_OP_N ? m : n) && isLeading(ldc, m) && alpha && beta;
  // In place, an operand must be C as it is.
  valid = valid && (A != C || (transa == CUBLAS_OP_N && lda == ldc)) &&
          (B != C || (transb == CUBLAS_OP_N && ldb == ldc));
  if (cublasStatus_t bad = check(handle, valid))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha), beta = Scalar(handle, beta)] {
    addMatrices<T>(m, n, alpha.get(), {A, lda, transa}, beta.get(), {B, ldb, transb}, C, ldc);
  });
}

template <typename T>
cublasStatus_t dgmm(cublasHandle_t handle, cublasSideMode_t mode, int64_t m, int64_t n, const T *A,
                    int64_t lda, const T *x, int64_t incx, T *C, int64_t ldc) {
  bool valid = isSide(mode) && m >= 0 && n >= 0 && isLeading(lda, m) && isLeading(ldc, m);
  if (cublasStatus_t bad = check(handle, valid))
    return bad;
  bool left = mode == CUBLAS_SIDE_LEFT;
  const T *first = incx >= 0 ? x : x - ((left ? m : n) - 1) * incx;
  return submit(handle, [=] {
    library::parallelFor(n, columnsAtOnce(m), [&](int64_t begin, int64_t end) {
      for (int64_t j = begin; j < end; ++j)
        for (int64_t i = 0; i < m; ++i)
          C[i + j * ldc] = A[i + j * lda] * first[(left ? i : j) * incx];
    });
  });
}

/// Calls f(place in the packed form, row, column) for a triangle of order n.
template <typename F> void forPacked(cublasFillMode_t uplo, int64_t n, F f) {
  int64_t place = 0;
  for (int64_t j = 0; j < n; ++j) {
    bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
    for (int64_t i = lower ? j : 0; i < (lower ? n : j + 1); ++i)
      f(place++, i, j);
  }
}

template <typename T>
cublasStatus_t tpttr(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *AP, T *A,
                     int lda) {
  if (cublasStatus_t bad = check(handle, isTriangle(uplo) && n >= 0 && isLeading(lda, n)))
    return bad;
  return submit(handle, [=] {
    forPacked(uplo, n, [&](int64_t p, int64_t i, int64_t j) { A[i + j * lda] = AP[p]; });
  });
}

template <typename T>
cublasStatus_t trttp(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *A, int lda,
                     T *AP) {
  if (cublasStatus_t bad = check(handle, isTriangle(uplo) && n >= 0 && isLeading(lda, n)))
    return bad;
  return submit(handle, [=] {
    forPacked(uplo, n, [&](int64_t p, int64_t i, int64_t j) { AP[p] = A[i + j * lda]; });
  });
}

} // namespace
} // namespace heddle::blas

using namespace heddle::blas;
#define HEDDLE_ENTRIES "heddle/cublas/level3.inc"
#include "blas/define_entries.inc"
