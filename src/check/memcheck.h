// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/check_abi.h"
#include "check/check.h"
#include "device/checks.h"

namespace heddle::check {

/// CheckServices::outside, written.
void lookOutside(Block *, uint32_t warp, uint32_t lanes, const AccessSite *, AccessedMemory *);
void moveWritten(Block *);

/// Of an access that lookOutside has just moved as a run: where its lanes wanted to go, of which `lanes`
/// keeps those that may. Null if it has not.
uint8_t *const *beforeMove(const uint8_t *first, uint32_t &lanes);

/// Checker::faulted.
bool reportFault(const device::FaultedLaunch &);

/// Of `mayUse`, `isForeign` and `describe`.
void setHostFacts(const HostFacts &);
/// HostFacts::describe.
void describeObject(const void *address, const void *object, std::vector<Note> &);

} // namespace heddle::check
