// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "opencl/kernel.h"

namespace heddle::cl {

/// A size for work-groups where the program has none, or none that matters.
void chooseGroupSize(const _cl_kernel &, const Forms &, cl_device_id, cl_uint dimensions,
                     const size_t *global, size_t *local);

/// Groups of this size take much longer than others, if a kernel may be launched in any: they leave lanes
/// idle, their rows are no vectors, or they do not divide the range.
bool isSlow(cl_uint dimensions, const size_t *global, const size_t *local);

} // namespace heddle::cl
