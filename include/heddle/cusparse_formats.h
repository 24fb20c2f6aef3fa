// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSPARSE's functions by format and type: conversions, sorting, incomplete factors, systems of few
// diagonals, block rows. What exists in several types is declared once, as a list of functions of a
// letter and a type.
#ifndef HEDDLE_CUSPARSE_FORMATS_H
#define HEDDLE_CUSPARSE_FORMATS_H

#if defined(__cplusplus)
extern "C" {
#endif

struct csrilu02Info;
struct bsrilu02Info;
struct csric02Info;
struct bsric02Info;
struct bsrsv2Info;
struct bsrsm2Info;
struct csru2csrInfo;
struct cusparseColorInfo;
struct pruneInfo;
typedef struct csrilu02Info *csrilu02Info_t;
typedef struct bsrilu02Info *bsrilu02Info_t;
typedef struct csric02Info *csric02Info_t;
typedef struct bsric02Info *bsric02Info_t;
typedef struct bsrsv2Info *bsrsv2Info_t;
typedef struct bsrsm2Info *bsrsm2Info_t;
typedef struct csru2csrInfo *csru2csrInfo_t;
typedef struct cusparseColorInfo *cusparseColorInfo_t;
typedef struct pruneInfo *pruneInfo_t;

cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t *info);
cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info);
cusparseStatus_t cusparseCreateBsrilu02Info(bsrilu02Info_t *info);
cusparseStatus_t cusparseDestroyBsrilu02Info(bsrilu02Info_t info);
cusparseStatus_t cusparseCreateCsric02Info(csric02Info_t *info);
cusparseStatus_t cusparseDestroyCsric02Info(csric02Info_t info);
cusparseStatus_t cusparseCreateBsric02Info(bsric02Info_t *info);
cusparseStatus_t cusparseDestroyBsric02Info(bsric02Info_t info);
cusparseStatus_t cusparseCreateBsrsv2Info(bsrsv2Info_t *info);
cusparseStatus_t cusparseDestroyBsrsv2Info(bsrsv2Info_t info);
cusparseStatus_t cusparseCreateBsrsm2Info(bsrsm2Info_t *info);
cusparseStatus_t cusparseDestroyBsrsm2Info(bsrsm2Info_t info);
cusparseStatus_t cusparseCreateCsru2csrInfo(csru2csrInfo_t *info);
cusparseStatus_t cusparseDestroyCsru2csrInfo(csru2csrInfo_t info);
cusparseStatus_t cusparseCreateColorInfo(cusparseColorInfo_t *info);
cusparseStatus_t cusparseDestroyColorInfo(cusparseColorInfo_t info);
cusparseStatus_t cusparseCreatePruneInfo(pruneInfo_t *info);
cusparseStatus_t cusparseDestroyPruneInfo(pruneInfo_t info);

// Where a factor or a system had no pivot: the first such row, or -1. Waits for the work before.
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info,
                                             int *position);
cusparseStatus_t cusparseXbsrilu02_zeroPivot(cusparseHandle_t handle, bsrilu02Info_t info,
                                             int *position);
cusparseStatus_t cusparseXcsric02_zeroPivot(cusparseHandle_t handle, csric02Info_t info,
                                            int *position);
cusparseStatus_t cusparseXbsric02_zeroPivot(cusparseHandle_t handle, bsric02Info_t info,
                                            int *position);
cusparseStatus_t cusparseXbsrsv2_zeroPivot(cusparseHandle_t handle, bsrsv2Info_t info,
                                           int *position);
cusparseStatus_t cusparseXbsrsm2_zeroPivot(cusparseHandle_t handle, bsrsm2Info_t info,
                                           int *position);

// Conversions and sorting of indices
cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *cooRowInd, int nnz, int m,
                                  int *csrRowPtr, cusparseIndexBase_t base);
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *csrRowPtr, int nnz, int m,
                                  int *cooRowInd, cusparseIndexBase_t base);
cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *p);
cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                const int *cooRows, const int *cooCols,
                                                size_t *bufferSize);
cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz, int *cooRows,
                                       int *cooCols, int *p, void *buffer);
cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nnz,
                                          int *cooRows, int *cooCols, int *p, void *buffer);
cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                const int *csrRowPtr, const int *csrColInd,
                                                size_t *bufferSize);
cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz,
                                  const cusparseMatDescr_t descrA, const int *csrRowPtr,
                                  int *csrColInd, int *p, void *buffer);
cusparseStatus_t cusparseXcscsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                const int *cscColPtr, const int *cscRowInd,
                                                size_t *bufferSize);
cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int m, int n, int nnz,
                                  const cusparseMatDescr_t descrA, const int *cscColPtr,
                                  int *cscRowInd, int *p, void *buffer);
cusparseStatus_t cusparseXcsr2bsrNnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m,
                                     int n, const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                     const int *csrColIndA, int blockDim,
                                     const cusparseMatDescr_t descrC, int *bsrRowPtrC,
                                     int *nnzTotalDevHostPtr);
cusparseStatus_t cusparseXcsr2gebsrNnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m,
                                       int n, const cusparseMatDescr_t descrA,
                                       const int *csrRowPtrA, const int *csrColIndA,
                                       const cusparseMatDescr_t descrC, int *bsrRowPtrC,
                                       int rowBlockDim, int colBlockDim, int *nnzTotalDevHostPtr,
                                       void *buffer);
cusparseStatus_t cusparseXgebsr2gebsrNnz(
    cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb, int nnzb,
    const cusparseMatDescr_t descrA, const int *bsrRowPtrA, const int *bsrColIndA, int rowBlockDimA,
    int colBlockDimA, const cusparseMatDescr_t descrC, int *bsrRowPtrC, int rowBlockDimC,
    int colBlockDimC, int *nnzTotalDevHostPtr, void *buffer);
cusparseStatus_t cusparseXgebsr2csr(cusparseHandle_t handle, cusparseDirection_t dirA, int mb,
                                    int nb, const cusparseMatDescr_t descrA, const int *bsrRowPtrA,
                                    const int *bsrColIndA, int rowBlockDim, int colBlockDim,
                                    const cusparseMatDescr_t descrC, int *csrRowPtrC,
                                    int *csrColIndC);
cusparseStatus_t cusparseXcsrgeam2Nnz(cusparseHandle_t handle, int m, int n,
                                      const cusparseMatDescr_t descrA, int nnzA,
                                      const int *csrRowPtrA, const int *csrColIndA,
                                      const cusparseMatDescr_t descrB, int nnzB,
                                      const int *csrRowPtrB, const int *csrColIndB,
                                      const cusparseMatDescr_t descrC, int *csrRowPtrC,
                                      int *nnzTotalDevHostPtr, void *workspace);
cusparseStatus_t cusparseCsr2cscEx2_bufferSize(
    cusparseHandle_t handle, int m, int n, int nnz, const void *csrVal, const int *csrRowPtr,
    const int *csrColInd, void *cscVal, int *cscColPtr, int *cscRowInd, cudaDataType valType,
    cusparseAction_t copyValues, cusparseIndexBase_t base, cusparseCsr2CscAlg_t alg,
    size_t *bufferSize);
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz,
                                    const void *csrVal, const int *csrRowPtr, const int *csrColInd,
                                    void *cscVal, int *cscColPtr, int *cscRowInd,
                                    cudaDataType valType, cusparseAction_t copyValues,
                                    cusparseIndexBase_t base, cusparseCsr2CscAlg_t alg,
                                    void *buffer);

