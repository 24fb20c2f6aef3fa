// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUPTI: its version (that of CUDA 12.0).
#ifndef HEDDLE_CUPTI_VERSION_H
#define HEDDLE_CUPTI_VERSION_H

#include <stdint.h>

#include "cupti_result.h"

#define CUPTI_API_VERSION 18
#ifndef CUPTIAPI
#define CUPTIAPI
#endif

#if defined(__cplusplus)
extern "C" {
#endif
CUptiResult CUPTIAPI cuptiGetVersion(uint32_t *version);
CUptiResult CUPTIAPI cuptiGetTimestamp(uint64_t *timestamp);
CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult result, const char **text);
CUptiResult CUPTIAPI cuptiFinalize(void);
#if defined(__cplusplus)
}
#endif

#endif
