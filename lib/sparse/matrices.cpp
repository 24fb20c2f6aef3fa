// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors of sparse matrices (cuSPARSE, "Sparse Matrix APIs").
#include "sparse/descriptors.h"
#include "sparse/handle.h"

using namespace heddle::sparse;

namespace {

/// Checks what all formats have and hands the descriptor over.
template <typename D> cusparseStatus_t create(D **matrix, const cusparseSpMatDescr &descriptor) {
  HEDDLE_REQUIRE(matrix && descriptor.rows >= 0 && descriptor.cols >= 0 && descriptor.nnz >= 0,
                 INVALID_VALUE);
  HEDDLE_REQUIRE(isIndex(descriptor.offsetType) && isIndex(descriptor.indexType) &&
                     isBase(descriptor.base) && sizeOfType(descriptor.type),
                 INVALID_VALUE);
  *matrix = new cusparseSpMatDescr(descriptor);
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseSpMatDescr describe(cusparseFormat_t format, int64_t rows, int64_t cols, int64_t nnz,
                            const void *offsets, const void *indices, const void *values,
                            cusparseIndexType_t offsetType, cusparseIndexType_t indexType,
                            cusparseIndexBase_t base, cudaDataType type) {
  return {format,
          rows,
          cols,
          nnz,
          const_cast<void *>(offsets),
          const_cast<void *>(indices),
          const_cast<void *>(values),
          offsetType,
          indexType,
          base,
          type};
}

template <typename D>
cusparseStatus_t createBsr(D **matrix, int64_t blockRows, int64_t blockCols, int64_t blockNnz,
                           int64_t rowBlockSize, int64_t colBlockSize, const void *offsets,
                           const void *indices, const void *values, cusparseIndexType_t offsetType,
                           cusparseIndexType_t indexType, cusparseIndexBase_t base,
                           cudaDataType type, cusparseOrder_t order) {
  HEDDLE_REQUIRE(rowBlockSize > 0 && colBlockSize > 0, INVALID_VALUE);
  HEDDLE_REQUIRE(order == CUSPARSE_ORDER_COL || order == CUSPARSE_ORDER_ROW, INVALID_VALUE);
  cusparseSpMatDescr bsr =
      describe(CUSPARSE_FORMAT_BSR, blockRows * rowBlockSize, blockCols * colBlockSize,
               blockNnz * rowBlockSize * colBlockSize, offsets, indices, values, offsetType,
               indexType, base, type);
  bsr.blockRows = rowBlockSize, bsr.blockCols = colBlockSize, bsr.blockOrder = order;
  return create(matrix, bsr);
}

template <typename D>
cusparseStatus_t createBlockedEll(D **matrix, int64_t rows, int64_t cols, int64_t blockSize,
                                  int64_t ellCols, const void *indices, const void *values,
                                  cusparseIndexType_t indexType, cusparseIndexBase_t base,
                                  cudaDataType type) {
  HEDDLE_REQUIRE(blockSize > 0 && ellCols >= 0 && ellCols <= cols, INVALID_VALUE);
  HEDDLE_REQUIRE(rows % blockSize == 0 && ellCols % blockSize == 0, INVALID_VALUE);
  cusparseSpMatDescr ell = describe(CUSPARSE_FORMAT_BLOCKED_ELL, rows, cols, rows * ellCols,
                                    nullptr, indices, values, indexType, indexType, base, type);
  ell.blockRows = ell.blockCols = blockSize, ell.ellCols = ellCols;
  return create(matrix, ell);
}

template <typename D>
cusparseStatus_t createSlicedEll(D **matrix, int64_t rows, int64_t cols, int64_t nnz,
                                 int64_t valuesSize, int64_t sliceSize, const void *offsets,
                                 const void *indices, const void *values,
                                 cusparseIndexType_t offsetType, cusparseIndexType_t indexType,
                                 cusparseIndexBase_t base, cudaDataType type) {
  HEDDLE_REQUIRE(sliceSize > 0 && valuesSize >= nnz, INVALID_VALUE);
  cusparseSpMatDescr ell = describe(CUSPARSE_FORMAT_SLICED_ELLPACK, rows, cols, nnz, offsets,
                                    indices, values, offsetType, indexType, base, type);
  ell.sliceSize = sliceSize, ell.valuesSize = valuesSize;
  return create(matrix, ell);
}

template <typename P>
cusparseStatus_t getCompressed(cusparseFormat_t format, const cusparseSpMatDescr *matrix,
                               int64_t *rows, int64_t *cols, int64_t *nnz, P **offsets, P **indices,
                               P **values, cusparseIndexType_t *offsetType,
                               cusparseIndexType_t *indexType, cusparseIndexBase_t *base,
                               cudaDataType *type) {
  HEDDLE_REQUIRE(matrix && matrix->format == format, INVALID_VALUE);
  give(rows, matrix->rows), give(cols, matrix->cols), give(nnz, matrix->nnz);
  give(offsets, matrix->offsets), give(indices, matrix->indices), give(values, matrix->values);
  give(offsetType, matrix->offsetType), give(indexType, matrix->indexType);
  give(base, matrix->base), give(type, matrix->type);
  return CUSPARSE_STATUS_SUCCESS;
}

template <typename P>
cusparseStatus_t getBlockedEll(const cusparseSpMatDescr *matrix, int64_t *rows, int64_t *cols,
                               int64_t *blockSize, int64_t *ellCols, P **indices, P **values,
                               cusparseIndexType_t *indexType, cusparseIndexBase_t *base,
                               cudaDataType *type) {
  HEDDLE_REQUIRE(matrix && matrix->format == CUSPARSE_FORMAT_BLOCKED_ELL, INVALID_VALUE);
  give(rows, matrix->rows), give(cols, matrix->cols);
  give(blockSize, matrix->blockRows), give(ellCols, matrix->ellCols);
  give(indices, matrix->indices), give(values, matrix->values);
  give(indexType, matrix->indexType), give(base, matrix->base), give(type, matrix->type);
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t setPointers(cusparseFormat_t format, cusparseSpMatDescr *matrix, void *offsets,
                             void *indices, void *values) {
  HEDDLE_REQUIRE(matrix && matrix->format == format && offsets, INVALID_VALUE);
  HEDDLE_REQUIRE((indices && values) || matrix->nnz == 0, INVALID_VALUE);
  matrix->offsets = offsets, matrix->indices = indices, matrix->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t setBatch(cusparseFormat_t format, cusparseSpMatDescr *matrix, int batches,
                          int64_t offsetsStride, int64_t indicesStride, int64_t valuesStride) {
  HEDDLE_REQUIRE(matrix && matrix->format == format && batches > 0, INVALID_VALUE);
  HEDDLE_REQUIRE(offsetsStride >= 0 && indicesStride >= 0 && valuesStride >= 0, INVALID_VALUE);
  matrix->batches = batches, matrix->offsetsStride = offsetsStride;
  matrix->indicesStride = indicesStride, matrix->valuesStride = valuesStride;
  return CUSPARSE_STATUS_SUCCESS;
}

void *moved(void *pointer, int64_t elements, size_t size) {
  return pointer ? static_cast<char *>(pointer) + elements * static_cast<int64_t>(size) : nullptr;
}

} // namespace

cusparseSpMatDescr heddle::sparse::inBatch(const cusparseSpMatDescr &matrix, int batch) {
  cusparseSpMatDescr one = matrix;
  if (matrix.batches == 1)
    return one;
  one.offsets = moved(one.offsets, batch * matrix.offsetsStride, sizeOfIndex(matrix.offsetType));
  one.indices = moved(one.indices, batch * matrix.indicesStride, sizeOfIndex(matrix.indexType));
  one.values = moved(one.values, batch * matrix.valuesStride, sizeOfType(matrix.type));
  return one;
}

// What all formats have
HEDDLE_EXPORT cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix) {
  delete matrix;
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t matrix,
                                                      cusparseFormat_t *format) {
  HEDDLE_REQUIRE(matrix && format, INVALID_VALUE);
  *format = matrix->format;
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t matrix,
                                                         cusparseIndexBase_t *base) {
  HEDDLE_REQUIRE(matrix && base, INVALID_VALUE);
  *base = matrix->base;
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t matrix, void **values) {
  HEDDLE_REQUIRE(matrix && values, INVALID_VALUE);
  *values = matrix->values;
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseConstSpMatGetValues(cusparseConstSpMatDescr_t matrix,
                                                           const void **values) {
  HEDDLE_REQUIRE(matrix && values, INVALID_VALUE);
  *values = matrix->values;
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t matrix, void *values) {
  HEDDLE_REQUIRE(matrix && values, INVALID_VALUE);
  matrix->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix, int64_t *rows,
                                                    int64_t *cols, int64_t *nnz) {
  HEDDLE_REQUIRE(matrix && rows && cols && nnz, INVALID_VALUE);
  *rows = matrix->rows, *cols = matrix->cols, *nnz = matrix->nnz;
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpMatSetStridedBatch(cusparseSpMatDescr_t matrix,
                                                            int batchCount) {
  HEDDLE_REQUIRE(matrix && batchCount > 0, INVALID_VALUE);
  matrix->batches = batchCount;
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t matrix,
                                                            int *batchCount) {
  HEDDLE_REQUIRE(matrix && batchCount, INVALID_VALUE);
  *batchCount = matrix->batches;
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t matrix,
                                                          int batchCount, int64_t batchStride) {
  return setBatch(CUSPARSE_FORMAT_COO, matrix, batchCount, batchStride, batchStride, batchStride);
}
HEDDLE_EXPORT cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t matrix,
                                                          int batchCount,
                                                          int64_t offsetsBatchStride,
                                                          int64_t columnsValuesBatchStride) {
  return setBatch(CUSPARSE_FORMAT_CSR, matrix, batchCount, offsetsBatchStride,
                  columnsValuesBatchStride, columnsValuesBatchStride);
}
HEDDLE_EXPORT cusparseStatus_t cusparseBsrSetStridedBatch(cusparseSpMatDescr_t matrix,
                                                          int batchCount,
                                                          int64_t offsetsBatchStride,
                                                          int64_t columnsBatchStride,
                                                          int64_t valuesBatchStride) {
  return setBatch(CUSPARSE_FORMAT_BSR, matrix, batchCount, offsetsBatchStride, columnsBatchStride,
                  valuesBatchStride);
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t matrix,
                                                         cusparseSpMatAttribute_t attribute,
                                                         void *data, size_t dataSize) {
  HEDDLE_REQUIRE(matrix && data && dataSize == sizeof(int), INVALID_VALUE);
  if (attribute == CUSPARSE_SPMAT_FILL_MODE)
    *static_cast<cusparseFillMode_t *>(data) = matrix->fill;
  else if (attribute == CUSPARSE_SPMAT_DIAG_TYPE)
    *static_cast<cusparseDiagType_t *>(data) = matrix->diagonal;
  else
    return CUSPARSE_STATUS_INVALID_VALUE;
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t matrix,
                                                         cusparseSpMatAttribute_t attribute,
                                                         void *data, size_t dataSize) {
  HEDDLE_REQUIRE(matrix && data && dataSize == sizeof(int), INVALID_VALUE);
  int value = *static_cast<const int *>(data);
  HEDDLE_REQUIRE(value == 0 || value == 1, INVALID_VALUE);
  if (attribute == CUSPARSE_SPMAT_FILL_MODE)
    matrix->fill = static_cast<cusparseFillMode_t>(value);
  else if (attribute == CUSPARSE_SPMAT_DIAG_TYPE)
    matrix->diagonal = static_cast<cusparseDiagType_t>(value);
  else
    return CUSPARSE_STATUS_INVALID_VALUE;
  return CUSPARSE_STATUS_SUCCESS;
}

/// The functions of CSR and of CSC, which differ in what is compressed.
#define HEDDLE_COMPRESSED(Name, FORMAT)                                                            \
  HEDDLE_EXPORT cusparseStatus_t cusparseCreate##Name(                                             \
      cusparseSpMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t nnz, void *offsets,        \
      void *indices, void *values, cusparseIndexType_t offsetsType,                                \
      cusparseIndexType_t indicesType, cusparseIndexBase_t base, cudaDataType valueType) {         \
    return create(matrix, describe(FORMAT, rows, cols, nnz, offsets, indices, values, offsetsType, \
                                   indicesType, base, valueType));                                 \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparseCreateConst##Name(                                        \
      cusparseConstSpMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t nnz,                  \
      const void *offsets, const void *indices, const void *values,                                \
      cusparseIndexType_t offsetsType, cusparseIndexType_t indicesType, cusparseIndexBase_t base,  \
      cudaDataType valueType) {                                                                    \
    return create(matrix, describe(FORMAT, rows, cols, nnz, offsets, indices, values, offsetsType, \
                                   indicesType, base, valueType));                                 \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##Name##Get(                                              \
      cusparseSpMatDescr_t matrix, int64_t *rows, int64_t *cols, int64_t *nnz, void **offsets,     \
      void **indices, void **values, cusparseIndexType_t *offsetsType,                             \
      cusparseIndexType_t *indicesType, cusparseIndexBase_t *base, cudaDataType *valueType) {      \
    return getCompressed(FORMAT, matrix, rows, cols, nnz, offsets, indices, values, offsetsType,   \
                         indicesType, base, valueType);                                            \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparseConst##Name##Get(                                         \
      cusparseConstSpMatDescr_t matrix, int64_t *rows, int64_t *cols, int64_t *nnz,                \
      const void **offsets, const void **indices, const void **values,                             \
      cusparseIndexType_t *offsetsType, cusparseIndexType_t *indicesType,                          \
      cusparseIndexBase_t *base, cudaDataType *valueType) {                                        \
    return getCompressed(FORMAT, matrix, rows, cols, nnz, offsets, indices, values, offsetsType,   \
                         indicesType, base, valueType);                                            \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##Name##SetPointers(                                      \
      cusparseSpMatDescr_t matrix, void *offsets, void *indices, void *values) {                   \
    return setPointers(FORMAT, matrix, offsets, indices, values);                                  \
  }
HEDDLE_COMPRESSED(Csr, CUSPARSE_FORMAT_CSR)
HEDDLE_COMPRESSED(Csc, CUSPARSE_FORMAT_CSC)

// COO
HEDDLE_EXPORT cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *matrix, int64_t rows,
                                                 int64_t cols, int64_t nnz, void *rowInd,
                                                 void *colInd, void *values,
                                                 cusparseIndexType_t indexType,
                                                 cusparseIndexBase_t base, cudaDataType valueType) {
  return create(matrix, describe(CUSPARSE_FORMAT_COO, rows, cols, nnz, rowInd, colInd, values,
                                 indexType, indexType, base, valueType));
}
HEDDLE_EXPORT cusparseStatus_t cusparseCreateConstCoo(
    cusparseConstSpMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t nnz, const void *rowInd,
    const void *colInd, const void *values, cusparseIndexType_t indexType, cusparseIndexBase_t base,
    cudaDataType valueType) {
  return create(matrix, describe(CUSPARSE_FORMAT_COO, rows, cols, nnz, rowInd, colInd, values,
                                 indexType, indexType, base, valueType));
}
HEDDLE_EXPORT cusparseStatus_t cusparseCooGet(cusparseSpMatDescr_t matrix, int64_t *rows,
                                              int64_t *cols, int64_t *nnz, void **rowInd,
                                              void **colInd, void **values,
                                              cusparseIndexType_t *indexType,
                                              cusparseIndexBase_t *base, cudaDataType *valueType) {
  return getCompressed(CUSPARSE_FORMAT_COO, matrix, rows, cols, nnz, rowInd, colInd, values,
                       indexType, nullptr, base, valueType);
}
HEDDLE_EXPORT cusparseStatus_t cusparseConstCooGet(cusparseConstSpMatDescr_t matrix, int64_t *rows,
                                                   int64_t *cols, int64_t *nnz, const void **rowInd,
                                                   const void **colInd, const void **values,
                                                   cusparseIndexType_t *indexType,
                                                   cusparseIndexBase_t *base,
                                                   cudaDataType *valueType) {
  return getCompressed(CUSPARSE_FORMAT_COO, matrix, rows, cols, nnz, rowInd, colInd, values,
                       indexType, nullptr, base, valueType);
}
HEDDLE_EXPORT cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t matrix, void *rowInd,
                                                      void *colInd, void *values) {
  return setPointers(CUSPARSE_FORMAT_COO, matrix, rowInd, colInd, values);
}

