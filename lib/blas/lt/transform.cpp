// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transforms of matrices (cuBLAS Library, "cublasLtMatrixTransform()"): C = alpha op(A) + beta
// op(B), where each has an order and an element type of its own. Columns of C are computed in
// double, on all cores.
#include "blas/lt/logger.h"
#include "blas/lt/orders.h"
#include "blas/product.h"
#include "support/parallel.h"
#include "support/stream_work.h"

#include <algorithm>
#include <vector>

namespace heddle::blas {

namespace {

/// op of a matrix, or nothing.
struct Source {
  const char *data = nullptr;
  Layout layout;
  int32_t op = CUBLAS_OP_N;

  uint64_t rows() const { return op == CUBLAS_OP_N ? layout.rows : layout.columns; }
  uint64_t columns() const { return op == CUBLAS_OP_N ? layout.columns : layout.rows; }

  /// Writes column j to `to`, which has `parts` numbers for each element.
  void readColumn(int64_t batch, int64_t j, int64_t count, int parts, double *to) const {
    const char *first = data + batch * layout.batchStride * sizeOf(layout.type);
    bool plain = op == CUBLAS_OP_N;
    auto at = [&](int64_t i) {
      return first + (plain ? placeOf(layout, i, j) : placeOf(layout, j, i)) * sizeOf(layout.type);
    };
    if (plain ? layout.order == CUBLASLT_ORDER_COL : layout.order == CUBLASLT_ORDER_ROW)
      load(layout.type, at(0), to, count * parts);
    else
      for (int64_t i = 0; i < count; ++i)
        load(layout.type, at(i), to + i * parts, parts);
    for (int64_t i = 0; parts == 2 && op == CUBLAS_OP_C && i < count; ++i)
      to[2 * i + 1] = -to[2 * i + 1];
  }
};

/// sums = sums + factor * values
void addScaled(cuDoubleComplex factor, const std::vector<double> &values, int parts,
               std::vector<double> &sums) {
  for (size_t i = 0; i < sums.size(); i += parts) {
    if (parts == 1) {
      sums[i] += factor.x * values[i];
      continue;
    }
    sums[i] += factor.x * values[i] - factor.y * values[i + 1];
    sums[i + 1] += factor.x * values[i + 1] + factor.y * values[i];
  }
}

void writeColumn(const Layout &l, char *data, int64_t batch, int64_t j, int parts,
                 const std::vector<double> &values) {
  char *first = data + batch * l.batchStride * sizeOf(l.type);
  int64_t count = values.size() / parts;
  if (l.order == CUBLASLT_ORDER_COL)
    return store(l.type, values.data(), first + placeOf(l, 0, j) * sizeOf(l.type), values.size());
  for (int64_t i = 0; i < count; ++i)
    store(l.type, values.data() + i * parts, first + placeOf(l, i, j) * sizeOf(l.type), parts);
}

/// A matrix is not read if its scalar is zero.
void run(Source a, cuDoubleComplex alpha, Source b, cuDoubleComplex beta, const Layout &l,
         char *c) {
  int parts = isComplexType(l.type) ? 2 : 1;
  int64_t rows = l.rows, columns = l.columns;
  if (rows == 0)
    return;
  int64_t grain = std::max<int64_t>(1, (1 << 13) / rows);
  library::parallelFor(columns * l.batchCount, grain, [&](int64_t begin, int64_t end) {
    std::vector<double> values(rows * parts), sums(rows * parts);
    for (int64_t line = begin; line < end; ++line) {
      int64_t batch = line / columns, j = line % columns;
      std::fill(sums.begin(), sums.end(), 0);
      for (auto [source, factor] : {std::pair(&a, alpha), std::pair(&b, beta)}) {
        if (!source->data || isZero(factor))
          continue;
        source->readColumn(batch, j, rows, parts, values.data());
        addScaled(factor, values, parts, sums);
      }
      writeColumn(l, c, batch, j, parts, sums);
    }
  });
}

bool isOperation(int32_t op) { return op >= CUBLAS_OP_N && op <= CUBLAS_OP_C; }

/// Whether op(source) has the shape of C and is made of numbers of its kind.
cublasStatus_t checkSource(const Source &source, const Layout &c) {
  if (!isLayout(source.layout) || !isOperation(source.op) || source.rows() != c.rows ||
      source.columns() != c.columns || source.layout.batchCount != c.batchCount)
    return CUBLAS_STATUS_INVALID_VALUE;
  bool same = isComplexType(source.layout.type) == isComplexType(c.type);
  return same && sizeOf(source.layout.type) && sizeOf(c.type) && !source.layout.planeOffset
             ? CUBLAS_STATUS_SUCCESS
             : CUBLAS_STATUS_NOT_SUPPORTED;
}

bool isScaleType(int32_t type) {
  return type == CUDA_R_32F || type == CUDA_R_64F || type == CUDA_R_16F || type == CUDA_R_32I ||
         type == CUDA_C_32F || type == CUDA_C_64F;
}

cublasStatus_t transform(const Transform &t, const void *alpha, const void *A,
                         cublasLtMatrixLayout_t layoutA, const void *beta, const void *B,
                         cublasLtMatrixLayout_t layoutB, void *C, cublasLtMatrixLayout_t layoutC,
                         cudaStream_t stream) {
  if (!alpha || !A || !layoutA || !C || !layoutC || (B && (!layoutB || !beta)))
    return CUBLAS_STATUS_INVALID_VALUE;
  const Layout &c = inside<Layout>(layoutC);
  Source a{static_cast<const char *>(A), inside<Layout>(layoutA), t.transa}, b{};
  if (!isLayout(c) || t.pointerMode < CUBLASLT_POINTER_MODE_HOST)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (cublasStatus_t bad = checkSource(a, c))
    return bad;
  if (B) {
    b = {static_cast<const char *>(B), inside<Layout>(layoutB), t.transb};
    if (cublasStatus_t bad = checkSource(b, c))
      return bad;
  }
  if (!isScaleType(t.scaleType) || t.pointerMode > CUBLASLT_POINTER_MODE_DEVICE)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  auto type = static_cast<cudaDataType>(t.scaleType);
  bool device = t.pointerMode == CUBLASLT_POINTER_MODE_DEVICE;
  AnyScalar first(alpha, type, device);
  AnyScalar second = B ? AnyScalar(beta, type, device) : AnyScalar({0, 0});
  cudaError_t error = library::enqueue(
      stream, [=] { run(a, first.get(), b, second.get(), c, static_cast<char *>(C)); });
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

} // namespace
} // namespace heddle::blas

using namespace heddle::blas;

extern "C" __attribute__((visibility("default"))) cublasStatus_t cublasLtMatrixTransform(
    cublasLtHandle_t handle, cublasLtMatrixTransformDesc_t description, const void *alpha,
    const void *A, cublasLtMatrixLayout_t layoutA, const void *beta, const void *B,
    cublasLtMatrixLayout_t layoutB, void *C, cublasLtMatrixLayout_t layoutC, cudaStream_t stream) {
  if (!handle)
    return logged("cublasLtMatrixTransform", CUBLAS_STATUS_NOT_INITIALIZED);
  if (!description)
    return logged("cublasLtMatrixTransform", CUBLAS_STATUS_INVALID_VALUE);
  return logged("cublasLtMatrixTransform",
                transform(inside<Transform>(description), alpha, A, layoutA, beta, B, layoutB, C,
                          layoutC, stream));
}
