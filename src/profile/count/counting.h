// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counting for the driver: whether kernels are compiled to be counted, and what becomes of the counts.
#pragma once

#include "profile/count/launch_counts.h"
#include "profile/count/sampling.h"

namespace heddle::profile {

/// Counts if HEDDLE_COUNT asks for it: then each launch is written to stderr at the program's end, or
/// to the file that it names. HEDDLE_COUNT_BLOCKS=COUNTED,TRACED: everyNth.
void startCounting();
/// Counts from now on. Launches that are over go to `take`, in their order, when `deliverCounts` is called,
/// when many wait (then from a worker), and at the program's end. `take` is called once at a time.
void startCounting(Sampling, std::function<void(LaunchCounts &&)> take);
void deliverCounts();

/// Whether kernels are compiled in Mode::Counted.
extern bool isCounting; ///< set before kernels are compiled
inline bool counts() { return isCounting; }
/// Whether this launch is to be counted.
bool countsLaunch(const std::string &kernel);
/// A launch that cannot be counted runs plain code: it is handed over with the reason.
void noteUncounted(const std::string &kernel, const std::string &reason);
/// Whether some blocks are not.
bool leavesOutBlocks();

} // namespace heddle::profile
