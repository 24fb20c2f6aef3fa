// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fft/plan.h"

#include <cuda_runtime_api.h>

#include <limits>
#include <utility>

using namespace heddle::fft;

void heddle::fft::useWorkArea(Plan &plan, void *workArea) {
  if (void *own = std::exchange(plan.ownWorkArea, nullptr))
    cudaFree(own);
  plan.workArea = workArea;
}

namespace {

/// Calls `set` on a plan, under its lock.
template <typename Set> cufftResult setOn(cufftHandle handle, Set set) {
  std::shared_ptr<Plan> plan = findPlan(handle);
  if (!plan)
    return CUFFT_INVALID_PLAN;
  std::lock_guard lock(plan->mutex);
  return set(*plan);
}

/// The value of a property and the values that it may have; null for what is no property.
struct PropertyRange {
  long long *value, least, most, initial;
};

PropertyRange propertyOf(Plan &plan, cufftProperty property) {
  switch (property) {
  case NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT:
    return {&plan.patientJit, 0, 1, 1};
  case NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS:
    return {&plan.hostThreads, 1, std::numeric_limits<int>::max(), 1};
  }
  return {};
}

} // namespace

extern "C" {
#pragma GCC visibility push(default)

cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream) {
  return setOn(plan, [&](Plan &plan) {
    plan.stream = stream;
    return CUFFT_SUCCESS;
  });
}

cufftResult cufftSetWorkArea(cufftHandle plan, void *workArea) {
  return setOn(plan, [&](Plan &plan) {
    useWorkArea(plan, workArea);
    return CUFFT_SUCCESS;
  });
}

cufftResult cufftSetAutoAllocation(cufftHandle plan, int autoAllocate) {
  return setOn(plan, [&](Plan &plan) {
    if (plan.made)
      return CUFFT_INVALID_PLAN;
    plan.allocatesWorkArea = autoAllocate != 0;
    return CUFFT_SUCCESS;
  });
}

cufftResult cufftXtSetWorkAreaPolicy(cufftHandle plan, cufftXtWorkAreaPolicy policy,
                                     size_t *workSize) {
  return setOn(plan, [&](Plan &plan) {
    if (!workSize && policy == CUFFT_WORKAREA_USER)
      return CUFFT_INVALID_VALUE;
    size_t needed = plan.made ? workBytes(plan.problem) : 0;
    switch (policy) {
    case CUFFT_WORKAREA_USER:
      return *workSize < needed ? CUFFT_INVALID_SIZE : CUFFT_SUCCESS;
    case CUFFT_WORKAREA_MINIMAL:
    case CUFFT_WORKAREA_PERFORMANCE:
      if (workSize)
        *workSize = needed;
      return CUFFT_SUCCESS;
    }
    return CUFFT_INVALID_VALUE;
  });
}

cufftResult cufftSetPlanPropertyInt64(cufftHandle plan, cufftProperty property,
                                      const long long value) {
  return setOn(plan, [&](Plan &plan) {
    if (plan.made)
      return CUFFT_INVALID_PLAN;
    PropertyRange range = propertyOf(plan, property);
    if (!range.value)
      return CUFFT_NOT_SUPPORTED;
    if (value < range.least || value > range.most)
      return CUFFT_INVALID_VALUE;
    *range.value = value;
    return CUFFT_SUCCESS;
  });
}

cufftResult cufftGetPlanPropertyInt64(cufftHandle plan, cufftProperty property, long long *value) {
  return setOn(plan, [&](Plan &plan) {
    PropertyRange range = propertyOf(plan, property);
    if (!range.value)
      return CUFFT_NOT_SUPPORTED;
    if (!value)
      return CUFFT_INVALID_VALUE;
    *value = *range.value;
    return CUFFT_SUCCESS;
  });
}

cufftResult cufftResetPlanProperty(cufftHandle plan, cufftProperty property) {
  return setOn(plan, [&](Plan &plan) {
    if (plan.made)
      return CUFFT_INVALID_PLAN;
    PropertyRange range = propertyOf(plan, property);
    if (!range.value)
      return CUFFT_NOT_SUPPORTED;
    *range.value = range.initial;
    return CUFFT_SUCCESS;
  });
}

cufftResult cufftGetVersion(int *version) {
  if (!version)
    return CUFFT_INVALID_VALUE;
  *version = CUFFT_VERSION;
  return CUFFT_SUCCESS;
}

cufftResult cufftGetProperty(libraryPropertyType type, int *value) {
  if (!value)
    return CUFFT_INVALID_VALUE;
  switch (type) {
  case MAJOR_VERSION:
    *value = CUFFT_VER_MAJOR;
    return CUFFT_SUCCESS;
  case MINOR_VERSION:
    *value = CUFFT_VER_MINOR;
    return CUFFT_SUCCESS;
  case PATCH_LEVEL:
    *value = CUFFT_VER_PATCH;
    return CUFFT_SUCCESS;
  }
  return CUFFT_INVALID_VALUE;
}

#pragma GCC visibility pop
}
