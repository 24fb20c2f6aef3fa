// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared memory of a block is there as long as the block. Another block of its cluster that uses it
// must have come to an end with that before it ends, as it knows: by a barrier of the cluster, or an
// mbarrier.
#pragma once

#include "base/abi/check_abi.h"

#include <cstdint>

namespace heddle::check {

class BlockRaces;
class LaunchRaces;

/// Lanes of a program access memory: that of other blocks is remembered.
void noteRemoteUse(const Block &, const BlockRaces &, uint32_t program, uint32_t lanes,
                   const AccessSite &, const uintptr_t *addresses);
/// The block has ended, and is in this state: uses of its memory that it does not know of are told of.
void endRemoteUses(const BlockRaces &);

} // namespace heddle::check
