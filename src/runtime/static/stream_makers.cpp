// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes streams that the default stream does not wait for. The linker takes this file into
// programs that name one of these functions, and so says which programs may do so.
#include "runtime/static/jump.h"

asm(HEDDLE_FUNCTION(cudaStreamCreateWithFlags) HEDDLE_FUNCTION(cudaStreamCreateWithPriority));

extern "C" __attribute__((visibility("hidden"))) const char heddle_makes_streams;
extern "C" const char heddle_makes_streams = 1;
