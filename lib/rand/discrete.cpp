// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Discrete distributions for kernels: a table in device memory, in one allocation behind its head.
#include "poisson_table.h"

#include <cuda_runtime_api.h>

#include <cstring>
#include <vector>

using heddle::rand::PoissonTable;

#define HEDDLE_API extern "C" __attribute__((visibility("default")))

HEDDLE_API curandStatus_t curandCreatePoissonDistribution(
    double lambda, curandDiscreteDistribution_t *discrete_distribution) {
  if (!discrete_distribution)
    return CURAND_STATUS_NOT_INITIALIZED;
  if (!(lambda > 0 && lambda <= PoissonTable::MaxLambda))
    return CURAND_STATUS_OUT_OF_RANGE;
  PoissonTable table(lambda, heddle::rand::PoissonMethod::Columns);
  size_t count = table.bounds().size(), bounds = count * sizeof(double);
  size_t size = sizeof(curandDiscreteDistribution_st) + bounds + count * sizeof(unsigned);
  char *memory;
  if (cudaMalloc(reinterpret_cast<void **>(&memory), size) != cudaSuccess)
    return CURAND_STATUS_ALLOCATION_FAILED;
  char *second = memory + sizeof(curandDiscreteDistribution_st);
  curandDiscreteDistribution_st head{};
  head.shift = table.first(), head.length = static_cast<unsigned>(count);
  head.bound = reinterpret_cast<const double *>(second);
  head.other = reinterpret_cast<const unsigned *>(second + bounds);
  std::vector<char> image(size);
  std::memcpy(image.data(), &head, sizeof head);
  std::memcpy(image.data() + sizeof head, table.bounds().data(), bounds);
  std::memcpy(image.data() + sizeof head + bounds, table.others().data(), count * sizeof(unsigned));
  if (cudaMemcpy(memory, image.data(), size, cudaMemcpyHostToDevice) != cudaSuccess) {
    cudaFree(memory);
    return CURAND_STATUS_INITIALIZATION_FAILED;
  }
  *discrete_distribution = reinterpret_cast<curandDiscreteDistribution_t>(memory);
  return CURAND_STATUS_SUCCESS;
}

HEDDLE_API curandStatus_t
curandDestroyDistribution(curandDiscreteDistribution_t discrete_distribution) {
  if (!discrete_distribution)
    return CURAND_STATUS_NOT_INITIALIZED;
  return cudaFree(discrete_distribution) == cudaSuccess ? CURAND_STATUS_SUCCESS
                                                        : CURAND_STATUS_INTERNAL_ERROR;
}