// In the types S, D, C, Z: dense vectors and block rows times something, sums, incomplete factors.
#define HEDDLE_DECLARE(p, T, R)                                                                    \
  cusparseStatus_t cusparse##p##gemvi_bufferSize(                                                  \
      cusparseHandle_t handle, cusparseOperation_t transA, int m, int n, int nnz, int *bufferSize); \
  cusparseStatus_t cusparse##p##gemvi(cusparseHandle_t handle, cusparseOperation_t transA, int m,  \
                                      int n, const T *alpha, const T *A, int lda, int nnz,         \
                                      const T *xVal, const int *xInd, const T *beta, T *y,         \
                                      cusparseIndexBase_t base, void *buffer);                     \
  cusparseStatus_t cusparse##p##bsrmv(                                                             \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int mb,       \
      int nb, int nnzb, const T *alpha, const cusparseMatDescr_t descrA, const T *bsrValA,         \
      const int *bsrRowPtrA, const int *bsrColIndA, int blockDim, const T *x, const T *beta,       \
      T *y);                                                                                       \
  cusparseStatus_t cusparse##p##bsrxmv(                                                            \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,               \
      int sizeOfMask, int mb, int nb, int nnzb, const T *alpha, const cusparseMatDescr_t descrA,   \
      const T *bsrValA, const int *bsrMaskPtrA, const int *bsrRowPtrA, const int *bsrEndPtrA,      \
      const int *bsrColIndA, int blockDim, const T *x, const T *beta, T *y);                       \
  cusparseStatus_t cusparse##p##bsrmm(                                                             \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,               \
      cusparseOperation_t transB, int mb, int n, int kb, int nnzb, const T *alpha,                 \
      const cusparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA,                    \
      const int *bsrColIndA, int blockSize, const T *B, int ldb, const T *beta, T *C, int ldc);    \
  cusparseStatus_t cusparse##p##bsrsv2_bufferSize(                                                 \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int mb,       \
      int nnzb, const cusparseMatDescr_t descrA, T *bsrValA, const int *bsrRowPtrA,                \
      const int *bsrColIndA, int blockDim, bsrsv2Info_t info, int *bufferSize);                    \
  cusparseStatus_t cusparse##p##bsrsv2_bufferSizeExt(                                              \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int mb,       \
      int nnzb, const cusparseMatDescr_t descrA, T *bsrValA, const int *bsrRowPtrA,                \
      const int *bsrColIndA, int blockDim, bsrsv2Info_t info, size_t *bufferSize);                 \
  cusparseStatus_t cusparse##p##bsrsv2_analysis(                                                   \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int mb,       \
      int nnzb, const cusparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA,          \
      const int *bsrColIndA, int blockDim, bsrsv2Info_t info, cusparseSolvePolicy_t policy,        \
      void *buffer);                                                                               \
  cusparseStatus_t cusparse##p##bsrsv2_solve(                                                      \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int mb,       \
      int nnzb, const T *alpha, const cusparseMatDescr_t descrA, const T *bsrValA,                 \
      const int *bsrRowPtrA, const int *bsrColIndA, int blockDim, bsrsv2Info_t info, const T *f,   \
      T *x, cusparseSolvePolicy_t policy, void *buffer);                                           \
  cusparseStatus_t cusparse##p##bsrsm2_bufferSize(                                                 \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,               \
      cusparseOperation_t transXY, int mb, int n, int nnzb, const cusparseMatDescr_t descrA,       \
      T *bsrVal, const int *bsrRowPtr, const int *bsrColInd, int blockSize, bsrsm2Info_t info,     \
      int *bufferSize);                                                                            \
  cusparseStatus_t cusparse##p##bsrsm2_bufferSizeExt(                                              \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,               \
      cusparseOperation_t transB, int mb, int n, int nnzb, const cusparseMatDescr_t descrA,        \
      T *bsrVal, const int *bsrRowPtr, const int *bsrColInd, int blockSize, bsrsm2Info_t info,     \
      size_t *bufferSize);                                                                         \
  cusparseStatus_t cusparse##p##bsrsm2_analysis(                                                   \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,               \
      cusparseOperation_t transXY, int mb, int n, int nnzb, const cusparseMatDescr_t descrA,       \
      const T *bsrVal, const int *bsrRowPtr, const int *bsrColInd, int blockSize,                  \
      bsrsm2Info_t info, cusparseSolvePolicy_t policy, void *buffer);                              \
  cusparseStatus_t cusparse##p##bsrsm2_solve(                                                      \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,               \
      cusparseOperation_t transXY, int mb, int n, int nnzb, const T *alpha,                        \
      const cusparseMatDescr_t descrA, const T *bsrVal, const int *bsrRowPtr,                      \
      const int *bsrColInd, int blockSize, bsrsm2Info_t info, const T *B, int ldb, T *X, int ldx,  \
      cusparseSolvePolicy_t policy, void *buffer);                                                 \
  cusparseStatus_t cusparse##p##csrgeam2_bufferSizeExt(                                            \
      cusparseHandle_t handle, int m, int n, const T *alpha, const cusparseMatDescr_t descrA,      \
      int nnzA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *beta,     \
      const cusparseMatDescr_t descrB, int nnzB, const T *csrValB, const int *csrRowPtrB,          \
      const int *csrColIndB, const cusparseMatDescr_t descrC, const T *csrValC,                    \
      const int *csrRowPtrC, const int *csrColIndC, size_t *bufferSize);                           \
  cusparseStatus_t cusparse##p##csrgeam2(                                                          \
      cusparseHandle_t handle, int m, int n, const T *alpha, const cusparseMatDescr_t descrA,      \
      int nnzA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *beta,     \
      const cusparseMatDescr_t descrB, int nnzB, const T *csrValB, const int *csrRowPtrB,          \
      const int *csrColIndB, const cusparseMatDescr_t descrC, T *csrValC, int *csrRowPtrC,         \
      int *csrColIndC, void *buffer);                                                              \
  cusparseStatus_t cusparse##p##csrilu02_numericBoost(                                             \
      cusparseHandle_t handle, csrilu02Info_t info, int enable, double *tol, T *boost);            \
  cusparseStatus_t cusparse##p##bsrilu02_numericBoost(                                             \
      cusparseHandle_t handle, bsrilu02Info_t info, int enable, double *tol, T *boost);            \
  HEDDLE_DECLARE_CSR_FACTOR(p, T, csrilu02)                                                        \
  HEDDLE_DECLARE_CSR_FACTOR(p, T, csric02)                                                         \
  HEDDLE_DECLARE_BSR_FACTOR(p, T, bsrilu02)                                                        \
  HEDDLE_DECLARE_BSR_FACTOR(p, T, bsric02)                                                         \
  HEDDLE_DECLARE_DIAGONALS(p, T)                                                                   \
  HEDDLE_DECLARE_CONVERSIONS(p, T, R)

