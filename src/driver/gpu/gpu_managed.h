// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/table.h"

namespace heddle::driver {

/// A managed variable of host code, which lies in the host's own memory.
void noteManaged(const void *host, size_t bytes);

/// Lets the GPU of the current context reach it, at `address`.
CUresult reachManaged(void *host, size_t bytes, CUdeviceptr &address);

/// What asks and advises of such memory, which NVIDIA's driver takes for the host's.
void interceptManaged(Table &);

} // namespace heddle::driver
