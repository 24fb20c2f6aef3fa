// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types that clang lays out by the device's `long double`, which is a double, and that structures
// hold on both sides: as the host has them. Before any standard header. (A member of type
// `long double` itself has two layouts, as under nvcc.)
#ifndef HEDDLE_DEVICE_LAYOUT_H
#define HEDDLE_DEVICE_LAYOUT_H

#ifdef __CUDA_ARCH__
#define __CLANG_MAX_ALIGN_T_DEFINED // that of clang's <stddef.h>
#define _GCC_MAX_ALIGN_T
typedef struct {
  long long __heddle_first __attribute__((__aligned__(__alignof__(long long))));
  long double __heddle_second __attribute__((__aligned__(16)));
} max_align_t;
#endif

#endif
