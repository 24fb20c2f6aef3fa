// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that CUDA programs include; cuda_bf16.h holds all of it.
#ifndef HEDDLE_CUDA_BF16_HPP
#define HEDDLE_CUDA_BF16_HPP

#include "cuda_bf16.h"

#endif // HEDDLE_CUDA_BF16_HPP
