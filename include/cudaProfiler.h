// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The profiler control of the CUDA driver API; cuda.h declares it.
#ifndef CUDAPROFILER_H
#define CUDAPROFILER_H

#include "cuda.h"

#endif