#define HEDDLE_DECLARE_CSR_FACTOR(p, T, name)                                                      \
  cusparseStatus_t cusparse##p##name##_bufferSize(                                                 \
      cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, T *csrValA,        \
      const int *csrRowPtrA, const int *csrColIndA, name##Info_t info, int *bufferSize);           \
  cusparseStatus_t cusparse##p##name##_bufferSizeExt(                                              \
      cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, T *csrValA,        \
      const int *csrRowPtrA, const int *csrColIndA, name##Info_t info, size_t *bufferSize);        \
  cusparseStatus_t cusparse##p##name##_analysis(                                                   \
      cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, const T *csrValA,  \
      const int *csrRowPtrA, const int *csrColIndA, name##Info_t info,                             \
      cusparseSolvePolicy_t policy, void *buffer);                                                 \
  cusparseStatus_t cusparse##p##name(cusparseHandle_t handle, int m, int nnz,                      \
                                     const cusparseMatDescr_t descrA, T *csrValA,                  \
                                     const int *csrRowPtrA, const int *csrColIndA,                 \
                                     name##Info_t info, cusparseSolvePolicy_t policy,              \
                                     void *buffer);

#define HEDDLE_DECLARE_BSR_FACTOR(p, T, name)                                                      \
  cusparseStatus_t cusparse##p##name##_bufferSize(                                                 \
      cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nnzb,                         \
      const cusparseMatDescr_t descrA, T *bsrVal, const int *bsrRowPtr, const int *bsrColInd,      \
      int blockDim, name##Info_t info, int *bufferSize);                                           \
  cusparseStatus_t cusparse##p##name##_bufferSizeExt(                                              \
      cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nnzb,                         \
      const cusparseMatDescr_t descrA, T *bsrVal, const int *bsrRowPtr, const int *bsrColInd,      \
      int blockSize, name##Info_t info, size_t *bufferSize);                                       \
  cusparseStatus_t cusparse##p##name##_analysis(                                                   \
      cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nnzb,                         \
      const cusparseMatDescr_t descrA, HEDDLE_ANALYSED_##name T *bsrVal, const int *bsrRowPtr,     \
      const int *bsrColInd, int blockDim, name##Info_t info, cusparseSolvePolicy_t policy,         \
      void *buffer);                                                                               \
  cusparseStatus_t cusparse##p##name(cusparseHandle_t handle, cusparseDirection_t dirA, int mb,    \
                                     int nnzb, const cusparseMatDescr_t descrA, T *bsrVal,         \
                                     const int *bsrRowPtr, const int *bsrColInd, int blockDim,     \
                                     name##Info_t info, cusparseSolvePolicy_t policy,              \
                                     void *buffer);
