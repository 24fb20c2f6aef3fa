// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/check_abi.h"
#include "check/finding.h"

namespace heddle {
struct Launch;
}

namespace heddle::check {

/// CheckServices::syncStep.
void atSyncStep(Block *, uint32_t warp, uint32_t lanes, SyncStep, uint8_t *const *objects,
                const uint64_t *numbers, const SyncSite *);
/// Checker::waitsForEver.
bool waitsForEver(const Block *const *blocks, size_t count);
/// What waitsForEver has found in a launch; empty frames if it was something else that is stuck.
Finding foreverOf(const Launch *);

} // namespace heddle::check
