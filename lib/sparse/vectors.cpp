// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors of vectors and of dense matrices (cuSPARSE, "Generic APIs Reference").
#include "sparse/descriptors.h"
#include "sparse/handle.h"

using namespace heddle::sparse;

namespace {

template <typename D>
cusparseStatus_t createSpVec(D **vector, int64_t size, int64_t nnz, const void *indices,
                             const void *values, cusparseIndexType_t indexType,
                             cusparseIndexBase_t base, cudaDataType type) {
  HEDDLE_REQUIRE(vector && size >= 0 && nnz >= 0 && nnz <= size, INVALID_VALUE);
  HEDDLE_REQUIRE(isIndex(indexType) && isBase(base) && sizeOfType(type), INVALID_VALUE);
  *vector = new cusparseSpVecDescr{
      size, nnz, const_cast<void *>(indices), const_cast<void *>(values), indexType, base, type};
  return CUSPARSE_STATUS_SUCCESS;
}

template <typename P>
cusparseStatus_t getSpVec(const cusparseSpVecDescr *vector, int64_t *size, int64_t *nnz,
                          P **indices, P **values, cusparseIndexType_t *indexType,
                          cusparseIndexBase_t *base, cudaDataType *type) {
  HEDDLE_REQUIRE(vector, INVALID_VALUE);
  give(size, vector->size), give(nnz, vector->nnz);
  give(indices, vector->indices), give(values, vector->values);
  give(indexType, vector->indexType), give(base, vector->base), give(type, vector->type);
  return CUSPARSE_STATUS_SUCCESS;
}

template <typename D>
cusparseStatus_t createDnVec(D **vector, int64_t size, const void *values, cudaDataType type) {
  HEDDLE_REQUIRE(vector && size >= 0 && sizeOfType(type), INVALID_VALUE);
  *vector = new cusparseDnVecDescr{size, const_cast<void *>(values), type};
  return CUSPARSE_STATUS_SUCCESS;
}

template <typename P>
cusparseStatus_t getDnVec(const cusparseDnVecDescr *vector, int64_t *size, P **values,
                          cudaDataType *type) {
  HEDDLE_REQUIRE(vector, INVALID_VALUE);
  give(size, vector->size), give(values, vector->values), give(type, vector->type);
  return CUSPARSE_STATUS_SUCCESS;
}

template <typename D>
cusparseStatus_t createDnMat(D **matrix, int64_t rows, int64_t cols, int64_t ld, const void *values,
                             cudaDataType type, cusparseOrder_t order) {
  HEDDLE_REQUIRE(matrix && rows >= 0 && cols >= 0 && sizeOfType(type), INVALID_VALUE);
  HEDDLE_REQUIRE(order == CUSPARSE_ORDER_COL || order == CUSPARSE_ORDER_ROW, INVALID_VALUE);
  HEDDLE_REQUIRE(ld >= (order == CUSPARSE_ORDER_COL ? rows : cols), INVALID_VALUE);
  *matrix = new cusparseDnMatDescr{rows, cols, ld, const_cast<void *>(values), type, order};
  return CUSPARSE_STATUS_SUCCESS;
}

template <typename P>
cusparseStatus_t getDnMat(const cusparseDnMatDescr *matrix, int64_t *rows, int64_t *cols,
                          int64_t *ld, P **values, cudaDataType *type, cusparseOrder_t *order) {
  HEDDLE_REQUIRE(matrix, INVALID_VALUE);
  give(rows, matrix->rows), give(cols, matrix->cols), give(ld, matrix->ld);
  give(values, matrix->values), give(type, matrix->type), give(order, matrix->order);
  return CUSPARSE_STATUS_SUCCESS;
}

template <typename D, typename P> cusparseStatus_t getValues(const D *object, P **values) {
  HEDDLE_REQUIRE(object && values, INVALID_VALUE);
  *values = object->values;
  return CUSPARSE_STATUS_SUCCESS;
}

template <typename D> cusparseStatus_t setValues(D *object, void *values) {
  HEDDLE_REQUIRE(object && values, INVALID_VALUE);
  object->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}

template <typename D> cusparseStatus_t destroy(const D *object) {
  delete object;
  return CUSPARSE_STATUS_SUCCESS;
}

} // namespace

