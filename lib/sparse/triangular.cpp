// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Triangular systems with one and with several right sides (cuSPARSE, "cusparseSpSV()",
// "cusparseSpSM()"). The analysis copies what it needs of the matrix, its values too: later values
// come by updateMatrix, as documented.
#include "sparse/dense.h"
#include "sparse/handle.h"
#include "sparse/triangle.h"

#include <memory>

using namespace heddle::sparse;
using namespace heddle::library;

/// Work in the stream holds the triangle too, so that the descriptor may be destroyed behind a
/// call.
struct cusparseSpSVDescr {
  std::shared_ptr<TriangleShape> triangle;
  cudaDataType type = CUDA_R_32F;
  cusparseOperation_t operation = CUSPARSE_OPERATION_NON_TRANSPOSE;
};
struct cusparseSpSMDescr : cusparseSpSVDescr {};

namespace {

/// A triangle of the type whose shape the pointer has.
template <typename C> Triangle<C> &triangleOf(const std::shared_ptr<TriangleShape> &shape) {
  return static_cast<Triangle<C> &>(*shape);
}

cusparseStatus_t checkMatrix(cusparseConstSpMatDescr_t matA, cudaDataType computeType) {
  HEDDLE_REQUIRE(matA->rows == matA->cols, INVALID_VALUE);
  HEDDLE_REQUIRE(matA->format == CUSPARSE_FORMAT_CSR || matA->format == CUSPARSE_FORMAT_CSC ||
                     matA->format == CUSPARSE_FORMAT_COO ||
                     matA->format == CUSPARSE_FORMAT_SLICED_ELLPACK,
                 NOT_SUPPORTED);
  HEDDLE_REQUIRE(matA->type == computeType && withFloat(computeType, [](auto) {}), NOT_SUPPORTED);
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t checkVectors(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
                              cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                              cusparseConstDnVecDescr_t vecY, cudaDataType computeType,
                              const void *descr) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isOperation(opA) && alpha && matA && vecX && vecY && descr, INVALID_VALUE);
  HEDDLE_REQUIRE(vecX->size == matA->rows && vecY->size == matA->rows, INVALID_VALUE);
  HEDDLE_REQUIRE(vecX->type == computeType && vecY->type == computeType, NOT_SUPPORTED);
  return checkMatrix(matA, computeType);
}

cusparseStatus_t checkMatrices(cusparseHandle_t handle, cusparseOperation_t opA,
                               cusparseOperation_t opB, const void *alpha,
                               cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                               cusparseConstDnMatDescr_t matC, cudaDataType computeType,
                               const void *descr) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isOperation(opA) && isOperation(opB) && alpha && matA && matB && matC && descr,
                 INVALID_VALUE);
  HEDDLE_REQUIRE(rowsOf(*matB, opB) == matA->rows && matC->rows == matA->rows &&
                     colsOf(*matB, opB) == matC->cols,
                 INVALID_VALUE);
  HEDDLE_REQUIRE(opB != CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, NOT_SUPPORTED);
  HEDDLE_REQUIRE(matB->type == computeType && matC->type == computeType, NOT_SUPPORTED);
  return checkMatrix(matA, computeType);
}

cusparseStatus_t analyseInStream(cusparseHandle_t handle, cusparseOperation_t opA,
                                 cusparseConstSpMatDescr_t matA, cusparseSpSVDescr *descr) {
  cusparseStatus_t status = CUSPARSE_STATUS_NOT_SUPPORTED;
  withFloat(matA->type, [&]<typename C>(Type<C>) {
    auto triangle = std::make_shared<Triangle<C>>();
    descr->triangle = triangle, descr->type = matA->type, descr->operation = opA;
    status = inStream(handle, [opA, triangle, matrix = *matA] {
      analyse(*triangle, matrix, opA != CUSPARSE_OPERATION_NON_TRANSPOSE);
      takeValues(*triangle, static_cast<const C *>(matrix.values),
                 opA == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE);
    });
  });
  return status;
}

cusparseStatus_t update(cusparseHandle_t handle, cusparseSpSVDescr *descr, const void *newValues,
                        bool onlyDiagonal) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(descr && descr->triangle && newValues, INVALID_VALUE);
  cusparseStatus_t status = CUSPARSE_STATUS_NOT_SUPPORTED;
  bool conjugated = descr->operation == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
  withFloat(descr->type, [&]<typename C>(Type<C>) {
    status = inStream(handle, [=, shape = descr->triangle] {
      Triangle<C> &triangle = triangleOf<C>(shape);
      const C *values = static_cast<const C *>(newValues);
      if (!onlyDiagonal)
        return takeValues(triangle, values, conjugated);
      for (int64_t i = 0; i < triangle.count; ++i)
        triangle.diagonal[i] = conjugated ? conjugate(values[i]) : values[i];
    });
  });
  return status;
}

