// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the static library lacks: it has the callbacks (callbacks.cu), which unsupported.cpp refuses.
#include "support/unsupported.h"

HEDDLE_LIBRARY_Unsupported(cufftXtSetDistribution, 16) // CUFFT_NOT_SUPPORTED
HEDDLE_LIBRARY_Unsupported(cufftXtSetSubformatDefault, 16)
HEDDLE_LIBRARY_Unsupported(cufftXtSetJITCallback, 16)
