// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products and triangular systems of rows of blocks, and a dense matrix times a sparse vector
// (cuSPARSE, "cuSPARSE Level 2" and "Level 3 Function Reference"). The products are those of the
// generic functions on the same arrays.
#include "sparse/formats.h"
#include "sparse/triangle.h"
#include "sparse/zero_pivot.h"

using namespace heddle::sparse;
using namespace heddle::library;

struct bsrsv2Info : ZeroPivot {
  std::shared_ptr<TriangleShape> triangle;
};
struct bsrsm2Info : bsrsv2Info {};

namespace {

template <typename T>
cusparseStatus_t multiplyVector(cusparseHandle_t handle, cusparseOperation_t transA, const T *alpha,
                                const cusparseSpMatDescr &a, const T *x, const T *beta, T *y) {
  bool straight = transA == CUSPARSE_OPERATION_NON_TRANSPOSE;
  cusparseDnVecDescr vx{straight ? a.cols : a.rows, const_cast<T *>(x), TypeOf<T>};
  cusparseDnVecDescr vy{straight ? a.rows : a.cols, y, TypeOf<T>};
  return cusparseSpMV(handle, transA, alpha, &a, &vx, beta, &vy, TypeOf<T>,
                      CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
}

template <typename T>
cusparseStatus_t multiplyMatrix(cusparseHandle_t handle, cusparseOperation_t transA,
                                cusparseOperation_t transB, int n, const T *alpha,
                                const cusparseSpMatDescr &a, const T *b, int ldb, const T *beta,
                                T *c, int ldc) {
  bool straightA = transA == CUSPARSE_OPERATION_NON_TRANSPOSE;
  bool straightB = transB == CUSPARSE_OPERATION_NON_TRANSPOSE;
  int64_t inner = straightA ? a.cols : a.rows, rows = straightA ? a.rows : a.cols;
  HEDDLE_REQUIRE(n >= 0 && ldb >= (straightB ? inner : n) && ldc >= rows, INVALID_VALUE);
  cusparseDnMatDescr mb{
      straightB ? inner : n, straightB ? n : inner, ldb, const_cast<T *>(b), TypeOf<T>,
      CUSPARSE_ORDER_COL};
  cusparseDnMatDescr mc{rows, n, ldc, c, TypeOf<T>, CUSPARSE_ORDER_COL};
  return cusparseSpMM(handle, transA, transB, alpha, &a, &mb, beta, &mc, TypeOf<T>,
                      CUSPARSE_SPMM_ALG_DEFAULT, nullptr);
}

/// Only the rows of blocks in a mask; a row of blocks ends where another array says.
template <typename T>
cusparseStatus_t multiplyMasked(cusparseHandle_t handle, cusparseDirection_t dirA, int sizeOfMask,
                                const T *alpha, const T *values, const int *mask, const int *begins,
                                const int *ends, const int *columns, int size, int base, const T *x,
                                const T *beta, T *y) {
  return inStream(
      handle, [=, a = scalar(handle, alpha, TypeOf<T>), b = scalar(handle, beta, TypeOf<T>)] {
        T factor = a.template get<T>(), keep = b.template get<T>();
        parallelFor(sizeOfMask, 256, [&](int64_t first, int64_t last) {
          for (int64_t r = first; r < last; ++r)
            for (int i = 0; i < size; ++i) {
              int64_t row = mask[r] - base;
              T sum(0);
              for (int64_t k = begins[row] - base; k < ends[row] - base; ++k)
                for (int j = 0; j < size; ++j) {
                  int at = dirA == CUSPARSE_DIRECTION_ROW ? i * size + j : j * size + i;
                  sum += values[k * size * size + at] * x[int64_t(columns[k] - base) * size + j];
                }
              T &element = y[row * size + i];
              element = keep == T(0) ? factor * sum : factor * sum + keep * element;
            }
        });
      });
}

/// What a triangular system's descriptor says, besides the arrays.
cusparseSpMatDescr triangleMatrix(cusparseDirection_t dirA, int mb, int blockDim,
                                  const cusparseMatDescr *descr, const int *offsets,
                                  const int *indices) {
  cusparseSpMatDescr matrix =
      bsrMatrix(dirA, mb, mb, blockDim, blockDim, offsets, indices, descr->base);
  matrix.fill = descr->fill, matrix.diagonal = descr->diagonal;
  return matrix;
}

cusparseStatus_t checkSystem(cusparseHandle_t handle, cusparseDirection_t dirA,
                             cusparseOperation_t transA, int mb, int nnzb,
                             const cusparseMatDescr *descr, int blockDim, const void *info) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isDirection(dirA) && isOperation(transA) && mb >= 0 && nnzb >= 0 && descr &&
                     blockDim > 0 && info,
                 INVALID_VALUE);
  HEDDLE_REQUIRE(descr->type == CUSPARSE_MATRIX_TYPE_GENERAL, MATRIX_TYPE_NOT_SUPPORTED);
  return CUSPARSE_STATUS_SUCCESS;
}

