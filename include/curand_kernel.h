// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device API of cuRAND (cuRAND guide, 3 and 5.2): generators as values in kernels. The
// functions work on the host too.
#ifndef HEDDLE_CURAND_KERNEL_H
#define HEDDLE_CURAND_KERNEL_H
#define CURAND_KERNEL_H_


#if !defined(__CUDACC_RTC__)
#include <limits.h>
#include <math.h>
#include <memory.h>
#include <stdlib.h>
#include <string.h>
#endif

#include "curand.h"
#ifdef __cplusplus // there is no C form of the device API
#include "curand_mtgp32_kernel.h"
#include "heddle/random/distributions.h"
#include "heddle/random/philox_fours.h"
#include "heddle/random/poisson.h"
#include "heddle/random/sobol.h"
#endif

#endif // HEDDLE_CURAND_KERNEL_H
