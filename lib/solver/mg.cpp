// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSOLVER's multi-GPU part: matrices whose blocks of columns go around the devices of a grid.
// Their memory is that of one process here, so a matrix is gathered, worked on by LAPACK on all
// cores, and scattered again. The host waits, first for the devices.
#include "lapack/eigenvalues.h"
#include "solver/handle.h"

#include <cusolverMg.h>

#include <set>
#include <vector>

struct cusolverMgContext {
  std::vector<int> devices;
};

namespace heddle::solver {

namespace {

struct Grid {
  std::vector<int> devices;
};

struct Description {
  int64_t rows, columns, blockColumns;
  cudaDataType type;
  Grid grid;
};

/// Where a column is: the device's place in the grid, and the number among its columns.
struct Place {
  size_t device;
  int64_t column;
};
Place placeOf(const Description &d, int64_t column) {
  int64_t block = column / d.blockColumns, devices = static_cast<int64_t>(d.grid.devices.size());
  return {static_cast<size_t>(block % devices),
          block / devices * d.blockColumns + column % d.blockColumns};
}

/// Part of a matrix, from row \a i and column \a j on, which count from 1.
struct Part {
  void **arrays;
  const Description *description;
  int i, j, m, n;

  bool isValid() const {
    return arrays && description && i >= 1 && j >= 1 && m >= 0 && n >= 0 &&
           i - 1 + int64_t(m) <= description->rows && j - 1 + int64_t(n) <= description->columns;
  }
  template <typename T> T *column(int64_t number) const {
    Place place = placeOf(*description, j - 1 + number);
    return static_cast<T *>(arrays[place.device]) + place.column * description->rows + i - 1;
  }
};

/// A part in one piece, with room for what OpenBLAS reads behind it (InPlace).
template <typename T> class Gathered {
public:
  explicit Gathered(const Part &part)
      : ld(std::max(1, part.m)), part(part), values(int64_t(ld) * (part.n + 1)) {
    for (int j = 0; j < part.n; ++j)
      std::copy_n(part.column<T>(j), part.m, at(j));
  }
  void scatter() {
    for (int j = 0; j < part.n; ++j)
      std::copy_n(at(j), part.m, part.column<T>(j));
  }
  T *at(int column) { return values.data() + int64_t(column) * ld; }
  T *get() { return values.data(); }

  const int ld;

private:
  const Part &part;
  std::vector<T> values;
};

/// The pivots of rows are spread as the matrix's columns are.
int &pivotAt(const Part &part, int **arrays, int number) {
  Place place = placeOf(*part.description, part.j - 1 + number);
  return arrays[place.device][place.column];
}

cusolverStatus_t waitForDevices(const Grid &grid) {
  int before = 0;
  cudaGetDevice(&before);
  cudaError_t error = cudaSuccess;
  for (int device : grid.devices)
    if (error == cudaSuccess && (error = cudaSetDevice(device)) == cudaSuccess)
      error = cudaDeviceSynchronize();
  cudaSetDevice(before);
  return statusOf(error);
}

template <typename F> cusolverStatus_t withType(cudaDataType type, F f) {
  switch (type) {
  case CUDA_R_32F:
    return f(float{});
  case CUDA_R_64F:
    return f(double{});
  case CUDA_C_32F:
    return f(ComplexFloat{});
  case CUDA_C_64F:
    return f(ComplexDouble{});
  default:
    return CUSOLVER_STATUS_NOT_SUPPORTED;
  }
}

const Description *describe(cudaLibMgMatrixDesc_t descriptor) {
  return static_cast<const Description *>(descriptor);
}

/// What all functions check.
cusolverStatus_t check(cusolverMgHandle_t handle, bool valid, const Part &a,
                       cudaDataType computeType) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(valid && a.isValid(), INVALID_VALUE);
  HEDDLE_REQUIRE(computeType == a.description->type, NOT_SUPPORTED);
  return CUSOLVER_STATUS_SUCCESS;
}

/// The size of a workspace, which is not used.
cusolverStatus_t tell(cusolverMgHandle_t handle, bool valid, const Part &a,
                      cudaDataType computeType, int64_t *lwork) {
  if (cusolverStatus_t bad = check(handle, valid && lwork, a, computeType))
    return bad;
  *lwork = 1;
  return CUSOLVER_STATUS_SUCCESS;
}

/// Checks, waits, and calls work(T{}), which returns LAPACK's info.
template <typename F>
cusolverStatus_t run(cusolverMgHandle_t handle, bool valid, const Part &a, cudaDataType computeType,
                     int *info, F work) {
  if (cusolverStatus_t bad = check(handle, valid && info, a, computeType))
    return bad;
  if (cusolverStatus_t bad = waitForDevices(a.description->grid))
    return bad;
  return withType(computeType, [&](auto kind) {
    *info = work(kind);
    return CUSOLVER_STATUS_SUCCESS;
  });
}

cudaDataType realOf(cudaDataType type) {
  return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}

} // namespace
} // namespace heddle::solver

