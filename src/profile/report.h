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
/// JSON of Chrome's trace viewer, which Perfetto reads: a process for the host's threads, and one for
/// each device with its streams.
std::string chromeTrace(const Recording &);

} // namespace heddle::profile