#define HEDDLE_ANALYSED_bsrilu02
#define HEDDLE_ANALYSED_bsric02 const

// Systems of three and of five diagonals
#define HEDDLE_DECLARE_DIAGONALS(p, T)                                                             \
  cusparseStatus_t cusparse##p##gtsv2_bufferSizeExt(                                               \
      cusparseHandle_t handle, int m, int n, const T *dl, const T *d, const T *du, const T *B,     \
      int ldb, size_t *bufferSize);                                                                \
  cusparseStatus_t cusparse##p##gtsv2(cusparseHandle_t handle, int m, int n, const T *dl,          \
                                      const T *d, const T *du, T *B, int ldb, void *buffer);       \
  cusparseStatus_t cusparse##p##gtsv2_nopivot_bufferSizeExt(                                       \
      cusparseHandle_t handle, int m, int n, const T *dl, const T *d, const T *du, const T *B,     \
      int ldb, size_t *bufferSize);                                                                \
  cusparseStatus_t cusparse##p##gtsv2_nopivot(cusparseHandle_t handle, int m, int n, const T *dl,  \
                                              const T *d, const T *du, T *B, int ldb,              \
                                              void *buffer);                                       \
  cusparseStatus_t cusparse##p##gtsv2StridedBatch_bufferSizeExt(                                   \
      cusparseHandle_t handle, int m, const T *dl, const T *d, const T *du, const T *x,            \
      int batchCount, int batchStride, size_t *bufferSize);                                        \
  cusparseStatus_t cusparse##p##gtsv2StridedBatch(cusparseHandle_t handle, int m, const T *dl,     \
                                                  const T *d, const T *du, T *x, int batchCount,   \
                                                  int batchStride, void *buffer);                  \
  cusparseStatus_t cusparse##p##gtsvInterleavedBatch_bufferSizeExt(                                \
      cusparseHandle_t handle, int algo, int m, const T *dl, const T *d, const T *du, const T *x,  \
      int batchCount, size_t *bufferSize);                                                         \
  cusparseStatus_t cusparse##p##gtsvInterleavedBatch(cusparseHandle_t handle, int algo, int m,     \
                                                     T *dl, T *d, T *du, T *x, int batchCount,     \
                                                     void *buffer);                                \
  cusparseStatus_t cusparse##p##gpsvInterleavedBatch_bufferSizeExt(                                \
      cusparseHandle_t handle, int algo, int m, const T *ds, const T *dl, const T *d, const T *du, \
      const T *dw, const T *x, int batchCount, size_t *bufferSize);                                \
  cusparseStatus_t cusparse##p##gpsvInterleavedBatch(cusparseHandle_t handle, int algo, int m,     \
                                                     T *ds, T *dl, T *d, T *du, T *dw, T *x,       \
                                                     int batchCount, void *buffer);

