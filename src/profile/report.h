// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "profile/activity.h"

#include "base/profile_options.h"

namespace heddle::profile {

/// Writes what the options ask for to where they say.
void report(const ProfileOptions &, const Recording &);

/// nvprof's tables.
std::string summary(const ProfileOptions &, const Recording &, bool ofDevice, bool ofApi);
std::string gpuTrace(const ProfileOptions &, const Recording &);
std::string apiTrace(const ProfileOptions &, const Recording &);
/// The sums of nsys stats.
std::string nsysSummaries(const ProfileOptions &, const Recording &);
/// JSON of Chrome's trace viewer, which Perfetto reads: a process for the host's threads, and one for
/// each device with its streams.
std::string chromeTrace(const Recording &);

/// nvprof's tables of metrics, or of events.
std::string metricTable(const ProfileOptions &, const Recording &);
std::string eventTable(const ProfileOptions &, const Recording &);
/// ncu's report: pages of sections, or csv.
std::string ncuReport(const ProfileOptions &, const Recording &);
/// Of `heddle predict`.
std::string prediction(const ProfileOptions &, const Recording &);
/// Writes the logs of COMPUTE_PROFILE=1, one for each device.
void writeComputeProfile(const Recording &);
/// The names that there are.
std::string listOfMetrics(ProfileTool, bool ofEvents);
/// Which of the names are no counters; empty: all are.
std::string problemOfNames(ProfileTool, const std::vector<std::string> &names, bool areEvents);

} // namespace heddle::profile
