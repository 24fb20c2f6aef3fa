// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the headers ask for that stand in for those of a newer libcu++.
#ifndef HEDDLE_CUDA_STD_DIALECT_H
#define HEDDLE_CUDA_STD_DIALECT_H

#if __cplusplus < 201703L
#error "the headers of libcu++ that come with CUDA 12 and 13 need C++17"
#endif

#endif
