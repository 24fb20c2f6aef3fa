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
#undef offsetof

// A program that asks for its compiler and its system is NVRTC's: it has neither g++'s nor clang's
// macros, nor those of a host.
#undef __NVCC__
#undef __clang__
#undef __clang_major__
#undef __clang_minor__
#undef __clang_patchlevel__
#undef __clang_version__
#undef __GNUC__
#undef __GNUC_MINOR__
#undef __GNUC_PATCHLEVEL__
#undef __GNUG__
#undef _GNU_SOURCE
#undef __gnu_linux__
#undef __linux
#undef __linux__
#undef linux
#undef __unix
#undef __unix__
#undef unix
#undef __x86_64
#undef __x86_64__
#undef __amd64
#undef __amd64__
#undef __MMX__
#undef __SSE__
#undef __SSE2__
#undef __ELF__
#undef __CHAR_BIT__
#undef __FLT_DENORM_MIN__
#undef __FLT_DIG__
#undef __FLT_EPSILON__
#undef __FLT_MANT_DIG__
#undef __FLT_MAX__
#undef __FLT_MAX_10_EXP__
#undef __FLT_MAX_EXP__
#undef __FLT_MIN__
#undef __FLT_MIN_10_EXP__
#undef __FLT_MIN_EXP__
#undef __DBL_DENORM_MIN__
#undef __DBL_DIG__
#undef __DBL_EPSILON__
#undef __DBL_MANT_DIG__
#undef __DBL_MAX__
#undef __DBL_MAX_10_EXP__
#undef __DBL_MAX_EXP__
#undef __DBL_MIN__
#undef __DBL_MIN_10_EXP__
#undef __DBL_MIN_EXP__
#undef __FLT_RADIX__
#endif
