// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles of the sparse part, its systems of equations and permutations (cuSOLVER, "cuSolverSP:
// sparse LAPACK Function Reference"). All functions tell the host something, so they wait; the
// forms for the host and for the device do the same, behind what is in the stream. The order of
// rows is SuiteSparse's choice, whatever `reorder` asks for.
#include "solver/sparse/matrices.h"

using namespace heddle::solver;

namespace {

template <typename T>
cusolverStatus_t solveSystem(cusolverSpHandle_t handle, sparse::Method method, int n, int nnz,
                             const cusparseMatDescr_t descr, const T *values, const int *offsets,
                             const int *indices, const T *b, double tolerance, int reorder, T *x,
                             int *singularity) {
  HEDDLE_CHECK(handle,
               n >= 0 && nnz >= 0 && reorder >= 0 && reorder <= 3 && values && offsets && indices &&
                   b && x && singularity,
               descr);
  bool available = true;
  cusolverStatus_t status =
      inStreamAndWait(handle, [=, base = int(cusparseGetMatIndexBase(descr)), out = &available] {
        using W = Widened<T>;
        std::vector<W> right(b, b + n), solution;
        sparse::Outcome outcome = sparse::solve(method, widen(n, base, values, offsets, indices),
                                                right, tolerance, solution);
        *out = outcome.available, *singularity = outcome.singularity;
        for (int i = 0; outcome.available && i < n; ++i)
          x[i] = T(solution[i]);
      });
  return available ? status : CUSOLVER_STATUS_INTERNAL_ERROR;
}

/// The nodes from one on, nearest first and of those the ones with few neighbours. Returns the last
/// one's.
int visit(const Graph &graph, int start, std::vector<bool> &seen, std::vector<int> &order) {
  size_t next = order.size();
  order.push_back(start), seen[start] = true;
  while (next < order.size()) {
    std::vector<int> found;
    for (int node : graph.neighbours[order[next++]])
      if (!seen[node])
        seen[node] = true, found.push_back(node);
    std::sort(found.begin(), found.end(), [&](int a, int b) {
      size_t da = graph.neighbours[a].size(), db = graph.neighbours[b].size();
      return da != db ? da < db : a < b;
    });
    order.insert(order.end(), found.begin(), found.end());
  }
  return order.back();
}

/// Cuthill's and McKee's order, reversed; each part begins at an end of it, found by one visit
/// before.
std::vector<int> narrowBand(const Graph &graph) {
  int n = static_cast<int>(graph.neighbours.size());
  std::vector<bool> seen(n), tried(n);
  std::vector<int> order, trial;
  for (int node = 0; node < n; ++node)
    if (!seen[node]) {
      trial.clear();
      visit(graph, visit(graph, node, tried, trial), seen, order);
    }
  std::reverse(order.begin(), order.end());
  return order;
}

/// Rows and columns in the order of p and q; `map` goes along with the elements.
cusolverStatus_t permute(int m, int n, int base, int *offsets, int *indices, const int *p,
                         const int *q, int *map) {
  std::vector<int> columnOf(n), newOffsets{base}, newIndices, newMap;
  for (int j = 0; j < n; ++j)
    columnOf[q[j]] = j;
  for (int row = 0; row < m; ++row) {
    std::vector<std::pair<int, int>> line;
    for (int k = offsets[p[row]] - base; k < offsets[p[row] + 1] - base; ++k)
      line.emplace_back(columnOf[indices[k] - base], map[k]);
    std::sort(line.begin(), line.end());
    for (auto [column, from] : line)
      newIndices.push_back(column + base), newMap.push_back(from);
    newOffsets.push_back(static_cast<int>(newIndices.size()) + base);
  }
  std::copy(newOffsets.begin(), newOffsets.end(), offsets);
  std::copy(newIndices.begin(), newIndices.end(), indices);
  std::copy(newMap.begin(), newMap.end(), map);
  return CUSOLVER_STATUS_SUCCESS;
}

} // namespace

