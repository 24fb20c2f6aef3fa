// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUPTI: records of activities and callbacks at calls. Counters (events, metrics, the profiler API) are
// not there: nvprof and ncu tell them.
#ifndef HEDDLE_CUPTI_H
#define HEDDLE_CUPTI_H

#include "cuda.h"
#include "cupti_activity.h"
#include "cupti_callbacks.h"
#include "cupti_result.h"
#include "cupti_version.h"

#endif
