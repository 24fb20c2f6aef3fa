// RUN: %nvcc -arch=sm_35 -DWANT=350 -rdc=true -G -Xcompiler -DFROM_HOST_OPTIONS -c %s -o %t.o
// RUN: mkdir -p %t.d && touch %t.d/from_host_options.h
// RUN: %nvcc -arch=sm_52 -DWANT=520 -DNOT_RDC -DWITH_HEADER -Xcompiler -isystem,%t.d,-D,FROM_HOST_OPTIONS -c %s -o %t.o
// RUN: %nvcc -gencode arch=compute_75,code=\"sm_75,compute_75\" -DWANT=750 -DNOT_RDC -ewp --extended-lambda -Xcompiler=-DFROM_HOST_OPTIONS -c %s -o %t.o
// RUN: %nvcc -DWANT=900 -DNOT_RDC -DFROM_HOST_OPTIONS -DPER_THREAD --default-stream=per-thread -c %s -o %t.o
// RUN: %nvcc -arch=sm_100 -DWANT=1000 -DNOT_RDC -DFROM_HOST_OPTIONS -UGONE '-DKEPT=f(a,b),BESIDE=1' -c %s -o %t.o
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The macros that programs look at.
#if !defined(__CUDACC__) || !defined(__NVCC__) || !defined(FROM_HOST_OPTIONS)
#error a macro is missing
#endif
#ifdef WITH_HEADER
#include <from_host_options.h>
#endif
#if __CUDACC_VER_MAJOR__ != 12 || __CUDACC_VER_MINOR__ != 8 || CUDART_VERSION != 12080
#error wrong version
#endif
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ != WANT
#error wrong architecture
#endif
#endif
#if defined(__CUDACC_RDC__) == defined(NOT_RDC)
#error __CUDACC_RDC__
#endif
#if WANT == 350 && !defined(__CUDACC_DEBUG__)
#error __CUDACC_DEBUG__
#endif
#if WANT == 750 && !defined(__CUDACC_EXTENDED_LAMBDA__)
#error __CUDACC_EXTENDED_LAMBDA__
#endif
#if !defined(__NVCC_DIAG_PRAGMA_SUPPORT__) || defined(__CUDACC_EWP__) != (WANT == 750)
#error nvcc's pragmas or -ewp
#endif
#if __BIGGEST_ALIGNMENT__ != 16 || defined(__CUDA_ARCH__) != defined(CUDA_DOUBLE_MATH_FUNCTIONS)
#error the halves' macros
#endif
#if defined(PER_THREAD) != defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#error CUDA_API_PER_THREAD_DEFAULT_STREAM
#endif

#define SECOND(a, b) b
#if defined(KEPT) && !defined(BESIDE)
#error one -D holds two macros
#endif
#ifdef KEPT
static_assert(sizeof(SECOND(char, int)) == 4);
#endif

// The host half never has an architecture.
#ifdef __CUDA_ARCH__
__device__ int arch = __CUDA_ARCH__;
#else
int host() { return WANT; }
#endif
