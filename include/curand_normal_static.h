// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that CUDA programs include; curand_kernel.h holds all of it.
#ifndef HEDDLE_CURAND_NORMAL_STATIC_H
#define HEDDLE_CURAND_NORMAL_STATIC_H

#include "curand_kernel.h"

#endif // HEDDLE_CURAND_NORMAL_STATIC_H
