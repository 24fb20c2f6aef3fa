// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of pointers to the driver API's functions for profiler control.
#ifndef CUDAPROFILERTYPEDEFS_H
#define CUDAPROFILERTYPEDEFS_H

#include "cudaProfiler.h"
#include "cudaTypedefs.h"

#endif
