// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --default-stream per-thread: the twins of the functions that use a stream
// (include/heddle/per_thread_names.h). A twin is the function itself, called with the null stream
// meaning the calling thread's own.
#include "runtime/thread.h"

#include "base/per_thread_scope.h"

using namespace heddle::runtime;

#define HEDDLE_TWIN_None(returns, symbol, parameters, arguments)
#define HEDDLE_TWIN_ptds(returns, symbol, parameters, arguments)                                   \
  HEDDLE_API returns symbol##_ptds parameters {                                                    \
    heddle::PerThreadScope scope;                                                                  \
    return ::symbol arguments;                                                                     \
  }
#define HEDDLE_TWIN_ptsz(returns, symbol, parameters, arguments)                                   \
  HEDDLE_API returns symbol##_ptsz parameters {                                                    \
    heddle::PerThreadScope scope;                                                                  \
    return ::symbol arguments;                                                                     \
  }
#define HEDDLE_RUNTIME(group, state, majors, twin, sides, returns, symbol, parameters, arguments)  \
  HEDDLE_TWIN_##twin(returns, symbol, parameters, arguments)
#include "runtime/runtime.def"

#define HEDDLE_RENAMED(major, name, symbol)
#define HEDDLE_ADAPTED(major, group, twin, sides, returns, name, parameters, arguments)            \
  HEDDLE_TWIN_##twin(returns, heddle_##major##_##name, parameters, arguments)
#include "runtime/majors.def"

// cudaStreamGetCaptureInfo of CUDA 11, under its own name.
#undef cudaStreamGetCaptureInfo
HEDDLE_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                                cudaStreamCaptureStatus *status,
                                                unsigned long long *id) {
  return cudaStreamGetCaptureInfo_v2(stream, status, id);
}
