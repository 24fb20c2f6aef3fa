// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_CRT_MMA_H
#define HEDDLE_CRT_MMA_H
#include "../mma.h"
#endif