/// Blocks of right sides, one a thread: gathered by rows, solved, and written.
template <typename C>
void solveMatrix(const Triangle<C> &triangle, C alpha, const Strided<const C> &b,
                 const Strided<C> &c) {
  constexpr int64_t Block = 16;
  parallelFor((b.cols + Block - 1) / Block, 1, [&](int64_t begin, int64_t end) {
    std::vector<C> x;
    for (int64_t first = begin * Block; first < std::min(b.cols, end * Block); first += Block) {
      int64_t columns = std::min(Block, b.cols - first);
      x.resize(triangle.count * columns);
      for (int64_t i = 0; i < triangle.count; ++i)
        for (int64_t j = 0; j < columns; ++j)
          x[i * columns + j] = alpha * b.at(i, first + j);
      solveColumns(triangle, x.data(), columns);
      for (int64_t i = 0; i < triangle.count; ++i)
        for (int64_t j = 0; j < columns; ++j)
          c.at(i, first + j) = x[i * columns + j];
    }
  });
}

/// For the functions that tell a buffer's size: one that is no null pointer when it is allocated.
cusparseStatus_t tell(cusparseStatus_t status, size_t *bufferSize) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  HEDDLE_REQUIRE(bufferSize, INVALID_VALUE);
  *bufferSize = 16;
  return CUSPARSE_STATUS_SUCCESS;
}

template <typename D> cusparseStatus_t createDescr(D **descr) {
  HEDDLE_REQUIRE(descr, INVALID_VALUE);
  *descr = new D;
  return CUSPARSE_STATUS_SUCCESS;
}

} // namespace

HEDDLE_EXPORT cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *descr) {
  return createDescr(descr);
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr) {
  delete descr;
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t
cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
                        cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                        cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpSVAlg_t alg,
                        cusparseSpSVDescr_t descr, size_t *bufferSize) {
  return tell(checkVectors(handle, opA, alpha, matA, vecX, vecY, computeType, descr), bufferSize);
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpSV_analysis(
    cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
    cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX, cusparseDnVecDescr_t vecY,
    cudaDataType computeType, cusparseSpSVAlg_t alg, cusparseSpSVDescr_t descr, void *buffer) {
  cusparseStatus_t status = checkVectors(handle, opA, alpha, matA, vecX, vecY, computeType, descr);
  return status == CUSPARSE_STATUS_SUCCESS ? analyseInStream(handle, opA, matA, descr) : status;
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t opA,
                                                  const void *alpha, cusparseConstSpMatDescr_t matA,
                                                  cusparseConstDnVecDescr_t vecX,
                                                  cusparseDnVecDescr_t vecY,
                                                  cudaDataType computeType, cusparseSpSVAlg_t alg,
                                                  cusparseSpSVDescr_t descr) {
  cusparseStatus_t status = checkVectors(handle, opA, alpha, matA, vecX, vecY, computeType, descr);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  HEDDLE_REQUIRE(descr->triangle && descr->type == computeType && descr->operation == opA,
                 INVALID_VALUE);
  withFloat(computeType, [&]<typename C>(Type<C>) {
    status = inStream(handle, [shape = descr->triangle, a = scalar(handle, alpha, computeType),
                               x = static_cast<const C *>(vecX->values),
                               y = static_cast<C *>(vecY->values)] {
      solve(triangleOf<C>(shape), a.template get<C>(), x, y);
    });
  });
  return status;
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpSV_updateMatrix(cusparseHandle_t handle,
                                                         cusparseSpSVDescr_t descr, void *newValues,
                                                         cusparseSpSVUpdate_t part) {
  return update(handle, descr, newValues, part == CUSPARSE_SPSV_UPDATE_DIAGONAL);
}

HEDDLE_EXPORT cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *descr) {
  return createDescr(descr);
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descr) {
  delete descr;
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpSM_bufferSize(
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
    cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC,
    cudaDataType computeType, cusparseSpSMAlg_t alg, cusparseSpSMDescr_t descr,
    size_t *bufferSize) {
  return tell(checkMatrices(handle, opA, opB, alpha, matA, matB, matC, computeType, descr),
              bufferSize);
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpSM_analysis(
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
    cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC,
    cudaDataType computeType, cusparseSpSMAlg_t alg, cusparseSpSMDescr_t descr, void *buffer) {
  cusparseStatus_t status =
      checkMatrices(handle, opA, opB, alpha, matA, matB, matC, computeType, descr);
  return status == CUSPARSE_STATUS_SUCCESS ? analyseInStream(handle, opA, matA, descr) : status;
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpSM_solve(
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
    cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC,
    cudaDataType computeType, cusparseSpSMAlg_t alg, cusparseSpSMDescr_t descr) {
  cusparseStatus_t status =
      checkMatrices(handle, opA, opB, alpha, matA, matB, matC, computeType, descr);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  HEDDLE_REQUIRE(descr->triangle && descr->type == computeType && descr->operation == opA,
                 INVALID_VALUE);
  withFloat(computeType, [&]<typename C>(Type<C>) {
    status = inStream(handle, [opB, shape = descr->triangle, b = *matB, c = *matC,
                               a = scalar(handle, alpha, computeType)] {
      solveMatrix(triangleOf<C>(shape), a.template get<C>(), strided<const C>(b, opB),
                  strided<C>(c));
    });
  });
  return status;
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpSM_updateMatrix(cusparseHandle_t handle,
                                                         cusparseSpSMDescr_t descr, void *newValues,
                                                         cusparseSpSMUpdate_t part) {
  return update(handle, descr, newValues, part == CUSPARSE_SPSM_UPDATE_DIAGONAL);
}
