// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Log-normal numbers of the device API. curand_kernel.h includes it.
#ifndef HEDDLE_CURAND_LOGNORMAL_H
#define HEDDLE_CURAND_LOGNORMAL_H

#include "curand_kernel.h"

#endif // HEDDLE_CURAND_LOGNORMAL_H