/// The block of the first diagonal element that `isZero` says is none, with the index base; or -1.
template <typename F>
int firstZero(const TriangleShape &shape, int blockDim, int base, F &&isZero) {
  for (int64_t row = 0; row < shape.count && !shape.unit; ++row)
    if (isZero(row))
      return static_cast<int>(row / blockDim) + base;
  return -1;
}

template <typename T>
cusparseStatus_t analyseSystem(cusparseHandle_t handle, cusparseDirection_t dirA,
                               cusparseOperation_t transA, int mb, int nnzb,
                               const cusparseMatDescr *descr, const int *offsets,
                               const int *indices, int blockDim, bsrsv2Info *info) {
  cusparseStatus_t status = checkSystem(handle, dirA, transA, mb, nnzb, descr, blockDim, info);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  auto triangle = std::make_shared<Triangle<T>>();
  info->triangle = triangle;
  return inStream(handle, [=, position = info->position,
                           matrix = triangleMatrix(dirA, mb, blockDim, descr, offsets, indices)] {
    analyse(*triangle, matrix, transA != CUSPARSE_OPERATION_NON_TRANSPOSE);
    *position = firstZero(*triangle, blockDim, matrix.base,
                          [&](int64_t row) { return triangle->diagonalPlaces[row] < 0; });
  });
}

/// Work that has the triangle with the values of this call, and the factor.
template <typename T, typename F>
cusparseStatus_t solveSystem(cusparseHandle_t handle, cusparseDirection_t dirA,
                             cusparseOperation_t transA, int mb, int nnzb, const T *alpha,
                             const cusparseMatDescr *descr, const T *values, int blockDim,
                             bsrsv2Info *info, F solveWith) {
  cusparseStatus_t status = checkSystem(handle, dirA, transA, mb, nnzb, descr, blockDim, info);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  HEDDLE_REQUIRE(info->triangle && alpha, INVALID_VALUE);
  return inStream(handle, [=, position = info->position, shape = info->triangle, base = descr->base,
                           a = scalar(handle, alpha, TypeOf<T>)] {
    Triangle<T> &triangle = static_cast<Triangle<T> &>(*shape);
    takeValues(triangle, values, transA == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE);
    *position = firstZero(triangle, blockDim, base,
                          [&](int64_t row) { return triangle.diagonal[row] == T(0); });
    solveWith(triangle, a.template get<T>());
  });
}

/// Each right side by itself: element i of side j of op(B) at i * rowStride + j * colStride.
template <typename T>
void solveSides(const Triangle<T> &triangle, T alpha, const T *b, int64_t bRow, int64_t bCol, T *x,
                int64_t xRow, int64_t xCol, int n) {
  parallelFor(n, 1, [&](int64_t begin, int64_t end) {
    std::vector<T> side(triangle.count);
    for (int64_t j = begin; j < end; ++j) {
      for (int64_t i = 0; i < triangle.count; ++i)
        side[i] = alpha * b[i * bRow + j * bCol];
      solveColumns(triangle, side.data(), 1);
      for (int64_t i = 0; i < triangle.count; ++i)
        x[i * xRow + j * xCol] = side[i];
    }
  });
}

template <typename T>
cusparseStatus_t gemvi(cusparseHandle_t handle, cusparseOperation_t transA, int m, int n,
                       const T *alpha, const T *matrix, int lda, int nnz, const T *xVal,
                       const int *xInd, const T *beta, T *y, cusparseIndexBase_t base) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isOperation(transA) && m >= 0 && n >= 0 && lda >= std::max(1, m) && nnz >= 0 &&
                     alpha && beta && isBase(base),
                 INVALID_VALUE);
  return inStream(
      handle, [=, a = scalar(handle, alpha, TypeOf<T>), b = scalar(handle, beta, TypeOf<T>)] {
        bool straight = transA == CUSPARSE_OPERATION_NON_TRANSPOSE;
        bool conjugated = transA == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
        T factor = a.template get<T>(), keep = b.template get<T>();
        parallelFor(straight ? m : n, 1 + 16384 / (nnz + 1), [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            T sum(0);
            for (int k = 0; k < nnz; ++k) {
              int64_t j = xInd[k] - base;
              T element = straight ? matrix[i + j * lda] : matrix[j + i * lda];
              sum += (conjugated ? conjugate(element) : element) * xVal[k];
            }
            y[i] = keep == T(0) ? factor * sum : factor * sum + keep * y[i];
          }
        });
      });
}

} // namespace

