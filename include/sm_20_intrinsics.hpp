// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that CUDA programs include; sm_20_intrinsics.h holds all of it.
#ifndef HEDDLE_SM_20_INTRINSICS_HPP
#define HEDDLE_SM_20_INTRINSICS_HPP

#include "sm_20_intrinsics.h"

#endif // HEDDLE_SM_20_INTRINSICS_HPP
