// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that CUDA programs include; math_functions.h holds all of it.
#ifndef HEDDLE_CRT_MATH_FUNCTIONS_HPP
#define HEDDLE_CRT_MATH_FUNCTIONS_HPP

#include "math_functions.h"

#endif // HEDDLE_CRT_MATH_FUNCTIONS_HPP