HEDDLE_EXPORT cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t *handle) {
  HEDDLE_REQUIRE(handle, INVALID_VALUE);
  HEDDLE_REQUIRE(cudaFree(nullptr) == cudaSuccess, NOT_INITIALIZED);
  *handle = new cusolverSpContext;
  return CUSOLVER_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t stream) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusolverStatus_t cusolverSpGetStream(cusolverSpHandle_t handle,
                                                   cudaStream_t *stream) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(stream, INVALID_VALUE);
  *stream = handle->stream;
  return CUSOLVER_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int m, int nnzA,
                                                       const cusparseMatDescr_t descrA,
                                                       const int *csrRowPtrA, const int *csrEndPtrA,
                                                       const int *csrColIndA, int *issym) {
  HEDDLE_CHECK(handle, m >= 0 && nnzA >= 0 && csrRowPtrA && csrEndPtrA && issym, descrA);
  int base = cusparseGetMatIndexBase(descrA);
  std::vector<std::pair<int, int>> places, turned;
  for (int row = 0; row < m; ++row)
    for (int k = csrRowPtrA[row] - base; k < csrEndPtrA[row] - base; ++k) {
      places.emplace_back(row, csrColIndA[k] - base);
      turned.emplace_back(csrColIndA[k] - base, row);
    }
  std::sort(places.begin(), places.end());
  std::sort(turned.begin(), turned.end());
  *issym = places == turned;
  return CUSOLVER_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusolverStatus_t cusolverSpXcsrsymrcmHost(cusolverSpHandle_t handle, int n, int nnzA,
                                                        const cusparseMatDescr_t descrA,
                                                        const int *csrRowPtrA,
                                                        const int *csrColIndA, int *p) {
  HEDDLE_CHECK(handle, n >= 0 && nnzA >= 0 && csrRowPtrA && p, descrA);
  std::vector<int> order =
      narrowBand(Graph(n, cusparseGetMatIndexBase(descrA), csrRowPtrA, csrColIndA));
  std::copy(order.begin(), order.end(), p);
  return CUSOLVER_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(
    cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,
    const int *csrRowPtrA, const int *csrColIndA, const int *p, const int *q,
    size_t *bufferSizeInBytes) {
  HEDDLE_CHECK(handle, m >= 0 && n >= 0 && nnzA >= 0 && p && q && bufferSizeInBytes, descrA);
  *bufferSizeInBytes = 16;
  return CUSOLVER_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n,
                                                      int nnzA, const cusparseMatDescr_t descrA,
                                                      int *csrRowPtrA, int *csrColIndA,
                                                      const int *p, const int *q, int *map,
                                                      void *pBuffer) {
  HEDDLE_CHECK(handle, m >= 0 && n >= 0 && nnzA >= 0 && csrRowPtrA && p && q && map, descrA);
  return permute(m, n, cusparseGetMatIndexBase(descrA), csrRowPtrA, csrColIndA, p, q, map);
}

#define HEDDLE_SOLVER(p, T, R, name, method)                                                       \
  HEDDLE_EXPORT cusolverStatus_t cusolverSp##p##name(                                              \
      cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t descrA, const T *csrVal, \
      const int *csrRowPtr, const int *csrColInd, const T *b, R tol, int reorder, T *x,            \
      int *singularity) {                                                                          \
    return solveSystem(handle, sparse::Method::method, n, nnz, descrA, native(csrVal), csrRowPtr,  \
                       csrColInd, native(b), tol, reorder, native(x), singularity);                \
  }
#define HEDDLE_SOLVERS(p, T, R)                                                                    \
  HEDDLE_SOLVER(p, T, R, csrlsvluHost, LU)                                                         \
  HEDDLE_SOLVER(p, T, R, csrlsvqr, QR)                                                             \
  HEDDLE_SOLVER(p, T, R, csrlsvqrHost, QR)                                                         \
  HEDDLE_SOLVER(p, T, R, csrlsvchol, Cholesky)                                                     \
  HEDDLE_SOLVER(p, T, R, csrlsvcholHost, Cholesky)
HEDDLE_SOLVERS(S, float, float)
HEDDLE_SOLVERS(D, double, double)
HEDDLE_SOLVERS(C, cuComplex, float)
HEDDLE_SOLVERS(Z, cuDoubleComplex, double)
