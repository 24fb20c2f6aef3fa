// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that CUDA programs include; mma.h holds all of it.
#ifndef HEDDLE_MMA_HPP
#define HEDDLE_MMA_HPP

#include "mma.h"

#endif // HEDDLE_MMA_HPP
