// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that CUDA programs include.
#ifndef HEDDLE_DEVICE_TYPES_H
#define HEDDLE_DEVICE_TYPES_H

#include "driver_types.h"

#endif
