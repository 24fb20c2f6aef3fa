// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of pointers to the driver API's functions, for cuGetProcAddress and
// cudaGetDriverEntryPoint.
#ifndef CUDATYPEDEFS_H
#define CUDATYPEDEFS_H

#include "cuda.h"

#include "heddle/driver_pointers.inc"

#endif