// Sparse vectors
HEDDLE_EXPORT cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *vector, int64_t size,
                                                   int64_t nnz, void *indices, void *values,
                                                   cusparseIndexType_t indexType,
                                                   cusparseIndexBase_t base,
                                                   cudaDataType valueType) {
  return createSpVec(vector, size, nnz, indices, values, indexType, base, valueType);
}
HEDDLE_EXPORT cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t *vector,
                                                        int64_t size, int64_t nnz,
                                                        const void *indices, const void *values,
                                                        cusparseIndexType_t indexType,
                                                        cusparseIndexBase_t base,
                                                        cudaDataType valueType) {
  return createSpVec(vector, size, nnz, indices, values, indexType, base, valueType);
}
HEDDLE_EXPORT cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t vector) {
  return destroy(vector);
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t vector, int64_t *size,
                                                int64_t *nnz, void **indices, void **values,
                                                cusparseIndexType_t *indexType,
                                                cusparseIndexBase_t *base,
                                                cudaDataType *valueType) {
  return getSpVec(vector, size, nnz, indices, values, indexType, base, valueType);
}
HEDDLE_EXPORT cusparseStatus_t cusparseConstSpVecGet(cusparseConstSpVecDescr_t vector,
                                                     int64_t *size, int64_t *nnz,
                                                     const void **indices, const void **values,
                                                     cusparseIndexType_t *indexType,
                                                     cusparseIndexBase_t *base,
                                                     cudaDataType *valueType) {
  return getSpVec(vector, size, nnz, indices, values, indexType, base, valueType);
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t vector,
                                                         cusparseIndexBase_t *base) {
  HEDDLE_REQUIRE(vector && base, INVALID_VALUE);
  *base = vector->base;
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t vector, void **values) {
  return getValues(vector, values);
}
HEDDLE_EXPORT cusparseStatus_t cusparseConstSpVecGetValues(cusparseConstSpVecDescr_t vector,
                                                           const void **values) {
  return getValues(vector, values);
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t vector, void *values) {
  return setValues(vector, values);
}

// Dense vectors
HEDDLE_EXPORT cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *vector, int64_t size,
                                                   void *values, cudaDataType valueType) {
  return createDnVec(vector, size, values, valueType);
}
HEDDLE_EXPORT cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *vector,
                                                        int64_t size, const void *values,
                                                        cudaDataType valueType) {
  return createDnVec(vector, size, values, valueType);
}
HEDDLE_EXPORT cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector) {
  return destroy(vector);
}
HEDDLE_EXPORT cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t vector, int64_t *size,
                                                void **values, cudaDataType *valueType) {
  return getDnVec(vector, size, values, valueType);
}
HEDDLE_EXPORT cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t vector,
                                                     int64_t *size, const void **values,
                                                     cudaDataType *valueType) {
  return getDnVec(vector, size, values, valueType);
}
HEDDLE_EXPORT cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t vector, void **values) {
  return getValues(vector, values);
}
HEDDLE_EXPORT cusparseStatus_t cusparseConstDnVecGetValues(cusparseConstDnVecDescr_t vector,
                                                           const void **values) {
  return getValues(vector, values);
}
HEDDLE_EXPORT cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vector, void *values) {
  return setValues(vector, values);
}

// Dense matrices
HEDDLE_EXPORT cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *matrix, int64_t rows,
                                                   int64_t cols, int64_t ld, void *values,
                                                   cudaDataType valueType, cusparseOrder_t order) {
  return createDnMat(matrix, rows, cols, ld, values, valueType, order);
}
HEDDLE_EXPORT cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *matrix,
                                                        int64_t rows, int64_t cols, int64_t ld,
                                                        const void *values, cudaDataType valueType,
                                                        cusparseOrder_t order) {
  return createDnMat(matrix, rows, cols, ld, values, valueType, order);
}
HEDDLE_EXPORT cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix) {
  return destroy(matrix);
}
HEDDLE_EXPORT cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t matrix, int64_t *rows,
                                                int64_t *cols, int64_t *ld, void **values,
                                                cudaDataType *type, cusparseOrder_t *order) {
  return getDnMat(matrix, rows, cols, ld, values, type, order);
}
HEDDLE_EXPORT cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t matrix,
                                                     int64_t *rows, int64_t *cols, int64_t *ld,
                                                     const void **values, cudaDataType *type,
                                                     cusparseOrder_t *order) {
  return getDnMat(matrix, rows, cols, ld, values, type, order);
}
HEDDLE_EXPORT cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t matrix, void **values) {
  return getValues(matrix, values);
}
HEDDLE_EXPORT cusparseStatus_t cusparseConstDnMatGetValues(cusparseConstDnMatDescr_t matrix,
                                                           const void **values) {
  return getValues(matrix, values);
}
HEDDLE_EXPORT cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t matrix, void *values) {
  return setValues(matrix, values);
}
HEDDLE_EXPORT cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t matrix,
                                                            int batchCount, int64_t batchStride) {
  HEDDLE_REQUIRE(matrix && batchCount > 0, INVALID_VALUE);
  // A stride of 0 is one matrix for the whole batch.
  int64_t columns = matrix->order == CUSPARSE_ORDER_COL ? matrix->cols : matrix->rows;
  HEDDLE_REQUIRE(batchStride == 0 || batchStride >= columns * matrix->ld, INVALID_VALUE);
  matrix->batches = batchCount, matrix->batchStride = batchStride;
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t matrix,
                                                            int *batchCount, int64_t *batchStride) {
  HEDDLE_REQUIRE(matrix && batchCount && batchStride, INVALID_VALUE);
  *batchCount = matrix->batches, *batchStride = matrix->batchStride;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseDnMatDescr heddle::sparse::inBatch(const cusparseDnMatDescr &matrix, int batch) {
  cusparseDnMatDescr one = matrix;
  if (matrix.batches > 1)
    one.values = static_cast<char *>(one.values) +
                 batch * matrix.batchStride * static_cast<int64_t>(sizeOfType(matrix.type));
  return one;
}
