// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that CUDA programs include; cuda_runtime_api.h holds all of it.
#ifndef HEDDLE_BUILTIN_TYPES_H
#define HEDDLE_BUILTIN_TYPES_H

#include "cuda_runtime_api.h"

#endif
