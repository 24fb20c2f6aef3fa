// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that CUDA programs include; the types are C's.
#ifndef HEDDLE_CUDA_STDINT_H
#define HEDDLE_CUDA_STDINT_H

#include <stdint.h>

#endif // HEDDLE_CUDA_STDINT_H