// Blocks
HEDDLE_EXPORT cusparseStatus_t cusparseCreateBsr(
    cusparseSpMatDescr_t *matrix, int64_t blockRows, int64_t blockCols, int64_t blockNnz,
    int64_t rowBlockSize, int64_t colBlockSize, void *rowOffsets, void *colInd, void *values,
    cusparseIndexType_t offsetsType, cusparseIndexType_t colIndType, cusparseIndexBase_t base,
    cudaDataType valueType, cusparseOrder_t order) {
  return createBsr(matrix, blockRows, blockCols, blockNnz, rowBlockSize, colBlockSize, rowOffsets,
                   colInd, values, offsetsType, colIndType, base, valueType, order);
}
HEDDLE_EXPORT cusparseStatus_t cusparseCreateConstBsr(
    cusparseConstSpMatDescr_t *matrix, int64_t blockRows, int64_t blockCols, int64_t blockNnz,
    int64_t rowBlockSize, int64_t colBlockSize, const void *rowOffsets, const void *colInd,
    const void *values, cusparseIndexType_t offsetsType, cusparseIndexType_t colIndType,
    cusparseIndexBase_t base, cudaDataType valueType, cusparseOrder_t order) {
  return createBsr(matrix, blockRows, blockCols, blockNnz, rowBlockSize, colBlockSize, rowOffsets,
                   colInd, values, offsetsType, colIndType, base, valueType, order);
}
HEDDLE_EXPORT cusparseStatus_t cusparseCreateBlockedEll(cusparseSpMatDescr_t *matrix, int64_t rows,
                                                        int64_t cols, int64_t blockSize,
                                                        int64_t ellCols, void *colInd, void *values,
                                                        cusparseIndexType_t indexType,
                                                        cusparseIndexBase_t base,
                                                        cudaDataType valueType) {
  return createBlockedEll(matrix, rows, cols, blockSize, ellCols, colInd, values, indexType, base,
                          valueType);
}
HEDDLE_EXPORT cusparseStatus_t cusparseCreateConstBlockedEll(
    cusparseConstSpMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t blockSize,
    int64_t ellCols, const void *colInd, const void *values, cusparseIndexType_t indexType,
    cusparseIndexBase_t base, cudaDataType valueType) {
  return createBlockedEll(matrix, rows, cols, blockSize, ellCols, colInd, values, indexType, base,
                          valueType);
}
HEDDLE_EXPORT cusparseStatus_t cusparseBlockedEllGet(cusparseSpMatDescr_t matrix, int64_t *rows,
                                                     int64_t *cols, int64_t *blockSize,
                                                     int64_t *ellCols, void **colInd, void **values,
                                                     cusparseIndexType_t *indexType,
                                                     cusparseIndexBase_t *base,
                                                     cudaDataType *valueType) {
  return getBlockedEll(matrix, rows, cols, blockSize, ellCols, colInd, values, indexType, base,
                       valueType);
}
HEDDLE_EXPORT cusparseStatus_t cusparseConstBlockedEllGet(
    cusparseConstSpMatDescr_t matrix, int64_t *rows, int64_t *cols, int64_t *blockSize,
    int64_t *ellCols, const void **colInd, const void **values, cusparseIndexType_t *indexType,
    cusparseIndexBase_t *base, cudaDataType *valueType) {
  return getBlockedEll(matrix, rows, cols, blockSize, ellCols, colInd, values, indexType, base,
                       valueType);
}
HEDDLE_EXPORT cusparseStatus_t cusparseCreateSlicedEll(
    cusparseSpMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t nnz, int64_t valuesSize,
    int64_t sliceSize, void *sliceOffsets, void *colInd, void *values,
    cusparseIndexType_t offsetsType, cusparseIndexType_t colIndType, cusparseIndexBase_t base,
    cudaDataType valueType) {
  return createSlicedEll(matrix, rows, cols, nnz, valuesSize, sliceSize, sliceOffsets, colInd,
                         values, offsetsType, colIndType, base, valueType);
}
HEDDLE_EXPORT cusparseStatus_t cusparseCreateConstSlicedEll(
    cusparseConstSpMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t nnz, int64_t valuesSize,
    int64_t sliceSize, const void *sliceOffsets, const void *colInd, const void *values,
    cusparseIndexType_t offsetsType, cusparseIndexType_t colIndType, cusparseIndexBase_t base,
    cudaDataType valueType) {
  return createSlicedEll(matrix, rows, cols, nnz, valuesSize, sliceSize, sliceOffsets, colInd,
                         values, offsetsType, colIndType, base, valueType);
}
