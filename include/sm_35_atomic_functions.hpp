// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that CUDA programs include; sm_35_atomic_functions.h holds all of it.
#ifndef HEDDLE_SM_35_ATOMIC_FUNCTIONS_HPP
#define HEDDLE_SM_35_ATOMIC_FUNCTIONS_HPP

#include "sm_35_atomic_functions.h"

#endif // HEDDLE_SM_35_ATOMIC_FUNCTIONS_HPP
