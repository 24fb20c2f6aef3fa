// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that CUDA programs include; device_functions.h holds all of it.
#ifndef HEDDLE_DEVICE_FUNCTIONS_HPP
#define HEDDLE_DEVICE_FUNCTIONS_HPP

#include "device_functions.h"

#endif // HEDDLE_DEVICE_FUNCTIONS_HPP
