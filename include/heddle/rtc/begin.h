// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every program of NVRTC begins with, compiled once (src/frontend/cuda/prelude.cpp): all that
// nvcc's programs have from cuda_runtime.h, without the host's headers. Those that our headers name
// are stand-ins in standard/, which programs do not see: they bring their own, or none.
#ifndef HEDDLE_RTC_BEGIN_H
#define HEDDLE_RTC_BEGIN_H
#include <cuda_runtime.h>

// What standard/ defines for our headers.
#undef numeric_limits
#undef nothrow_t
#undef FP_NAN
#undef FP_INFINITE
#undef FP_ZERO
#undef FP_SUBNORMAL
#undef FP_NORMAL
#undef HUGE_VAL
#undef HUGE_VALF
#undef INT_MAX
#undef INT_MIN
#endif
