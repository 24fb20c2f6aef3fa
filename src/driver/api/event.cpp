// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events (driver API, "Event Management"). An event is recorded in streams of its own context;
// streams of every context may wait for it.
#include "driver/bodies.h"
#include "driver/functions.h"

namespace heddle::driver {

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}

CUresult cuEventDestroy_v2(CUevent event) { return cudaEventDestroy(event); }
CUresult cuEventDestroy(CUevent event) { return cuEventDestroy_v2(event); }

CUresult cuEventRecord(CUevent event, CUstream stream) { return cudaEventRecord(event, stream); }

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  return cudaEventRecordWithFlags(event, stream, flags);
}

CUresult cuEventQuery(CUevent event) { return cudaEventQuery(event); }

CUresult cuEventSynchronize(CUevent event) { return cudaEventSynchronize(event); }

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end) {
  if (!milliseconds) // that is an H200's answer
    return CUDA_ERROR_INVALID_HANDLE;
  return cudaEventElapsedTime(milliseconds, start, end);
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}

} // namespace heddle::driver
