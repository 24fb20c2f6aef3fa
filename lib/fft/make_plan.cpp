// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fft/plan.h"

#include <cuda_runtime_api.h>

#include <algorithm>

using namespace heddle::fft;

bool heddle::fft::isForDevices(const Problem &problem) {
  return !problem.advanced && (problem.number == Number::Float || problem.number == Number::Double);
}

namespace {

/// Memory for the plan's work area, if it is to be the plan's own.
cufftResult allocateWorkArea(Plan &plan) {
  size_t bytes = workBytes(plan.problem);
  if (bytes == 0 || !plan.allocatesWorkArea || plan.workArea || !plan.devices.empty())
    return CUFFT_SUCCESS;
  cudaError_t error = cudaMalloc(&plan.ownWorkArea, bytes);
  plan.workArea = plan.ownWorkArea;
  return resultOf(error);
}

cufftResult makePlan(cufftHandle handle, cufftResult valid, const Problem &problem,
                     size_t *workSize) {
  std::shared_ptr<Plan> plan = findPlan(handle);
  if (!plan)
    return CUFFT_INVALID_PLAN;
  std::lock_guard lock(plan->mutex);
  if (plan->made)
    return CUFFT_INVALID_PLAN;
  if (valid != CUFFT_SUCCESS)
    return valid;
  if (!plan->devices.empty() && !isForDevices(problem))
    return CUFFT_NOT_SUPPORTED;
  if (!isAvailable(problem.number))
    return CUFFT_SETUP_FAILED;
  plan->problem = problem;
  cudaGetDevice(&plan->device);
  if (cufftResult result = allocateWorkArea(*plan); result != CUFFT_SUCCESS)
    return result;
  plan->made = true;
  if (workSize && !plan->devices.empty())
    std::fill_n(workSize, plan->devices.size(), 0); // one for each device
  else if (workSize)
    *workSize = workBytes(problem);
  return CUFFT_SUCCESS;
}

cufftResult makePlan(cufftHandle handle, const Description &description, cufftType type,
                     size_t *workSize) {
  Problem problem;
  cufftResult valid = problemOf(description, type, problem);
  return makePlan(handle, valid, problem, workSize);
}

template <typename I>
cufftResult makeMany(cufftHandle handle, int rank, I *n, I *inembed, I istride, I idist, I *onembed,
                     I ostride, I odist, cufftType type, I batch, size_t *workSize) {
  Description description;
  Problem problem;
  cufftResult valid = describeMany<I>(rank, n, inembed, istride, idist, onembed, ostride, odist,
                                      batch, description);
  if (valid == CUFFT_SUCCESS)
    valid = problemOf(description, type, problem);
  return makePlan(handle, valid, problem, workSize);
}

/// A handle and its plan in one call; no handle is left if the plan fails.
template <typename Make> cufftResult createAndMake(cufftHandle *handle, Make make) {
  cufftHandle created;
  cufftResult result = handle ? addPlan(&created) : CUFFT_INVALID_VALUE;
  if (result != CUFFT_SUCCESS)
    return result;
  result = make(created);
  if (result == CUFFT_SUCCESS)
    *handle = created;
  else
    removePlan(created);
  return result;
}

} // namespace

extern "C" {
#pragma GCC visibility push(default)

cufftResult cufftCreate(cufftHandle *plan) { return addPlan(plan); }

cufftResult cufftDestroy(cufftHandle plan) { return removePlan(plan); }

cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *workSize) {
  return makePlan(plan, describe({nx}, batch), type, workSize);
}

cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *workSize) {
  return makePlan(plan, describe({nx, ny}), type, workSize);
}

cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type,
                            size_t *workSize) {
  return makePlan(plan, describe({nx, ny, nz}), type, workSize);
}

cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed, int istride,
                              int idist, int *onembed, int ostride, int odist, cufftType type,
                              int batch, size_t *workSize) {
  return makeMany<int>(plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch,
                       workSize);
}

cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long *n, long long *inembed,
                                long long istride, long long idist, long long *onembed,
                                long long ostride, long long odist, cufftType type, long long batch,
                                size_t *workSize) {
  return makeMany<long long>(plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type,
                             batch, workSize);
}

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n, long long *inembed,
                                long long istride, long long idist, cudaDataType inputtype,
                                long long *onembed, long long ostride, long long odist,
                                cudaDataType outputtype, long long batch, size_t *workSize,
                                cudaDataType executiontype) {
  Description description;
  Problem problem;
  cufftResult valid = describeMany<long long>(rank, n, inembed, istride, idist, onembed, ostride,
                                              odist, batch, description);
  if (valid == CUFFT_SUCCESS)
    valid = problemOf(description, inputtype, outputtype, executiontype, problem);
  return makePlan(plan, valid, problem, workSize);
}

cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch) {
  return createAndMake(plan, [&](cufftHandle created) {
    return cufftMakePlan1d(created, nx, type, batch, nullptr);
  });
}

cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type) {
  return createAndMake(
      plan, [&](cufftHandle created) { return cufftMakePlan2d(created, nx, ny, type, nullptr); });
}

cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type) {
  return createAndMake(plan, [&](cufftHandle created) {
    return cufftMakePlan3d(created, nx, ny, nz, type, nullptr);
  });
}

cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist,
                          int *onembed, int ostride, int odist, cufftType type, int batch) {
  return createAndMake(plan, [&](cufftHandle created) {
    return cufftMakePlanMany(created, rank, n, inembed, istride, idist, onembed, ostride, odist,
                             type, batch, nullptr);
  });
}

#pragma GCC visibility pop
}
