// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/unsupported.h"

#define HEDDLE_FUNCTION(group, name, state) HEDDLE_LIBRARY_##state(name, 5) // ncclInvalidUsage
#include "nccl/nccl.def"