#define HEDDLE_DECLARE_CONVERSIONS(p, T, R)                                                        \
  cusparseStatus_t cusparse##p##nnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m,      \
                                    int n, const cusparseMatDescr_t descrA, const T *A, int lda,   \
                                    int *nnzPerRowCol, int *nnzTotalDevHostPtr);                   \
  cusparseStatus_t cusparse##p##nnz_compress(                                                      \
      cusparseHandle_t handle, int m, const cusparseMatDescr_t descr, const T *csrValA,            \
      const int *csrRowPtrA, int *nnzPerRow, int *nnzC, T tol);                                    \
  cusparseStatus_t cusparse##p##csr2csr_compress(                                                  \
      cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descrA, const T *csrValA,    \
      const int *csrColIndA, const int *csrRowPtrA, int nnzA, const int *nnzPerRow, T *csrValC,    \
      int *csrColIndC, int *csrRowPtrC, T tol);                                                    \
  cusparseStatus_t cusparse##p##csr2bsr(                                                           \
      cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,                             \
      const cusparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA,                    \
      const int *csrColIndA, int blockDim, const cusparseMatDescr_t descrC, T *bsrValC,            \
      int *bsrRowPtrC, int *bsrColIndC);                                                           \
  cusparseStatus_t cusparse##p##bsr2csr(                                                           \
      cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb,                           \
      const cusparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA,                    \
      const int *bsrColIndA, int blockDim, const cusparseMatDescr_t descrC, T *csrValC,            \
      int *csrRowPtrC, int *csrColIndC);                                                           \
  cusparseStatus_t cusparse##p##gebsr2csr(                                                         \
      cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb,                           \
      const cusparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA,                    \
      const int *bsrColIndA, int rowBlockDim, int colBlockDim, const cusparseMatDescr_t descrC,    \
      T *csrValC, int *csrRowPtrC, int *csrColIndC);                                               \
  cusparseStatus_t cusparse##p##csr2gebsr_bufferSize(                                              \
      cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,                             \
      const cusparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA,                    \
      const int *csrColIndA, int rowBlockDim, int colBlockDim, int *bufferSize);                   \
  cusparseStatus_t cusparse##p##csr2gebsr_bufferSizeExt(                                           \
      cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,                             \
      const cusparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA,                    \
      const int *csrColIndA, int rowBlockDim, int colBlockDim, size_t *bufferSize);                \
  cusparseStatus_t cusparse##p##csr2gebsr(                                                         \
      cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,                             \
      const cusparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA,                    \
      const int *csrColIndA, const cusparseMatDescr_t descrC, T *bsrValC, int *bsrRowPtrC,         \
      int *bsrColIndC, int rowBlockDim, int colBlockDim, void *buffer);                            \
  cusparseStatus_t cusparse##p##gebsr2gebsc_bufferSize(                                            \
      cusparseHandle_t handle, int mb, int nb, int nnzb, const T *bsrVal, const int *bsrRowPtr,    \
      const int *bsrColInd, int rowBlockDim, int colBlockDim, int *bufferSize);                    \
  cusparseStatus_t cusparse##p##gebsr2gebsc_bufferSizeExt(                                         \
      cusparseHandle_t handle, int mb, int nb, int nnzb, const T *bsrVal, const int *bsrRowPtr,    \
      const int *bsrColInd, int rowBlockDim, int colBlockDim, size_t *bufferSize);                 \
  cusparseStatus_t cusparse##p##gebsr2gebsc(                                                       \
      cusparseHandle_t handle, int mb, int nb, int nnzb, const T *bsrVal, const int *bsrRowPtr,    \
      const int *bsrColInd, int rowBlockDim, int colBlockDim, T *bscVal, int *bscRowInd,           \
      int *bscColPtr, cusparseAction_t copyValues, cusparseIndexBase_t base, void *buffer);        \
  cusparseStatus_t cusparse##p##gebsr2gebsr_bufferSize(                                            \
      cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb, int nnzb,                 \
      const cusparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA,                    \
      const int *bsrColIndA, int rowBlockDimA, int colBlockDimA, int rowBlockDimC,                 \
      int colBlockDimC, int *bufferSize);                                                          \
  cusparseStatus_t cusparse##p##gebsr2gebsr_bufferSizeExt(                                         \
      cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb, int nnzb,                 \
      const cusparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA,                    \
      const int *bsrColIndA, int rowBlockDimA, int colBlockDimA, int rowBlockDimC,                 \
      int colBlockDimC, size_t *bufferSize);                                                       \
  cusparseStatus_t cusparse##p##gebsr2gebsr(                                                       \
      cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb, int nnzb,                 \
      const cusparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA,                    \
      const int *bsrColIndA, int rowBlockDimA, int colBlockDimA, const cusparseMatDescr_t descrC,  \
      T *bsrValC, int *bsrRowPtrC, int *bsrColIndC, int rowBlockDimC, int colBlockDimC,            \
      void *buffer);                                                                               \
  cusparseStatus_t cusparse##p##csru2csr_bufferSizeExt(                                            \
      cusparseHandle_t handle, int m, int n, int nnz, T *csrVal, const int *csrRowPtr,             \
      int *csrColInd, csru2csrInfo_t info, size_t *bufferSize);                                    \
  cusparseStatus_t cusparse##p##csru2csr(cusparseHandle_t handle, int m, int n, int nnz,           \
                                         const cusparseMatDescr_t descrA, T *csrVal,               \
                                         const int *csrRowPtr, int *csrColInd,                     \
                                         csru2csrInfo_t info, void *buffer);                       \
  cusparseStatus_t cusparse##p##csr2csru(cusparseHandle_t handle, int m, int n, int nnz,           \
                                         const cusparseMatDescr_t descrA, T *csrVal,               \
                                         const int *csrRowPtr, int *csrColInd,                     \
                                         csru2csrInfo_t info, void *buffer);                       \
  cusparseStatus_t cusparse##p##csrcolor(                                                          \
      cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, const T *csrValA,  \
      const int *csrRowPtrA, const int *csrColIndA, const R *fractionToColor, int *ncolors,        \
      int *coloring, int *reordering, const cusparseColorInfo_t info);

