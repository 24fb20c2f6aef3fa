// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/check_abi.h"

namespace heddle::check {

/// CheckServices::syncStep, of asynchronous copies.
void atAsyncCopy(Block *, uint32_t warp, uint32_t lanes, SyncStep, uint8_t *const *to,
                 const uint64_t *numbers, const SyncSite *);
/// Threads look at mbarriers, an address for each lane: copies that these are told of may have ended.
void endCopiesToldTo(Block *, uint32_t lanes, uint8_t *const *barriers);
/// An access of each lane, as CheckServices::accessesRun and accessesEach.
void lookForCopiesUnderWay(Block *, uint32_t warp, uint32_t lanes, const AccessSite &,
                           uint8_t *first, int64_t stride, uint64_t length);
void lookForCopiesUnderWay(Block *, uint32_t warp, uint32_t lanes, const AccessSite &,
                           uint8_t *const *pointers, uint64_t length);

} // namespace heddle::check
