// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/check_abi.h"

#include <vector>

namespace heddle::check {

/// CheckServices::syncStep, of asynchronous copies.
void atAsyncCopy(Block *, uint32_t warp, uint32_t lanes, SyncStep, uint8_t *const *to,
                 const uint64_t *numbers, const SyncSite *);
/// A thread has begun a bulk copy to these places in shared memory, of whose end an mbarrier is told;
/// or, without one, from there, in its group.
void beginBulkCopy(Block *, uint32_t thread, const SyncSite *, uintptr_t barrier,
                   const std::vector<Bounds> &);
/// Threads look at mbarriers, an address for each lane: copies that these are told of may have ended.
void endCopiesToldTo(Block *, uint32_t lanes, uint8_t *const *barriers);
/// An access of each lane, as CheckServices::accessesRun and accessesEach.
void lookForCopiesUnderWay(Block *, uint32_t warp, uint32_t lanes, const AccessSite &,
                           uint8_t *first, int64_t stride, uint64_t length);
void lookForCopiesUnderWay(Block *, uint32_t warp, uint32_t lanes, const AccessSite &,
                           uint8_t *const *pointers, uint64_t length);

} // namespace heddle::check
