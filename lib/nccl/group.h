// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of calls (NCCL Developer Guide, "Group Calls"): what a thread calls between ncclGroupStart
// and the outermost ncclGroupEnd is made there, all at once.
#pragma once

#include "nccl/meeting.h"

#include <functional>

namespace heddle::nccl {

/// Makes an operation now, or at the end of the group.
ncclResult_t callOrCollect(const Call &call);

/// Waits for the other ranks now, or at the end of the group: what is left of making a
/// communicator.
ncclResult_t waitOrCollect(std::function<ncclResult_t()> wait);

/// Has the group that is open, if any, fail.
ncclResult_t failGroup(ncclResult_t result);

} // namespace heddle::nccl
