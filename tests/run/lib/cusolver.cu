// RUN: %heddle cc %s -o %t -lcusparse -lcusolver
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix of three diagonals that a kernel makes: conjugate steps by cuSPARSE's product in a captured graph beside a
// kernel of the program's, and the same system by cuSOLVER's Cholesky factors of the dense matrix.
#include "../support.h"

#include <cusolverDn.h>
#include <cusparse.h>

#include <cmath>
#include <cstdio>

#define CHECK(condition)                                                                           \
  if (!(condition)) {                                                                              \
    std::printf("line %d: not so: " #condition "\n", __LINE__);                                    \
    return 1;                                                                                      \
  }

__global__ void makeMatrices(int n, int *offsets, int *columns, double *values, double *dense) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n)
    return;
  offsets[i] = i == 0 ? 0 : i == n ? 3 * n - 2 : 3 * i - 1;
  if (i == n)
    return;
  int k = i == 0 ? 0 : 3 * i - 1;
  for (int j = i - 1; j <= i + 1; ++j)
    if (j >= 0 && j < n) {
      columns[k] = j, values[k++] = i == j ? 4 : -1;
      dense[i + j * n] = i == j ? 4 : -1;
    }
}

/// x += (b - A x) / 4, with A x in y.
__global__ void step(int n, double *x, const double *b, const double *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += (b[i] - y[i]) / 4;
}

int main() {
  const int n = 100, nnz = 3 * n - 2;
  int *offsets, *columns, *info;
  double *values, *dense, *x, *y, *b, *work;
  CUDA_OK(cudaMallocManaged(&offsets, (n + 1) * sizeof(int)));
  CUDA_OK(cudaMallocManaged(&columns, nnz * sizeof(int)));
  CUDA_OK(cudaMallocManaged(&info, sizeof(int)));
  CUDA_OK(cudaMallocManaged(&values, nnz * sizeof(double)));
  CUDA_OK(cudaMallocManaged(&dense, n * n * sizeof(double)));
  CUDA_OK(cudaMemset(dense, 0, n * n * sizeof(double)));
  for (double **vector : {&x, &y, &b})
    CUDA_OK(cudaMallocManaged(vector, n * sizeof(double)));
  cudaStream_t stream;
  CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i)
    x[i] = 0, b[i] = i % 7;
  makeMatrices<<<1, 128, 0, stream>>>(n, offsets, columns, values, dense);

  cusparseHandle_t sparse;
  cusparseSpMatDescr_t a;
  cusparseDnVecDescr_t vx, vy;
  double one = 1, zero = 0;
  CHECK(cusparseCreate(&sparse) == CUSPARSE_STATUS_SUCCESS);
  CHECK(cusparseSetStream(sparse, stream) == CUSPARSE_STATUS_SUCCESS);
  CHECK(cusparseCreateCsr(&a, n, n, nnz, offsets, columns, values, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                          CUDA_R_64F) == CUSPARSE_STATUS_SUCCESS);
  CHECK(cusparseCreateDnVec(&vx, n, x, CUDA_R_64F) == CUSPARSE_STATUS_SUCCESS);
  CHECK(cusparseCreateDnVec(&vy, n, y, CUDA_R_64F) == CUSPARSE_STATUS_SUCCESS);
  size_t bytes = 0;
  void *buffer = nullptr;
  CHECK(cusparseSpMV_bufferSize(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, vx, &zero, vy,
                                CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT,
                                &bytes) == CUSPARSE_STATUS_SUCCESS);
  CUDA_OK(cudaMalloc(&buffer, bytes + 1));
  CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, vx, &zero, vy, CUDA_R_64F,
                     CUSPARSE_SPMV_ALG_DEFAULT, buffer) == CUSPARSE_STATUS_SUCCESS);
  step<<<1, 128, 0, stream>>>(n, x, b, y);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CUDA_OK(cudaStreamEndCapture(stream, &graph));
  CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 100; ++i)
    CUDA_OK(cudaGraphLaunch(executable, stream));

  cusolverDnHandle_t solver;
  int lwork = 0;
  CHECK(cusolverDnCreate(&solver) == CUSOLVER_STATUS_SUCCESS);
  CHECK(cusolverDnSetStream(solver, stream) == CUSOLVER_STATUS_SUCCESS);
  CHECK(cusolverDnDpotrf_bufferSize(solver, CUBLAS_FILL_MODE_LOWER, n, dense, n, &lwork) ==
        CUSOLVER_STATUS_SUCCESS);
  CUDA_OK(cudaMalloc(&work, lwork * sizeof(double)));
  CHECK(cusolverDnDpotrf(solver, CUBLAS_FILL_MODE_LOWER, n, dense, n, work, lwork, info) ==
        CUSOLVER_STATUS_SUCCESS);
  CHECK(cusolverDnDpotrs(solver, CUBLAS_FILL_MODE_LOWER, n, 1, dense, n, b, n, info) ==
        CUSOLVER_STATUS_SUCCESS);
  CUDA_OK(cudaStreamSynchronize(stream));
  CHECK(*info == 0);
  for (int i = 0; i < n; ++i)
    CHECK(std::fabs(x[i] - b[i]) < 1e-9);
  CHECK(cusolverDnDestroy(solver) == CUSOLVER_STATUS_SUCCESS);
  CHECK(cusparseDestroyDnVec(vx) == CUSPARSE_STATUS_SUCCESS);
  CHECK(cusparseDestroyDnVec(vy) == CUSPARSE_STATUS_SUCCESS);
  CHECK(cusparseDestroySpMat(a) == CUSPARSE_STATUS_SUCCESS);
  CHECK(cusparseDestroy(sparse) == CUSPARSE_STATUS_SUCCESS);
  return 0;
}
