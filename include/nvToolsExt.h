// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVTX by its older name: programs that include it link libnvToolsExt.so, which has the same
// functions.
#ifndef HEDDLE_NV_TOOLS_EXT_H
#define HEDDLE_NV_TOOLS_EXT_H
#include "nvtx3/nvToolsExt.h"
#endif
