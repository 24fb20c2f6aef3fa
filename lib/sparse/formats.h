// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions by format and type share: their arguments as descriptors of the generic kind,
// and the lists of the types that they exist in. Their buffers are not used.
#pragma once

#include "sparse/handle.h"
#include "sparse/lines.h"

namespace heddle::sparse {

/// The values of the four types as std::complex, which loops are written for.
inline float *native(float *p) { return p; }
inline double *native(double *p) { return p; }
inline ComplexFloat *native(cuComplex *p) { return reinterpret_cast<ComplexFloat *>(p); }
inline ComplexDouble *native(cuDoubleComplex *p) { return reinterpret_cast<ComplexDouble *>(p); }
inline const float *native(const float *p) { return p; }
inline const double *native(const double *p) { return p; }
inline const ComplexFloat *native(const cuComplex *p) {
  return reinterpret_cast<const ComplexFloat *>(p);
}
inline const ComplexDouble *native(const cuDoubleComplex *p) {
  return reinterpret_cast<const ComplexDouble *>(p);
}

template <typename T> inline constexpr cudaDataType TypeOf = CUDA_R_32F;
template <> inline constexpr cudaDataType TypeOf<double> = CUDA_R_64F;
template <> inline constexpr cudaDataType TypeOf<ComplexFloat> = CUDA_C_32F;
template <> inline constexpr cudaDataType TypeOf<ComplexDouble> = CUDA_C_64F;
template <> inline constexpr cudaDataType TypeOf<__half> = CUDA_R_16F;

/// Calls X(letter, type) for the four types.
#define HEDDLE_FOUR_TYPES(X) X(S, float) X(D, double) X(C, cuComplex) X(Z, cuDoubleComplex)

/// CSR arrays as a matrix of the generic functions.
inline cusparseSpMatDescr csrMatrix(int64_t rows, int64_t cols, const int *offsets,
                                    const int *indices, cusparseIndexBase_t base,
                                    const void *values = nullptr, cudaDataType type = CUDA_R_32F,
                                    int64_t nnz = 0) {
  return {CUSPARSE_FORMAT_CSR,
          rows,
          cols,
          nnz,
          const_cast<int *>(offsets),
          const_cast<int *>(indices),
          const_cast<void *>(values),
          CUSPARSE_INDEX_32I,
          CUSPARSE_INDEX_32I,
          base,
          type};
}

/// Rows of blocks: mb x nb of them, high x wide elements each, whose order is the direction.
inline cusparseSpMatDescr bsrMatrix(cusparseDirection_t direction, int mb, int nb, int high,
                                    int wide, const int *offsets, const int *indices,
                                    cusparseIndexBase_t base, const void *values = nullptr,
                                    cudaDataType type = CUDA_R_32F) {
  cusparseSpMatDescr matrix =
      csrMatrix(int64_t(mb) * high, int64_t(nb) * wide, offsets, indices, base, values, type);
  matrix.format = CUSPARSE_FORMAT_BSR;
  matrix.blockRows = high, matrix.blockCols = wide;
  matrix.blockOrder = direction == CUSPARSE_DIRECTION_ROW ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
  return matrix;
}

inline bool isDirection(cusparseDirection_t direction) {
  return direction == CUSPARSE_DIRECTION_ROW || direction == CUSPARSE_DIRECTION_COLUMN;
}

/// Only general matrices; the functions read the index base of a descriptor and no more.
inline cusparseStatus_t checkGeneral(cusparseHandle_t handle, const cusparseMatDescr *descr) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(descr, INVALID_VALUE);
  HEDDLE_REQUIRE(descr->type == CUSPARSE_MATRIX_TYPE_GENERAL, MATRIX_TYPE_NOT_SUPPORTED);
  return CUSPARSE_STATUS_SUCCESS;
}

#define HEDDLE_CHECK_GENERAL(handle, descr)                                                        \
  if (cusparseStatus_t status = checkGeneral(handle, descr); status != CUSPARSE_STATUS_SUCCESS)    \
  return status

/// The answer of all functions that tell the size of a buffer: some bytes, so that it is no null
/// pointer.
template <typename S>
cusparseStatus_t tellBuffer(cusparseHandle_t handle, bool valid, S *bufferSize) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(valid && bufferSize, INVALID_VALUE);
  *bufferSize = 16;
  return CUSPARSE_STATUS_SUCCESS;
}

} // namespace heddle::sparse
