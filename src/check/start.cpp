// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/check.h"
#include "check/findings.h"
#include "check/float.h"
#include "check/memcheck.h"
#include "check/settings.h"
#include "check/sync.h"
#include "device/checks.h"

namespace heddle::check {

namespace {

bool isOn = false;

/// Of an access, for the checks that look at all.
void accessesRun(Block *, uint32_t, uint32_t, const AccessSite *, uint8_t *, int64_t, uint64_t) {}
void accessesEach(Block *, uint32_t, uint32_t, const AccessSite *, uint8_t *const *, uint64_t) {}

constexpr device::Checker Services = {{lookOutside, moveWritten, accessesRun, accessesEach,
                                       atBarrier, pastBarriers, atWarpOperation, reportNumbers},
                                      [](const Launch *) { tellFindings(); },
                                      reportStuck};

} // namespace

void start(const HostFacts &facts) {
  if (!settings().checks)
    return;
  setHostFacts(facts);
  device::setChecker(&Services);
  isOn = true;
}

uint32_t checks() { return isOn ? settings().checks : 0; }

void finish() {
  if (isOn && !device::isForkedCopy())
    summarize();
}

} // namespace heddle::check
