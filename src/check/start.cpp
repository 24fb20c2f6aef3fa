// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/allocations.h"
#include "check/check.h"
#include "check/findings.h"
#include "check/float.h"
#include "check/host_stack.h"
#include "check/memcheck.h"
#include "check/settings.h"
#include "check/sync.h"
#include "device/checks.h"

#include <atomic>

namespace heddle::check {

namespace {

bool isOn = false;

constexpr device::Checker Services = {
    {lookOutside, moveWritten, atBarrier, pastBarriers, atWarpOperation, reportNumbers},
    [](const Launch *) { settleFindings(); },
    reportStuck};

} // namespace

void start(const HostFacts &facts) {
  if (!settings().checks)
    return;
  setHostFacts(facts);
  setHostSymbolizer(facts.symbolize);
  device::setChecker(&Services);
  isOn = true;
}

uint32_t checks() { return isOn ? settings().checks : 0; }

bool choosesKernel(const std::string &mangled, const std::string &shown) {
  return isChosen(settings(), mangled, shown);
}

bool choosesLaunch() {
  static std::atomic<uint64_t> launches = 0;
  uint64_t number = launches.fetch_add(1, std::memory_order_relaxed);
  return number >= settings().launchSkip && number - settings().launchSkip < settings().launchCount;
}

void tellInCall() {
  if (hasFindingsToTell())
    tellFindings();
}

void prepareEnd() {
  if (!isOn || device::isForkedCopy())
    return;
  tellFindings();
  prepareLeaks();
}

void finish() {
  if (!isOn || device::isForkedCopy())
    return;
  reportLeaks();
  summarize();
}

} // namespace heddle::check
