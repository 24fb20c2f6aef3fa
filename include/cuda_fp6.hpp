// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that CUDA programs include; cuda_fp6.h holds all of it.
#ifndef HEDDLE_CUDA_FP6_HPP
#define HEDDLE_CUDA_FP6_HPP

#include "cuda_fp6.h"

#endif // HEDDLE_CUDA_FP6_HPP