HEDDLE_DECLARE(S, float, float)
HEDDLE_DECLARE(D, double, double)
HEDDLE_DECLARE(C, cuComplex, float)
HEDDLE_DECLARE(Z, cuDoubleComplex, double)
#undef HEDDLE_DECLARE
#undef HEDDLE_DECLARE_CSR_FACTOR
#undef HEDDLE_DECLARE_BSR_FACTOR
#undef HEDDLE_DECLARE_DIAGONALS
#undef HEDDLE_DECLARE_CONVERSIONS
#undef HEDDLE_ANALYSED_bsrilu02
#undef HEDDLE_ANALYSED_bsric02

// Pruning, in single, double and half
#define HEDDLE_DECLARE(p, T)                                                                       \
  cusparseStatus_t cusparse##p##pruneDense2csr_bufferSizeExt(                                      \
      cusparseHandle_t handle, int m, int n, const T *A, int lda, const T *threshold,              \
      const cusparseMatDescr_t descrC, const T *csrValC, const int *csrRowPtrC,                    \
      const int *csrColIndC, size_t *bufferSize);                                                  \
  cusparseStatus_t cusparse##p##pruneDense2csrNnz(                                                 \
      cusparseHandle_t handle, int m, int n, const T *A, int lda, const T *threshold,              \
      const cusparseMatDescr_t descrC, int *csrRowPtrC, int *nnzTotalDevHostPtr, void *buffer);    \
  cusparseStatus_t cusparse##p##pruneDense2csr(                                                    \
      cusparseHandle_t handle, int m, int n, const T *A, int lda, const T *threshold,              \
      const cusparseMatDescr_t descrC, T *csrValC, const int *csrRowPtrC, int *csrColIndC,         \
      void *buffer);                                                                               \
  cusparseStatus_t cusparse##p##pruneCsr2csr_bufferSizeExt(                                        \
      cusparseHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,            \
      const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *threshold,          \
      const cusparseMatDescr_t descrC, const T *csrValC, const int *csrRowPtrC,                    \
      const int *csrColIndC, size_t *bufferSize);                                                  \
  cusparseStatus_t cusparse##p##pruneCsr2csrNnz(                                                   \
      cusparseHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,            \
      const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *threshold,          \
      const cusparseMatDescr_t descrC, int *csrRowPtrC, int *nnzTotalDevHostPtr, void *buffer);    \
  cusparseStatus_t cusparse##p##pruneCsr2csr(                                                      \
      cusparseHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,            \
      const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *threshold,          \
      const cusparseMatDescr_t descrC, T *csrValC, const int *csrRowPtrC, int *csrColIndC,         \
      void *buffer);                                                                               \
  cusparseStatus_t cusparse##p##pruneDense2csrByPercentage_bufferSizeExt(                          \
      cusparseHandle_t handle, int m, int n, const T *A, int lda, float percentage,                \
      const cusparseMatDescr_t descrC, const T *csrValC, const int *csrRowPtrC,                    \
      const int *csrColIndC, pruneInfo_t info, size_t *bufferSize);                                \
  cusparseStatus_t cusparse##p##pruneDense2csrNnzByPercentage(                                     \
      cusparseHandle_t handle, int m, int n, const T *A, int lda, float percentage,                \
      const cusparseMatDescr_t descrC, int *csrRowPtrC, int *nnzTotalDevHostPtr,                   \
      pruneInfo_t info, void *buffer);                                                             \
  cusparseStatus_t cusparse##p##pruneDense2csrByPercentage(                                        \
      cusparseHandle_t handle, int m, int n, const T *A, int lda, float percentage,                \
      const cusparseMatDescr_t descrC, T *csrValC, const int *csrRowPtrC, int *csrColIndC,         \
      pruneInfo_t info, void *buffer);                                                             \
  cusparseStatus_t cusparse##p##pruneCsr2csrByPercentage_bufferSizeExt(                            \
      cusparseHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,            \
      const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, float percentage,            \
      const cusparseMatDescr_t descrC, const T *csrValC, const int *csrRowPtrC,                    \
      const int *csrColIndC, pruneInfo_t info, size_t *bufferSize);                                \
  cusparseStatus_t cusparse##p##pruneCsr2csrNnzByPercentage(                                       \
      cusparseHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,            \
      const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, float percentage,            \
      const cusparseMatDescr_t descrC, int *csrRowPtrC, int *nnzTotalDevHostPtr,                   \
      pruneInfo_t info, void *buffer);                                                             \
  cusparseStatus_t cusparse##p##pruneCsr2csrByPercentage(                                          \
      cusparseHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,            \
      const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, float percentage,            \
      const cusparseMatDescr_t descrC, T *csrValC, const int *csrRowPtrC, int *csrColIndC,         \
      pruneInfo_t info, void *buffer);
HEDDLE_DECLARE(S, float)
HEDDLE_DECLARE(D, double)
#if defined(__cplusplus)
HEDDLE_DECLARE(H, __half)
#endif
#undef HEDDLE_DECLARE

#if defined(__cplusplus)
}
#endif

#endif
