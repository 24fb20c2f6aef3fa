// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/module_image.h"
#include "driver/boards/board.h"
#include "model/occupancy.h"

#include "heddle/driver_api_types.h"

namespace heddle::driver {

using model::BlockNeeds;

/// The estimate of a kernel's registers, but no more than -maxrregcount allows, and than let the
/// blocks that __launch_bounds__ speaks of fit on a multiprocessor: ptxas spills what is above (CUDA
/// C++ Programming Guide, "Launch Bounds").
int registersOf(const ImageKernel &, const Architecture &);

/// From now on launches of blocks that need more registers than there are fail, as on a GPU. The numbers are
/// estimates (frontend/registers.cpp), and the CPU runs such blocks.
void refuseForRegisters();
bool refusesForRegisters();

struct Function;
struct Context;

/// Blocks of a kernel that fit on one multiprocessor; none when the launch itself would be refused.
int activeBlocks(Function &, Context &, int threads, size_t dynamicShared);
/// cuOccupancyAvailableDynamicSMemPerBlock, with its checks.
CUresult availableShared(Function &, Context &, int blocks, int threads, size_t *bytes);
/// cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, with its checks.
CUresult tellActiveBlocks(Function &, Context &, int threads, size_t dynamicShared, unsigned flags,
                          int *blocks);

} // namespace heddle::driver