#define HEDDLE_INFO(Name, name)                                                                    \
  HEDDLE_EXPORT cusparseStatus_t cusparseCreate##Name##Info(name##Info_t *info) {                  \
    HEDDLE_REQUIRE(info, INVALID_VALUE);                                                           \
    *info = new name##Info;                                                                        \
    return CUSPARSE_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparseDestroy##Name##Info(name##Info_t info) {                  \
    delete info;                                                                                   \
    return CUSPARSE_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparseX##name##_zeroPivot(cusparseHandle_t handle,              \
                                                             name##Info_t info, int *position) {   \
    return tellZeroPivot(handle, info, position);                                                  \
  }
HEDDLE_INFO(Bsrsv2, bsrsv2)
HEDDLE_INFO(Bsrsm2, bsrsm2)

#define HEDDLE_SYSTEM_SIZES(p, T, Suffix, S)                                                       \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##bsrsv2_bufferSize##Suffix(                           \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int mb,       \
      int nnzb, const cusparseMatDescr_t descrA, T *, const int *, const int *, int blockDim,      \
      bsrsv2Info_t info, S *bufferSize) {                                                          \
    cusparseStatus_t status = checkSystem(handle, dirA, transA, mb, nnzb, descrA, blockDim, info); \
    return status == CUSPARSE_STATUS_SUCCESS ? tellBuffer(handle, true, bufferSize) : status;      \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##bsrsm2_bufferSize##Suffix(                           \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,               \
      cusparseOperation_t transXY, int mb, int n, int nnzb, const cusparseMatDescr_t descrA, T *,  \
      const int *, const int *, int blockSize, bsrsm2Info_t info, S *bufferSize) {                 \
    cusparseStatus_t status =                                                                      \
        checkSystem(handle, dirA, transA, mb, nnzb, descrA, blockSize, info);                      \
    return status == CUSPARSE_STATUS_SUCCESS                                                       \
               ? tellBuffer(handle, isOperation(transXY) && n >= 0, bufferSize)                    \
               : status;                                                                           \
  }

