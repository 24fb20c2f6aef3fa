// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cupti/listening.h"

#include <cstdlib>
#include <mutex>

#include <dlfcn.h>

namespace heddle::cupti {

namespace {

constexpr profile::Listener Listener = {callBegins,
                                        [](const profile::ApiCall &call) {
                                          callEnds(call);
                                          keepCall(call);
                                        },
                                        keepWork, keepRange};

/// NVTX finds the driver's library, which hears of ranges, if no other tool is asked for.
void hearRanges() {
  Dl_info library;
  if (dladdr(reinterpret_cast<void *>(heddle_listen), &library) && library.dli_fname)
    setenv("NVTX_INJECTION64_PATH", library.dli_fname, 0);
}

} // namespace

void listen() {
  static std::once_flag once;
  std::call_once(once, [] {
    hearRanges();
    heddle_listen(&Listener);
  });
}

} // namespace heddle::cupti

using namespace heddle::cupti;

CUptiResult cuptiGetVersion(uint32_t *version) {
  if (!version)
    return CUPTI_ERROR_INVALID_PARAMETER;
  *version = CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(uint64_t *timestamp) {
  if (!timestamp)
    return CUPTI_ERROR_INVALID_PARAMETER;
  *timestamp = heddle_timestamp();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text) {
  if (!text)
    return CUPTI_ERROR_INVALID_PARAMETER;
  switch (result) {
#define NAME(CODE)                                                                                 \
  case CODE:                                                                                       \
    *text = #CODE;                                                                                 \
    return CUPTI_SUCCESS;
    NAME(CUPTI_SUCCESS)
    NAME(CUPTI_ERROR_INVALID_PARAMETER)
    NAME(CUPTI_ERROR_INVALID_DEVICE)
    NAME(CUPTI_ERROR_INVALID_CONTEXT)
    NAME(CUPTI_ERROR_INVALID_EVENT_DOMAIN_ID)
    NAME(CUPTI_ERROR_INVALID_EVENT_ID)
    NAME(CUPTI_ERROR_INVALID_EVENT_NAME)
    NAME(CUPTI_ERROR_INVALID_OPERATION)
    NAME(CUPTI_ERROR_OUT_OF_MEMORY)
    NAME(CUPTI_ERROR_HARDWARE)
    NAME(CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT)
    NAME(CUPTI_ERROR_API_NOT_IMPLEMENTED)
    NAME(CUPTI_ERROR_MAX_LIMIT_REACHED)
    NAME(CUPTI_ERROR_NOT_READY)
    NAME(CUPTI_ERROR_NOT_COMPATIBLE)
    NAME(CUPTI_ERROR_NOT_INITIALIZED)
    NAME(CUPTI_ERROR_INVALID_METRIC_ID)
    NAME(CUPTI_ERROR_INVALID_METRIC_NAME)
    NAME(CUPTI_ERROR_QUEUE_EMPTY)
    NAME(CUPTI_ERROR_INVALID_HANDLE)
    NAME(CUPTI_ERROR_INVALID_STREAM)
    NAME(CUPTI_ERROR_INVALID_KIND)
    NAME(CUPTI_ERROR_INVALID_EVENT_VALUE)
    NAME(CUPTI_ERROR_DISABLED)
    NAME(CUPTI_ERROR_INVALID_MODULE)
    NAME(CUPTI_ERROR_INVALID_METRIC_VALUE)
    NAME(CUPTI_ERROR_HARDWARE_BUSY)
    NAME(CUPTI_ERROR_NOT_SUPPORTED)
    NAME(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
    NAME(CUPTI_ERROR_UNKNOWN)
#undef NAME
  default:
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
}
