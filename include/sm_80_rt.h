// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that CUDA programs include; cuda_runtime.h holds all of it.
#ifndef HEDDLE_SM_80_RT_H
#define HEDDLE_SM_80_RT_H

#include "cuda_runtime.h"

#endif