#define HEDDLE_BLOCKS(p, T)                                                                        \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##gemvi_bufferSize(cusparseHandle_t handle,            \
                                                               cusparseOperation_t transA, int m,  \
                                                               int n, int nnz, int *bufferSize) {  \
    return tellBuffer(handle, isOperation(transA) && m >= 0 && n >= 0 && nnz >= 0, bufferSize);    \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##gemvi(                                               \
      cusparseHandle_t handle, cusparseOperation_t transA, int m, int n, const T *alpha,           \
      const T *A, int lda, int nnz, const T *xVal, const int *xInd, const T *beta, T *y,           \
      cusparseIndexBase_t base, void *) {                                                          \
    return gemvi(handle, transA, m, n, native(alpha), native(A), lda, nnz, native(xVal), xInd,     \
                 native(beta), native(y), base);                                                   \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##bsrmv(                                               \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int mb,       \
      int nb, int nnzb, const T *alpha, const cusparseMatDescr_t descrA, const T *bsrValA,         \
      const int *bsrRowPtrA, const int *bsrColIndA, int blockDim, const T *x, const T *beta,       \
      T *y) {                                                                                      \
    HEDDLE_CHECK_GENERAL(handle, descrA);                                                          \
    HEDDLE_REQUIRE(isDirection(dirA) && mb >= 0 && nb >= 0 && nnzb >= 0 && blockDim > 0,           \
                   INVALID_VALUE);                                                                 \
    using Native = std::remove_cvref_t<decltype(*native(y))>;                                      \
    return multiplyVector(handle, transA, native(alpha),                                           \
                          bsrMatrix(dirA, mb, nb, blockDim, blockDim, bsrRowPtrA, bsrColIndA,      \
                                    descrA->base, bsrValA, TypeOf<Native>),                        \
                          native(x), native(beta), native(y));                                     \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##bsrxmv(                                              \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,               \
      int sizeOfMask, int mb, int nb, int nnzb, const T *alpha, const cusparseMatDescr_t descrA,   \
      const T *bsrValA, const int *bsrMaskPtrA, const int *bsrRowPtrA, const int *bsrEndPtrA,      \
      const int *bsrColIndA, int blockDim, const T *x, const T *beta, T *y) {                      \
    HEDDLE_CHECK_GENERAL(handle, descrA);                                                          \
    HEDDLE_REQUIRE(isDirection(dirA) && sizeOfMask >= 0 && mb >= 0 && nb >= 0 && nnzb >= 0 &&      \
                       blockDim > 0 && alpha && beta,                                              \
                   INVALID_VALUE);                                                                 \
    HEDDLE_REQUIRE(transA == CUSPARSE_OPERATION_NON_TRANSPOSE, NOT_SUPPORTED);                     \
    return multiplyMasked(handle, dirA, sizeOfMask, native(alpha), native(bsrValA), bsrMaskPtrA,   \
                          bsrRowPtrA, bsrEndPtrA, bsrColIndA, blockDim, descrA->base, native(x),   \
                          native(beta), native(y));                                                \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##bsrmm(                                               \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,               \
      cusparseOperation_t transB, int mb, int n, int kb, int nnzb, const T *alpha,                 \
      const cusparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA,                    \
      const int *bsrColIndA, int blockSize, const T *B, int ldb, const T *beta, T *C, int ldc) {   \
    HEDDLE_CHECK_GENERAL(handle, descrA);                                                          \
    HEDDLE_REQUIRE(isDirection(dirA) && mb >= 0 && kb >= 0 && nnzb >= 0 && blockSize > 0,          \
                   INVALID_VALUE);                                                                 \
    using Native = std::remove_cvref_t<decltype(*native(C))>;                                      \
    return multiplyMatrix(handle, transA, transB, n, native(alpha),                                \
                          bsrMatrix(dirA, mb, kb, blockSize, blockSize, bsrRowPtrA, bsrColIndA,    \
                                    descrA->base, bsrValA, TypeOf<Native>),                        \
                          native(B), ldb, native(beta), native(C), ldc);                           \
  }                                                                                                \
  HEDDLE_SYSTEM_SIZES(p, T, , int)                                                                 \
  HEDDLE_SYSTEM_SIZES(p, T, Ext, size_t)                                                           \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##bsrsv2_analysis(                                     \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int mb,       \
      int nnzb, const cusparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA,          \
      const int *bsrColIndA, int blockDim, bsrsv2Info_t info, cusparseSolvePolicy_t, void *) {     \
    using Native = std::remove_cvref_t<decltype(*native(bsrValA))>;                                \
    return analyseSystem<Native>(handle, dirA, transA, mb, nnzb, descrA, bsrRowPtrA, bsrColIndA,   \
                                 blockDim, info);                                                  \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##bsrsv2_solve(                                        \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int mb,       \
      int nnzb, const T *alpha, const cusparseMatDescr_t descrA, const T *bsrValA, const int *,    \
      const int *, int blockDim, bsrsv2Info_t info, const T *f, T *x, cusparseSolvePolicy_t,       \
      void *) {                                                                                    \
    return solveSystem(handle, dirA, transA, mb, nnzb, native(alpha), descrA, native(bsrValA),     \
                       blockDim, info,                                                             \
                       [from = native(f), to = native(x)](const auto &triangle, auto factor) {     \
                         solve(triangle, factor, from, to);                                        \
                       });                                                                         \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##bsrsm2_analysis(                                     \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,               \
      cusparseOperation_t transXY, int mb, int n, int nnzb, const cusparseMatDescr_t descrA,       \
      const T *bsrVal, const int *bsrRowPtr, const int *bsrColInd, int blockSize,                  \
      bsrsm2Info_t info, cusparseSolvePolicy_t, void *) {                                          \
    using Native = std::remove_cvref_t<decltype(*native(bsrVal))>;                                 \
    return analyseSystem<Native>(handle, dirA, transA, mb, nnzb, descrA, bsrRowPtr, bsrColInd,     \
                                 blockSize, info);                                                 \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##bsrsm2_solve(                                        \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,               \
      cusparseOperation_t transXY, int mb, int n, int nnzb, const T *alpha,                        \
      const cusparseMatDescr_t descrA, const T *bsrVal, const int *, const int *, int blockSize,   \
      bsrsm2Info_t info, const T *B, int ldb, T *X, int ldx, cusparseSolvePolicy_t, void *) {      \
    bool straight = transXY == CUSPARSE_OPERATION_NON_TRANSPOSE;                                   \
    HEDDLE_REQUIRE(handle, NOT_INITIALIZED);                                                       \
    HEDDLE_REQUIRE(n >= 0 && isOperation(transXY), INVALID_VALUE);                                 \
    HEDDLE_REQUIRE(transXY != CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, NOT_SUPPORTED);              \
    return solveSystem(                                                                            \
        handle, dirA, transA, mb, nnzb, native(alpha), descrA, native(bsrVal), blockSize, info,    \
        [=, from = native(B), to = native(X)](const auto &triangle, auto factor) {                 \
          solveSides(triangle, factor, from, straight ? 1 : ldb, straight ? ldb : 1, to,           \
                     straight ? 1 : ldx, straight ? ldx : 1, n);                                   \
        });                                                                                        \
  }
HEDDLE_FOUR_TYPES(HEDDLE_BLOCKS)
