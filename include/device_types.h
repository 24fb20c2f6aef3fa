// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding modes by name. Valid in C and in C++.
#ifndef HEDDLE_ROUND_MODE_H
#define HEDDLE_ROUND_MODE_H

#include "host_defines.h"

enum cudaRoundMode {
  cudaRoundNearest = 0,
  cudaRoundZero = 1,
  cudaRoundPosInf = 2,
  cudaRoundMinInf = 3
};

#endif
