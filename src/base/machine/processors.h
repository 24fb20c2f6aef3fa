// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace heddle {

/// How many processors this process may use: what its affinity allows, or fewer if the quota of its
/// control group or of one around it is less. At least 1.
unsigned usableProcessors();

/// The quota alone, rounded up; 0 if there is none. `root` stands before /proc and /sys, for tests.
unsigned processorQuota(const std::string &root = "");

/// The place of a processor among those that the process might use when it first asked.
struct ProcessorPlace {
  unsigned rank, count; ///< rank < count
};

/// Of the processor that this thread is on just now.
ProcessorPlace currentProcessor();

/// The largest cache that a processor shares with others or has, in bytes; 0 if the system does not
/// know.
uint64_t lastLevelCacheBytes(const std::string &root = "");

/// How much of that cache a program can count on, which it shares with others on `processors` or
/// beside them: no more than 16 MB for each. A virtual machine of two processors is told of the
/// whole cache of a server of fifty. 32 MB if the system does not know.
uint64_t usableCacheBytes(unsigned processors = usableProcessors(), const std::string &root = "");

} // namespace heddle
