// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a plan would need, and what it needs. Both are exact (workBytes), so estimates are as good
// as the rest.
#include "fft/plan.h"

#include <algorithm>

using namespace heddle::fft;

namespace {

cufftResult sizeOf(cufftResult valid, const Problem &problem, size_t *workSize) {
  if (valid != CUFFT_SUCCESS)
    return valid;
  if (!workSize)
    return CUFFT_INVALID_VALUE;
  *workSize = workBytes(problem);
  return CUFFT_SUCCESS;
}

cufftResult sizeOf(const Description &description, cufftType type, size_t *workSize) {
  Problem problem;
  cufftResult valid = problemOf(description, type, problem);
  return sizeOf(valid, problem, workSize);
}

template <typename I>
cufftResult sizeOfMany(int rank, I *n, I *inembed, I istride, I idist, I *onembed, I ostride,
                       I odist, cufftType type, I batch, size_t *workSize) {
  Description description;
  cufftResult valid = describeMany<I>(rank, n, inembed, istride, idist, onembed, ostride, odist,
                                      batch, description);
  return valid == CUFFT_SUCCESS ? sizeOf(description, type, workSize) : valid;
}

/// The functions that take a handle want one that is.
template <typename Size> cufftResult withPlan(cufftHandle plan, Size size) {
  return findPlan(plan) ? size() : CUFFT_INVALID_PLAN;
}

} // namespace

extern "C" {
#pragma GCC visibility push(default)

cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t *workSize) {
  return sizeOf(describe({nx}, batch), type, workSize);
}

cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t *workSize) {
  return sizeOf(describe({nx, ny}), type, workSize);
}

cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t *workSize) {
  return sizeOf(describe({nx, ny, nz}), type, workSize);
}

cufftResult cufftEstimateMany(int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                              int ostride, int odist, cufftType type, int batch, size_t *workSize) {
  return sizeOfMany<int>(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch,
                         workSize);
}

cufftResult cufftGetSize1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *workSize) {
  return withPlan(plan, [&] { return cufftEstimate1d(nx, type, batch, workSize); });
}

cufftResult cufftGetSize2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *workSize) {
  return withPlan(plan, [&] { return cufftEstimate2d(nx, ny, type, workSize); });
}

cufftResult cufftGetSize3d(cufftHandle plan, int nx, int ny, int nz, cufftType type,
                           size_t *workSize) {
  return withPlan(plan, [&] { return cufftEstimate3d(nx, ny, nz, type, workSize); });
}

cufftResult cufftGetSizeMany(cufftHandle plan, int rank, int *n, int *inembed, int istride,
                             int idist, int *onembed, int ostride, int odist, cufftType type,
                             int batch, size_t *workSize) {
  return withPlan(plan, [&] {
    return cufftEstimateMany(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch,
                             workSize);
  });
}

cufftResult cufftGetSizeMany64(cufftHandle plan, int rank, long long *n, long long *inembed,
                               long long istride, long long idist, long long *onembed,
                               long long ostride, long long odist, cufftType type, long long batch,
                               size_t *workSize) {
  return withPlan(plan, [&] {
    return sizeOfMany<long long>(rank, n, inembed, istride, idist, onembed, ostride, odist, type,
                                 batch, workSize);
  });
}

cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long *n, long long *inembed,
                               long long istride, long long idist, cudaDataType inputtype,
                               long long *onembed, long long ostride, long long odist,
                               cudaDataType outputtype, long long batch, size_t *workSize,
                               cudaDataType executiontype) {
  return withPlan(plan, [&] {
    Description description;
    Problem problem;
    cufftResult valid = describeMany<long long>(rank, n, inembed, istride, idist, onembed, ostride,
                                                odist, batch, description);
    if (valid == CUFFT_SUCCESS)
      valid = problemOf(description, inputtype, outputtype, executiontype, problem);
    return sizeOf(valid, problem, workSize);
  });
}

cufftResult cufftGetSize(cufftHandle handle, size_t *workSize) {
  std::shared_ptr<Plan> plan = findPlan(handle);
  if (!plan || !plan->made)
    return CUFFT_INVALID_PLAN;
  if (plan->devices.empty() || !workSize)
    return sizeOf(CUFFT_SUCCESS, plan->problem, workSize);
  std::fill_n(workSize, plan->devices.size(), 0); // one for each device
  return CUFFT_SUCCESS;
}

#pragma GCC visibility pop
}
