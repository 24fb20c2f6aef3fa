// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which CUDA the headers are of: 12 (12.8), or 13 (13.0) with -DHEDDLE_CUDA_VERSION=13, which
// `heddle cc --cuda-version=13` and the environment variable HEDDLE_CUDA_VERSION give.
#ifndef HEDDLE_CUDA_VERSION_H
#define HEDDLE_CUDA_VERSION_H

#ifndef HEDDLE_CUDA_VERSION
#define HEDDLE_CUDA_VERSION 12
#endif

/// CUDA_VERSION and CUDART_VERSION.
#if HEDDLE_CUDA_VERSION == 12
#define HEDDLE_CUDA_NUMBER 12080
#elif HEDDLE_CUDA_VERSION == 13
#define HEDDLE_CUDA_NUMBER 13000
#else
#error "HEDDLE_CUDA_VERSION is 12 or 13"
#endif

#endif
