// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = alpha op(A) op(B) + beta C with A sparse (cuSPARSE, "cusparseSpMM()").
//
// A row of C is a sum of rows of B, which lie one after the other (dense.h), so that the inner loop
// is over columns and is a multiplication of vectors. A matrix whose lines are op(A)'s columns is
// turned first, which costs as much as one column of B.
#include "sparse/dense.h"
#include "sparse/handle.h"
#include "sparse/lines.h"
#include "sparse/product_types.h"

using namespace heddle::sparse;
using namespace heddle::library;

namespace {

constexpr int64_t Columns = 256; ///< of C that are summed at a time: they stay in the first cache

/// sums[0..count) += factor * row[0..count)
template <typename C> void addRow(C *sums, C factor, const C *row, int64_t count) {
  for (int64_t j = 0; j < count; ++j)
    sums[j] += factor * row[j];
}

template <typename C, typename T>
void updateRow(const Strided<T> &c, int64_t row, int64_t column, const C *sums, int64_t count,
               C alpha, C beta) {
  for (int64_t j = 0; j < count; ++j) {
    T &element = c.at(row, column + j);
    store(element, beta == C(0) ? alpha * sums[j] : alpha * sums[j] + beta * load<C>(element));
  }
}

/// The product for lines that are op(A)'s rows.
template <typename C, typename L, typename A, typename T>
void multiplyRows(const L &lines, const A *values, bool conjugated, const ByRows<C> &b,
                  const Strided<T> &c, C alpha, C beta) {
  int64_t grain = 1 + 32768 / (b.cols + 1);
  parallelLines(lines, grain, [&](int64_t first, int64_t last) {
    C sums[Columns];
    for (int64_t row = first; row < last; ++row)
      for (int64_t column = 0; column < c.cols; column += Columns) {
        int64_t count = std::min(Columns, c.cols - column);
        std::fill_n(sums, count, C(0));
        for (int64_t k = lines.begin(row), end = lines.end(row); k < end; ++k) {
          C factor = load<C>(values[k]);
          addRow(sums, conjugated ? conjugate(factor) : factor, b.row(lines.index(k)) + column,
                 count);
        }
        updateRow(c, row, column, sums, count, alpha, beta);
      }
  });
}

template <typename A, typename C, typename T>
void multiply(const cusparseSpMatDescr &matrix, cusparseOperation_t opA, const ByRows<C> &b,
              const Strided<T> &c, C alpha, C beta) {
  bool conjugated = opA == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
  withLines(matrix, [&](const auto &lines) {
    if (lines.byColumns == (opA != CUSPARSE_OPERATION_NON_TRANSPOSE)) {
      ValuesInOrder<A> values(lines, matrix.values);
      return multiplyRows(lines, values.get(), conjugated, b, c, alpha, beta);
    }
    OwnLines own = turned(lines);
    ValuesInOrder<A> values(own.view(), matrix.values);
    multiplyRows(own.view(), values.get(), conjugated, b, c, alpha, beta);
  });
}

struct Call {
  cusparseOperation_t opA, opB;
  cusparseSpMatDescr a;
  cusparseDnMatDescr b, c;
};

template <typename A, typename X, typename Y, typename C>
void multiplyBatch(const Call &call, C alpha, C beta) {
  bool conjugated = call.opB == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
  for (int i = 0; i < call.c.batches; ++i) {
    ByRows<C> b(strided<const X>(inBatch(call.b, i), call.opB), conjugated);
    multiply<A>(inBatch(call.a, i), call.opA, b, strided<Y>(inBatch(call.c, i)), alpha, beta);
  }
}

cusparseStatus_t check(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                       const void *alpha, cusparseConstSpMatDescr_t matA,
                       cusparseConstDnMatDescr_t matB, const void *beta, cusparseDnMatDescr_t matC,
                       cudaDataType computeType) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(alpha && matA && matB && beta && matC, INVALID_VALUE);
  HEDDLE_REQUIRE(isOperation(opA) && isOperation(opB), INVALID_VALUE);
  bool transposed = opA != CUSPARSE_OPERATION_NON_TRANSPOSE;
  HEDDLE_REQUIRE((transposed ? matA->cols : matA->rows) == matC->rows &&
                     (transposed ? matA->rows : matA->cols) == rowsOf(*matB, opB) &&
                     colsOf(*matB, opB) == matC->cols,
                 INVALID_VALUE);
  // One matrix A or B may serve the whole batch.
  HEDDLE_REQUIRE((matA->batches == 1 || matA->batches == matC->batches) &&
                     (matB->batches == 1 || matB->batches == matC->batches),
                 INVALID_VALUE);
  HEDDLE_REQUIRE(matA->format != CUSPARSE_FORMAT_SLICED_ELLPACK, NOT_SUPPORTED);
  bool known =
      withProduct(matA->type, matB->type, matC->type, computeType, [](auto, auto, auto, auto) {});
  HEDDLE_REQUIRE(known, NOT_SUPPORTED);
  return CUSPARSE_STATUS_SUCCESS;
}

} // namespace

HEDDLE_EXPORT cusparseStatus_t
cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                        const void *alpha, cusparseConstSpMatDescr_t matA,
                        cusparseConstDnMatDescr_t matB, const void *beta, cusparseDnMatDescr_t matC,
                        cudaDataType computeType, cusparseSpMMAlg_t alg, size_t *bufferSize) {
  cusparseStatus_t status = check(handle, opA, opB, alpha, matA, matB, beta, matC, computeType);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  HEDDLE_REQUIRE(bufferSize, INVALID_VALUE);
  *bufferSize = 0;
  return CUSPARSE_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusparseStatus_t cusparseSpMM_preprocess(
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
    cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB, const void *beta,
    cusparseDnMatDescr_t matC, cudaDataType computeType, cusparseSpMMAlg_t alg, void *buffer) {
  return check(handle, opA, opB, alpha, matA, matB, beta, matC, computeType);
}

HEDDLE_EXPORT cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t opA,
                                            cusparseOperation_t opB, const void *alpha,
                                            cusparseConstSpMatDescr_t matA,
                                            cusparseConstDnMatDescr_t matB, const void *beta,
                                            cusparseDnMatDescr_t matC, cudaDataType computeType,
                                            cusparseSpMMAlg_t alg, void *buffer) {
  cusparseStatus_t status = check(handle, opA, opB, alpha, matA, matB, beta, matC, computeType);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  Call call{opA, opB, *matA, *matB, *matC};
  withProduct(
      matA->type, matB->type, matC->type, computeType,
      [&]<typename A, typename X, typename Y, typename C>(Type<A>, Type<X>, Type<Y>, Type<C>) {
        status = inStream(handle, [call, a = scalar(handle, alpha, computeType),
                                   b = scalar(handle, beta, computeType)] {
          multiplyBatch<A, X, Y>(call, a.template get<C>(), b.template get<C>());
        });
      });
  return status;
}
