// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = alpha op(A) x + beta y (cuSPARSE, "cusparseSpMV()").
//
// Where op(A)'s rows are the matrix's lines, each element of y is a product of a line and x, and
// threads share the lines. Where its columns are, each line adds to all of y: a thread adds to a
// vector of its own, and the vectors are added up at the end; threads are worth that only if the
// matrix has many more elements than y.
#include "sparse/descriptors.h"
#include "sparse/handle.h"
#include "sparse/lines.h"
#include "sparse/product_types.h"

using namespace heddle::sparse;
using namespace heddle::library;

namespace {

constexpr int64_t Grain = 16384; ///< elements that a thread should have

template <bool Conjugate, typename C, typename A> C factorOf(const A &value) {
  C factor = load<C>(value);
  return Conjugate ? conjugate(factor) : factor;
}

/// alpha sum + beta y; y is not read if beta is zero.
template <typename C, typename Y> void update(Y &y, C alpha, C sum, C beta) {
  store(y, beta == C(0) ? alpha * sum : alpha * sum + beta * load<C>(y));
}

template <bool Conjugate, typename C, typename L, typename A, typename X>
C lineTimes(const L &lines, int64_t line, const A *values, const X *x) {
#pragma clang fp reassociate(on)
  C sum(0);
  const auto *indices = lines.indices;
  const X *shifted = x - lines.base;
  for (int64_t k = lines.begin(line), end = lines.end(line); k < end; ++k)
    sum += factorOf<Conjugate, C>(values[k]) * load<C>(shifted[indices[k]]);
  return sum;
}

template <bool Conjugate, typename C, typename L, typename A, typename X, typename Y>
void multiplyRows(const L &lines, const A *values, const X *x, Y *y, C alpha, C beta) {
  parallelLines(lines, Grain, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row)
      update(y[row], alpha, lineTimes<Conjugate, C>(lines, row, values, x), beta);
  });
}

template <bool Conjugate, typename C, typename L, typename A, typename X, typename Y>
void multiplyColumns(const L &lines, const A *values, const X *x, Y *y, C alpha, C beta) {
  int parts = partsOf(lines.elements() / 4, std::max(Grain, lines.width));
  std::vector<C> sums(parts * lines.width);
  parallelParts(parts, [&](int part) {
    C *own = sums.data() + part * lines.width;
    int64_t last = part + 1 == parts ? lines.count : firstLineOf(lines, part + 1, parts);
    for (int64_t line = firstLineOf(lines, part, parts); line < last; ++line) {
      C factor = load<C>(x[line]);
      for (int64_t k = lines.begin(line); k < lines.end(line); ++k)
        own[lines.index(k)] += factorOf<Conjugate, C>(values[k]) * factor;
    }
  });
  parallelFor(lines.width, Grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      C sum = sums[i];
      for (int part = 1; part < parts; ++part)
        sum += sums[part * lines.width + i];
      update(y[i], alpha, sum, beta);
    }
  });
}

template <bool Conjugate, typename A, typename X, typename Y, typename C>
void multiply(const cusparseSpMatDescr &matrix, bool transposed, const X *x, Y *y, C alpha,
              C beta) {
  withLines(matrix, [&](const auto &lines) {
    ValuesInOrder<A> values(lines, matrix.values);
    if (lines.byColumns == transposed)
      multiplyRows<Conjugate>(lines, values.get(), x, y, alpha, beta);
    else
      multiplyColumns<Conjugate>(lines, values.get(), x, y, alpha, beta);
  });
}

cusparseStatus_t check(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
                       cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                       const void *beta, cusparseDnVecDescr_t vecY, cudaDataType computeType) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(alpha && matA && vecX && beta && vecY && isOperation(opA), INVALID_VALUE);
  bool transposed = opA != CUSPARSE_OPERATION_NON_TRANSPOSE;
  HEDDLE_REQUIRE(vecX->size == (transposed ? matA->rows : matA->cols) &&
                     vecY->size == (transposed ? matA->cols : matA->rows),
                 INVALID_VALUE);
  HEDDLE_REQUIRE(matA->format != CUSPARSE_FORMAT_BLOCKED_ELL, NOT_SUPPORTED);
  bool known =
      withProduct(matA->type, vecX->type, vecY->type, computeType, [](auto, auto, auto, auto) {});
  HEDDLE_REQUIRE(known, NOT_SUPPORTED);
  return CUSPARSE_STATUS_SUCCESS;
}

} // namespace

HEDDLE_EXPORT cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle,
                                                       cusparseOperation_t opA, const void *alpha,
                                                       cusparseConstSpMatDescr_t matA,
                                                       cusparseConstDnVecDescr_t vecX,
                                                       const void *beta, cusparseDnVecDescr_t vecY,
                                                       cudaDataType computeType,
                                                       cusparseSpMVAlg_t alg, size_t *bufferSize) {
  cusparseStatus_t status = check(handle, opA, alpha, matA, vecX, beta, vecY, computeType);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  HEDDLE_REQUIRE(bufferSize, INVALID_VALUE);
  *bufferSize = 0;
  return CUSPARSE_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusparseStatus_t cusparseSpMV_preprocess(
    cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
    cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX, const void *beta,
    cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpMVAlg_t alg, void *buffer) {
  return check(handle, opA, alpha, matA, vecX, beta, vecY, computeType);
}

HEDDLE_EXPORT cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t opA,
                                            const void *alpha, cusparseConstSpMatDescr_t matA,
                                            cusparseConstDnVecDescr_t vecX, const void *beta,
                                            cusparseDnVecDescr_t vecY, cudaDataType computeType,
                                            cusparseSpMVAlg_t alg, void *buffer) {
  cusparseStatus_t status = check(handle, opA, alpha, matA, vecX, beta, vecY, computeType);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  withProduct(
      matA->type, vecX->type, vecY->type, computeType,
      [&]<typename A, typename X, typename Y, typename C>(Type<A>, Type<X>, Type<Y>, Type<C>) {
        auto work = [opA, matrix = *matA, x = static_cast<const X *>(vecX->values),
                     y = static_cast<Y *>(vecY->values), a = scalar(handle, alpha, computeType),
                     b = scalar(handle, beta, computeType)] {
          bool transposed = opA != CUSPARSE_OPERATION_NON_TRANSPOSE;
          C alpha = a.template get<C>(), beta = b.template get<C>();
          if constexpr (isComplexElement<A>)
            if (opA == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
              return multiply<true, A>(matrix, transposed, x, y, alpha, beta);
          multiply<false, A>(matrix, transposed, x, y, alpha, beta);
        };
        status = inStream(handle, work);
      });
  return status;
}
