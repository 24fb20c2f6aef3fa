// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fft/plan.h"

#include "fft/fftw.h"

#include <cuda_runtime_api.h>

#include <unordered_map>

namespace heddle::fft {

namespace {

struct Table {
  std::mutex mutex;
  std::unordered_map<cufftHandle, std::shared_ptr<Plan>> plans;
  cufftHandle last = 0;
};

Table &table() {
  static Table &instance = *new Table; // plans that were not destroyed end with the process
  return instance;
}

struct Type {
  Kind kind;
  Number number;
};

bool typeOf(cufftType type, Type &result) {
  switch (type) {
  case CUFFT_C2C:
    result = {Kind::Complex, Number::Float};
    return true;
  case CUFFT_R2C:
    result = {Kind::RealToComplex, Number::Float};
    return true;
  case CUFFT_C2R:
    result = {Kind::ComplexToReal, Number::Float};
    return true;
  case CUFFT_Z2Z:
    result = {Kind::Complex, Number::Double};
    return true;
  case CUFFT_D2Z:
    result = {Kind::RealToComplex, Number::Double};
    return true;
  case CUFFT_Z2D:
    result = {Kind::ComplexToReal, Number::Double};
    return true;
  }
  return false;
}

/// A library's type of elements as number and whether it is complex.
struct Elements {
  Number number;
  bool complex;
};

bool elementsOf(cudaDataType type, Elements &result) {
  switch (type) {
  case CUDA_R_32F:
  case CUDA_C_32F:
    result = {Number::Float, type == CUDA_C_32F};
    return true;
  case CUDA_R_64F:
  case CUDA_C_64F:
    result = {Number::Double, type == CUDA_C_64F};
    return true;
  case CUDA_R_16F:
  case CUDA_C_16F:
    result = {Number::Half, type == CUDA_C_16F};
    return true;
  case CUDA_R_16BF:
  case CUDA_C_16BF:
    result = {Number::BFloat16, type == CUDA_C_16BF};
    return true;
  default:
    return false;
  }
}

bool isPowerOfTwo(int64_t n) { return (n & (n - 1)) == 0; }

/// Sizes below 1 and products that do not fit are no sizes.
bool checkSizes(const Description &description) {
  if (description.batch < 1)
    return false;
  long long points = description.batch;
  for (int i = 0; i < description.rank; ++i)
    if (description.n[i] < 1 || __builtin_mul_overflow(points, description.n[i], &points) ||
        points > (1ll << 50))
      return false;
  return true;
}

/// Given layouts: storage at least as long as the rows that lie in it, strides that move on.
bool checkLayouts(const Problem &problem) {
  for (bool input : {true, false}) {
    const Layout &layout = input ? problem.in : problem.out;
    if (layout.stride < 1 || layout.dist < 0)
      return false;
    for (int i = 1; i < problem.rank; ++i)
      if (layout.embed[i] < (i == problem.rank - 1 ? rowElements(problem, input) : problem.n[i]))
        return false;
  }
  return true;
}

cufftResult fillProblem(const Description &description, Type type, Problem &problem) {
  if (!checkSizes(description))
    return CUFFT_INVALID_SIZE;
  problem = {};
  problem.kind = type.kind;
  problem.number = type.number;
  problem.rank = description.rank;
  problem.batch = description.batch;
  problem.advanced = description.advanced;
  problem.in.stride = description.inStride, problem.in.dist = description.inDist;
  problem.out.stride = description.outStride, problem.out.dist = description.outDist;
  for (int i = 0; i < problem.rank; ++i) {
    problem.n[i] = description.n[i];
    problem.in.embed[i] = description.inEmbed[i];
    problem.out.embed[i] = description.outEmbed[i];
  }
  return problem.advanced && !checkLayouts(problem) ? CUFFT_INVALID_SIZE : CUFFT_SUCCESS;
}

} // namespace

Plan::~Plan() {
  for (void *memory : {ownWorkArea, callbacks.rooms[0], callbacks.rooms[1]})
    if (memory)
      cudaFree(memory);
}

cufftResult addPlan(cufftHandle *handle) {
  if (!handle)
    return CUFFT_INVALID_VALUE;
  // Each is asked for, so that each says which package is missing.
  const bool hasSingle(Fftw<float>::init_threads), hasDouble(Fftw<double>::init_threads);
  if (!hasSingle || !hasDouble)
    return CUFFT_SETUP_FAILED;
  std::lock_guard lock(table().mutex);
  *handle = ++table().last;
  table().plans.emplace(*handle, std::make_shared<Plan>());
  return CUFFT_SUCCESS;
}

std::shared_ptr<Plan> findPlan(cufftHandle handle) {
  std::lock_guard lock(table().mutex);
  auto found = table().plans.find(handle);
  return found == table().plans.end() ? nullptr : found->second;
}

cufftResult removePlan(cufftHandle handle) {
  std::shared_ptr<Plan> last; // deleted without the lock: it waits for the device
  std::lock_guard lock(table().mutex);
  auto found = table().plans.find(handle);
  if (found == table().plans.end())
    return CUFFT_INVALID_PLAN;
  last = std::move(found->second);
  table().plans.erase(found);
  return CUFFT_SUCCESS;
}

cufftResult resultOf(cudaError_t error) {
  switch (error) {
  case cudaSuccess:
    return CUFFT_SUCCESS;
  case cudaErrorMemoryAllocation:
    return CUFFT_ALLOC_FAILED;
  case cudaErrorInvalidValue:
  case cudaErrorInvalidResourceHandle:
    return CUFFT_INVALID_VALUE;
  default:
    return CUFFT_EXEC_FAILED;
  }
}

cufftResult problemOf(const Description &description, cufftType type, Problem &problem) {
  Type known;
  return typeOf(type, known) ? fillProblem(description, known, problem) : CUFFT_INVALID_TYPE;
}

cufftResult problemOf(const Description &description, cudaDataType in, cudaDataType out,
                      cudaDataType execution, Problem &problem) {
  Elements from, to, by;
  if (!elementsOf(in, from) || !elementsOf(out, to) || !elementsOf(execution, by) ||
      from.number != to.number || from.number != by.number || !by.complex ||
      !(from.complex || to.complex))
    return CUFFT_INVALID_TYPE;
  Kind kind = !from.complex ? Kind::RealToComplex
              : !to.complex ? Kind::ComplexToReal
                            : Kind::Complex;
  cufftResult result = fillProblem(description, {kind, from.number}, problem);
  // Reference, "Half-precision cuFFT Transforms": powers of two only, and no strides on the real
  // side.
  if (result == CUFFT_SUCCESS && (by.number == Number::Half || by.number == Number::BFloat16)) {
    for (int i = 0; i < problem.rank; ++i)
      if (!isPowerOfTwo(problem.n[i]))
        return CUFFT_NOT_SUPPORTED;
    if (problem.advanced && ((kind == Kind::RealToComplex && problem.in.stride != 1) ||
                             (kind == Kind::ComplexToReal && problem.out.stride != 1)))
      return CUFFT_NOT_SUPPORTED;
  }
  return result;
}

} // namespace heddle::fft
