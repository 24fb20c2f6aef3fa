// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that CUDA programs include; cupti_callbacks.h holds all of it.
#ifndef HEDDLE_CUPTI_RUNTIME_CBID_H
#define HEDDLE_CUPTI_RUNTIME_CBID_H

#include "cupti_callbacks.h"

#endif // HEDDLE_CUPTI_RUNTIME_CBID_H
