// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/check_abi.h"
#include "device/checks.h"

namespace heddle::check {

/// CheckServices::barrier, pastBarriers, warpOperation.
void atBarrier(Block *, uint32_t warp, uint32_t present, uint32_t absent, const SyncSite *,
               const SyncSite *branch);
void pastBarriers(Block *, uint32_t warp, uint32_t lanes, const SyncSite *);
void atWarpOperation(Block *, uint32_t warp, uint32_t lanes, uint32_t absent, uint32_t mask,
                     const uint32_t *masks, const SyncSite *, const SyncSite *branch);

/// Checker::stuck.
void reportStuck(const device::StuckLaunch &);

} // namespace heddle::check
