// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that CUDA programs include; vector_functions.h holds all of it.
#ifndef HEDDLE_VECTOR_FUNCTIONS_HPP
#define HEDDLE_VECTOR_FUNCTIONS_HPP

#include "vector_functions.h"

#endif // HEDDLE_VECTOR_FUNCTIONS_HPP
