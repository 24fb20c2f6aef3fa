// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/check_abi.h"
#include "check/finding.h"

namespace heddle::check {

/// A finding of synccheck: lanes of a warp at a place.
Finding syncFinding(const Block *, uint32_t warp, uint32_t lanes, const SyncSite &);
std::vector<Frame> framesOf(const SyncSite &);
/// "Barrier of the block", "'__syncwarp'".
std::string nameOf(const SyncSite &);
/// "(1,2,3)", by the number in the block.
std::string threadText(const Block *, uint32_t thread);
/// "thread (0,0,0)", "threads (16,0,0) to (31,0,0)", "8 threads from (3,0,0) on".
std::string threadsText(const Block *, uint32_t warp, uint32_t lanes);

} // namespace heddle::check
