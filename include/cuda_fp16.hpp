// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that CUDA programs include; cuda_fp16.h holds all of it.
#ifndef HEDDLE_CUDA_FP16_HPP
#define HEDDLE_CUDA_FP16_HPP

#include "cuda_fp16.h"

#endif // HEDDLE_CUDA_FP16_HPP
