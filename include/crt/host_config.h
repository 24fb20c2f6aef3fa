// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that CUDA programs include.
#ifndef HEDDLE_CRT_HOST_CONFIG_H
#define HEDDLE_CRT_HOST_CONFIG_H

#include "../host_defines.h"

#endif
