// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/table.h"

#include <span>

namespace heddle::driver {

/// Kernels that a library gave: their handles take a function's place.
void noteKernels(std::span<const CUkernel>);

/// The function of a kernel in the current context, or the function itself.
CUresult functionOf(CUfunction &);

/// Puts into `table` what NVIDIA's driver must be asked in another way for such handles.
void interceptKernelHandles(Table &table);

} // namespace heddle::driver
