// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVTX by its older name.
#ifndef HEDDLE_NV_TOOLS_EXT_CUDA_H
#define HEDDLE_NV_TOOLS_EXT_CUDA_H
#include "nvtx3/nvToolsExtCuda.h"
#endif
