// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The MRG32k3a generator of the device API. curand_kernel.h includes it.
#ifndef HEDDLE_CURAND_MRG32K3A_H
#define HEDDLE_CURAND_MRG32K3A_H

#include "curand_kernel.h"

#endif // HEDDLE_CURAND_MRG32K3A_H
