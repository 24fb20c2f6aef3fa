// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = alpha (op(A) op(B)) * spy(C) + beta C with C sparse (cuSPARSE, "cusparseSDDMM()"): for each
// element that C has, the product of a row of op(A) and a column of op(B), which both lie
// contiguously (dense.h).
#include "sparse/dense.h"
#include "sparse/handle.h"
#include "sparse/lines.h"
#include "sparse/product_types.h"

using namespace heddle::sparse;
using namespace heddle::library;

namespace {

struct Call {
  cusparseOperation_t opA, opB;
  cusparseDnMatDescr a, b;
  cusparseSpMatDescr c;
};

/// The same elements with rows and columns exchanged.
cusparseOperation_t flipped(cusparseOperation_t operation) {
  return operation == CUSPARSE_OPERATION_NON_TRANSPOSE ? CUSPARSE_OPERATION_TRANSPOSE
                                                       : CUSPARSE_OPERATION_NON_TRANSPOSE;
}

template <typename C> C product(const C *x, const C *y, int64_t count) {
#pragma clang fp reassociate(on)
  C sum(0);
  for (int64_t k = 0; k < count; ++k)
    sum += x[k] * y[k];
  return sum;
}

template <typename T, typename C>
void sample(const cusparseSpMatDescr &matrix, const ByRows<C> &a, const ByRows<C> &b, C alpha,
            C beta) {
  T *values = static_cast<T *>(matrix.values);
  withLines(matrix, [&](const auto &lines) {
    parallelLines(lines, 1 + 16384 / (a.cols + 1), [&](int64_t first, int64_t last) {
      for (int64_t line = first; line < last; ++line)
        for (int64_t k = lines.begin(line); k < lines.end(line); ++k) {
          int64_t row = lines.byColumns ? lines.index(k) : line;
          int64_t column = lines.byColumns ? line : lines.index(k);
          C sum = alpha * product(a.row(row), b.row(column), a.cols);
          T &element = values[lines.place(k)];
          store(element, beta == C(0) ? sum : sum + beta * load<C>(element));
        }
    });
  });
}

template <typename A, typename B, typename T, typename C>
void sampleBatch(const Call &call, C alpha, C beta) {
  for (int i = 0; i < call.c.batches; ++i) {
    ByRows<C> a(strided<const A>(inBatch(call.a, i), call.opA),
                call.opA == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE);
    ByRows<C> b(strided<const B>(inBatch(call.b, i), flipped(call.opB)),
                call.opB == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE);
    sample<T>(inBatch(call.c, i), a, b, alpha, beta);
  }
}

cusparseStatus_t check(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                       const void *alpha, cusparseConstDnMatDescr_t matA,
                       cusparseConstDnMatDescr_t matB, const void *beta, cusparseSpMatDescr_t matC,
                       cudaDataType computeType) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(alpha && matA && matB && beta && matC, INVALID_VALUE);
  HEDDLE_REQUIRE(isOperation(opA) && isOperation(opB), INVALID_VALUE);
  HEDDLE_REQUIRE(rowsOf(*matA, opA) == matC->rows && colsOf(*matB, opB) == matC->cols &&
                     colsOf(*matA, opA) == rowsOf(*matB, opB),
                 INVALID_VALUE);
  HEDDLE_REQUIRE((matA->batches == 1 || matA->batches == matC->batches) &&
                     (matB->batches == 1 || matB->batches == matC->batches),
                 INVALID_VALUE);
  HEDDLE_REQUIRE(matC->format == CUSPARSE_FORMAT_CSR || matC->format == CUSPARSE_FORMAT_BSR,
                 NOT_SUPPORTED);
  bool known =
      withProduct(matA->type, matB->type, matC->type, computeType, [](auto, auto, auto, auto) {});
  HEDDLE_REQUIRE(known, NOT_SUPPORTED);
  return CUSPARSE_STATUS_SUCCESS;
}

} // namespace

HEDDLE_EXPORT cusparseStatus_t cusparseSDDMM_bufferSize(
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
    cusparseConstDnMatDescr_t matA, cusparseConstDnMatDescr_t matB, const void *beta,
    cusparseSpMatDescr_t matC, cudaDataType computeType, cusparseSDDMMAlg_t alg,
    size_t *bufferSize) {
  cusparseStatus_t status = check(handle, opA, opB, alpha, matA, matB, beta, matC, computeType);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  HEDDLE_REQUIRE(bufferSize, INVALID_VALUE);
  *bufferSize = 0;
  return CUSPARSE_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusparseStatus_t cusparseSDDMM_preprocess(
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
    cusparseConstDnMatDescr_t matA, cusparseConstDnMatDescr_t matB, const void *beta,
    cusparseSpMatDescr_t matC, cudaDataType computeType, cusparseSDDMMAlg_t alg, void *buffer) {
  return check(handle, opA, opB, alpha, matA, matB, beta, matC, computeType);
}

HEDDLE_EXPORT cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t opA,
                                             cusparseOperation_t opB, const void *alpha,
                                             cusparseConstDnMatDescr_t matA,
                                             cusparseConstDnMatDescr_t matB, const void *beta,
                                             cusparseSpMatDescr_t matC, cudaDataType computeType,
                                             cusparseSDDMMAlg_t alg, void *buffer) {
  cusparseStatus_t status = check(handle, opA, opB, alpha, matA, matB, beta, matC, computeType);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  Call call{opA, opB, *matA, *matB, *matC};
  withProduct(
      matA->type, matB->type, matC->type, computeType,
      [&]<typename A, typename B, typename T, typename C>(Type<A>, Type<B>, Type<T>, Type<C>) {
        status = inStream(handle, [call, a = scalar(handle, alpha, computeType),
                                   b = scalar(handle, beta, computeType)] {
          sampleBatch<A, B, T>(call, a.template get<C>(), b.template get<C>());
        });
      });
  return status;
}
