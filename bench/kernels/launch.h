// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch costs. launch_queued: many empty kernels, one wait at the end. launch_wait: a wait
// after every one. Items are launches; the OpenMP form is an empty parallel region, which always
// waits.
#pragma once

#include "../harness/bench.h"

namespace launch {
constexpr int Queued = 10000, Waited = 1000;

inline bench::Problem queuedProblem() { return {bench::Unit::Items, double(Queued), 0, {}}; }
inline bench::Problem waitedProblem() { return {bench::Unit::Items, double(Waited), 0, {}}; }
} // namespace launch
