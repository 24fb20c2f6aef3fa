// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events (runtime API, "Event Management").
#include "runtime/driver.h"

#include <bit>

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  return translate([&] { return ask<&Cu::cuEventCreate>(event, flags); });
}

HEDDLE_API cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return named([&] { return cudaEventCreateWithFlags(event, cudaEventDefault); });
}

HEDDLE_API cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return translate([&] { return ask<&Cu::cuEventDestroy_v2>(event); });
}

HEDDLE_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return translateCurrent([&] { return ask<&Cu::cuEventRecord>(event, stream); });
}

HEDDLE_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                                unsigned flags) {
  return translateCurrent([&] { return ask<&Cu::cuEventRecordWithFlags>(event, stream, flags); });
}

HEDDLE_API cudaError_t cudaEventQuery(cudaEvent_t event) {
  return translateCurrent([&] { return ask<&Cu::cuEventQuery>(event); });
}

HEDDLE_API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return translateCurrent([&] { return ask<&Cu::cuEventSynchronize>(event); });
}

HEDDLE_API cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start,
                                            cudaEvent_t end) {
  return translate([&] {
    return milliseconds ? ask<&Cu::cuEventElapsedTime_v2>(milliseconds, start, end)
                        : CUDA_ERROR_INVALID_VALUE;
  });
}

HEDDLE_API cudaError_t cudaEventElapsedTime_v2(float *milliseconds, cudaEvent_t start,
                                               cudaEvent_t end) {
  return named([&] { return cudaEventElapsedTime(milliseconds, start, end); });
}

HEDDLE_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return translateCurrent([&] { return ask<&Cu::cuStreamWaitEvent>(stream, event, flags); });
}

HEDDLE_API cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event) {
  return translate([&] {
    return ask<&Cu::cuIpcGetEventHandle>(reinterpret_cast<CUipcEventHandle *>(handle), event);
  });
}

HEDDLE_API cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle) {
  return translate([&] {
    return ask<&Cu::cuIpcOpenEventHandle>(event, std::bit_cast<CUipcEventHandle>(handle));
  });
}