using namespace heddle::solver;

HEDDLE_EXPORT cusolverStatus_t cusolverMgCreate(cusolverMgHandle_t *handle) {
  HEDDLE_REQUIRE(handle, INVALID_VALUE);
  HEDDLE_REQUIRE(cudaFree(nullptr) == cudaSuccess && heddle::lapack::available(), NOT_INITIALIZED);
  *handle = new cusolverMgContext;
  return CUSOLVER_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusolverStatus_t cusolverMgDestroy(cusolverMgHandle_t handle) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusolverStatus_t cusolverMgDeviceSelect(cusolverMgHandle_t handle, int nbDevices,
                                                      int deviceId[]) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  int there = 0;
  HEDDLE_REQUIRE(nbDevices >= 1 && deviceId && cudaGetDeviceCount(&there) == cudaSuccess,
                 INVALID_VALUE);
  std::set<int> distinct(deviceId, deviceId + nbDevices);
  HEDDLE_REQUIRE(static_cast<int>(distinct.size()) == nbDevices && *distinct.begin() >= 0 &&
                     *distinct.rbegin() < there,
                 INVALID_VALUE);
  handle->devices.assign(deviceId, deviceId + nbDevices);
  return CUSOLVER_STATUS_SUCCESS;
}

/// One row of devices.
HEDDLE_EXPORT cusolverStatus_t cusolverMgCreateDeviceGrid(cudaLibMgGrid_t *grid,
                                                          int32_t numRowDevices,
                                                          int32_t numColDevices,
                                                          const int32_t deviceId[],
                                                          cusolverMgGridMapping_t mapping) {
  HEDDLE_REQUIRE(grid && numRowDevices == 1 && numColDevices >= 1 && deviceId &&
                     (mapping == CUDALIBMG_GRID_MAPPING_COL_MAJOR ||
                      mapping == CUDALIBMG_GRID_MAPPING_ROW_MAJOR),
                 INVALID_VALUE);
  *grid = new Grid{{deviceId, deviceId + numColDevices}};
  return CUSOLVER_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusolverStatus_t cusolverMgDestroyGrid(cudaLibMgGrid_t grid) {
  delete static_cast<Grid *>(grid);
  return CUSOLVER_STATUS_SUCCESS;
}

/// Blocks have all rows.
HEDDLE_EXPORT cusolverStatus_t cusolverMgCreateMatrixDesc(
    cudaLibMgMatrixDesc_t *desc, int64_t numRows, int64_t numCols, int64_t rowBlockSize,
    int64_t colBlockSize, cudaDataType dataType, const cudaLibMgGrid_t grid) {
  HEDDLE_REQUIRE(desc && grid && numRows >= 0 && numCols >= 0 && rowBlockSize == numRows &&
                     colBlockSize >= 1,
                 INVALID_VALUE);
  *desc =
      new Description{numRows, numCols, colBlockSize, dataType, *static_cast<const Grid *>(grid)};
  return CUSOLVER_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusolverStatus_t cusolverMgDestroyMatrixDesc(cudaLibMgMatrixDesc_t desc) {
  delete static_cast<Description *>(desc);
  return CUSOLVER_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusolverStatus_t
cusolverMgSyevd_bufferSize(cusolverMgHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo,
                           int N, void *A[], int IA, int JA, cudaLibMgMatrixDesc_t descrA, void *,
                           cudaDataType, cudaDataType computeType, int64_t *lwork) {
  Part a{A, describe(descrA), IA, JA, N, N};
  return tell(handle, isMode(jobz) && isFill(uplo), a, computeType, lwork);
}

HEDDLE_EXPORT cusolverStatus_t cusolverMgSyevd(cusolverMgHandle_t handle, cusolverEigMode_t jobz,
                                               cublasFillMode_t uplo, int N, void *A[], int IA,
                                               int JA, cudaLibMgMatrixDesc_t descrA, void *W,
                                               cudaDataType dataTypeW, cudaDataType computeType,
                                               void *[], int64_t, int *info) {
  Part part{A, describe(descrA), IA, JA, N, N};
  bool valid = isMode(jobz) && isFill(uplo) && W && dataTypeW == realOf(computeType);
  return run(handle, valid, part, computeType, info, [&](auto kind) {
    using T = decltype(kind);
    Gathered<T> a(part);
    int bad = eigenvalues(letter(jobz), letter(uplo), N, a.get(), a.ld, static_cast<Real<T> *>(W));
    if (jobz == CUSOLVER_EIG_MODE_VECTOR)
      a.scatter();
    return bad;
  });
}

HEDDLE_EXPORT cusolverStatus_t cusolverMgGetrf_bufferSize(cusolverMgHandle_t handle, int M, int N,
                                                          void *A[], int IA, int JA,
                                                          cudaLibMgMatrixDesc_t descrA, int *IPIV[],
                                                          cudaDataType computeType,
                                                          int64_t *lwork) {
  return tell(handle, IPIV, {A, describe(descrA), IA, JA, M, N}, computeType, lwork);
}

HEDDLE_EXPORT cusolverStatus_t cusolverMgGetrf(cusolverMgHandle_t handle, int M, int N, void *A[],
                                               int IA, int JA, cudaLibMgMatrixDesc_t descrA,
                                               int *IPIV[], cudaDataType computeType, void *[],
                                               int64_t, int *info) {
  Part part{A, describe(descrA), IA, JA, M, N};
  return run(handle, IPIV, part, computeType, info, [&](auto kind) {
    using T = decltype(kind);
    Gathered<T> a(part);
    std::vector<int> pivots(std::min(M, N) + 1);
    int bad = 0;
    HEDDLE_LAPACK_OF(T, getrf)(&M, &N, a.get(), &a.ld, pivots.data(), &bad);
    a.scatter();
    for (int k = 0; k < std::min(M, N); ++k)
      pivotAt(part, IPIV, k) = pivots[k];
    return bad;
  });
}

HEDDLE_EXPORT cusolverStatus_t cusolverMgGetrs_bufferSize(
    cusolverMgHandle_t handle, cublasOperation_t TRANS, int N, int NRHS, void *A[], int IA, int JA,
    cudaLibMgMatrixDesc_t descrA, int *IPIV[], void *B[], int IB, int JB,
    cudaLibMgMatrixDesc_t descrB, cudaDataType computeType, int64_t *lwork) {
  Part b{B, describe(descrB), IB, JB, N, NRHS};
  return tell(handle, isOperation(TRANS) && IPIV && b.isValid(),
              {A, describe(descrA), IA, JA, N, N}, computeType, lwork);
}

HEDDLE_EXPORT cusolverStatus_t cusolverMgGetrs(cusolverMgHandle_t handle, cublasOperation_t TRANS,
                                               int N, int NRHS, void *A[], int IA, int JA,
                                               cudaLibMgMatrixDesc_t descrA, int *IPIV[], void *B[],
                                               int IB, int JB, cudaLibMgMatrixDesc_t descrB,
                                               cudaDataType computeType, void *[], int64_t,
                                               int *info) {
  Part part{A, describe(descrA), IA, JA, N, N}, side{B, describe(descrB), IB, JB, N, NRHS};
  bool valid =
      isOperation(TRANS) && IPIV && side.isValid() && side.description->type == computeType;
  return run(handle, valid, part, computeType, info, [&](auto kind) {
    using T = decltype(kind);
    Gathered<T> a(part), b(side);
    std::vector<int> pivots(N + 1);
    for (int k = 0; k < N; ++k)
      pivots[k] = pivotAt(part, IPIV, k);
    int bad = 0;
    char trans = letter(TRANS);
    HEDDLE_LAPACK_OF(T, getrs)(&trans, &N, &NRHS, a.get(), &a.ld, pivots.data(), b.get(), &b.ld,
                               &bad);
    b.scatter();
    return bad;
  });
}

HEDDLE_EXPORT cusolverStatus_t cusolverMgPotrf_bufferSize(
    cusolverMgHandle_t handle, cublasFillMode_t uplo, int N, void *A[], int IA, int JA,
    cudaLibMgMatrixDesc_t descrA, cudaDataType computeType, int64_t *lwork) {
  return tell(handle, isFill(uplo), {A, describe(descrA), IA, JA, N, N}, computeType, lwork);
}

HEDDLE_EXPORT cusolverStatus_t cusolverMgPotrf(cusolverMgHandle_t handle, cublasFillMode_t uplo,
                                               int N, void *A[], int IA, int JA,
                                               cudaLibMgMatrixDesc_t descrA,
                                               cudaDataType computeType, void *[], int64_t,
                                               int *info) {
  Part part{A, describe(descrA), IA, JA, N, N};
  return run(handle, isFill(uplo), part, computeType, info, [&](auto kind) {
    using T = decltype(kind);
    Gathered<T> a(part);
    int bad = 0;
    char triangle = letter(uplo);
    HEDDLE_LAPACK_OF(T, potrf)(&triangle, &N, a.get(), &a.ld, &bad);
    a.scatter();
    return bad;
  });
}

HEDDLE_EXPORT cusolverStatus_t cusolverMgPotrs_bufferSize(
    cusolverMgHandle_t handle, cublasFillMode_t uplo, int N, int NRHS, void *A[], int IA, int JA,
    cudaLibMgMatrixDesc_t descrA, void *B[], int IB, int JB, cudaLibMgMatrixDesc_t descrB,
    cudaDataType computeType, int64_t *lwork) {
  Part b{B, describe(descrB), IB, JB, N, NRHS};
  return tell(handle, isFill(uplo) && b.isValid(), {A, describe(descrA), IA, JA, N, N}, computeType,
              lwork);
}

HEDDLE_EXPORT cusolverStatus_t cusolverMgPotrs(cusolverMgHandle_t handle, cublasFillMode_t uplo,
                                               int N, int NRHS, void *A[], int IA, int JA,
                                               cudaLibMgMatrixDesc_t descrA, void *B[], int IB,
                                               int JB, cudaLibMgMatrixDesc_t descrB,
                                               cudaDataType computeType, void *[], int64_t,
                                               int *info) {
  Part part{A, describe(descrA), IA, JA, N, N}, side{B, describe(descrB), IB, JB, N, NRHS};
  bool valid = isFill(uplo) && side.isValid() && side.description->type == computeType;
  return run(handle, valid, part, computeType, info, [&](auto kind) {
    using T = decltype(kind);
    Gathered<T> a(part), b(side);
    int bad = 0;
    char triangle = letter(uplo);
    HEDDLE_LAPACK_OF(T, potrs)(&triangle, &N, &NRHS, a.get(), &a.ld, b.get(), &b.ld, &bad);
    b.scatter();
    return bad;
  });
}

HEDDLE_EXPORT cusolverStatus_t cusolverMgPotri_bufferSize(
    cusolverMgHandle_t handle, cublasFillMode_t uplo, int N, void *A[], int IA, int JA,
    cudaLibMgMatrixDesc_t descrA, cudaDataType computeType, int64_t *lwork) {
  return tell(handle, isFill(uplo), {A, describe(descrA), IA, JA, N, N}, computeType, lwork);
}

HEDDLE_EXPORT cusolverStatus_t cusolverMgPotri(cusolverMgHandle_t handle, cublasFillMode_t uplo,
                                               int N, void *A[], int IA, int JA,
                                               cudaLibMgMatrixDesc_t descrA,
                                               cudaDataType computeType, void *[], int64_t,
                                               int *info) {
  Part part{A, describe(descrA), IA, JA, N, N};
  return run(handle, isFill(uplo), part, computeType, info, [&](auto kind) {
    using T = decltype(kind);
    Gathered<T> a(part);
    int bad = 0;
    char triangle = letter(uplo);
    HEDDLE_LAPACK_OF(T, potri)(&triangle, &N, a.get(), &a.ld, &bad);
    a.scatter();
    return bad;
  });
}
