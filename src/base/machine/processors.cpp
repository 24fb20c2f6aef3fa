// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A container with `--cpus 2` on a machine of 64 processors may use all of them, but for 2/64 of
// the time: 64 workers would be stopped most of the time, in the middle of a launch. Control
// groups, version 2: cpu.max holds "quota period" in microseconds, or "max period". Version 1: two
// files, -1 for no quota.
#include "base/machine/processors.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <vector>

#include <sched.h>
#include <unistd.h>

namespace heddle {

namespace {

/// Processors by quota / period; 0: none.
double inGroup(const std::string &folder, bool isFirstVersion) {
  double quota = 0, period = 0;
  if (isFirstVersion) {
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  } else {
    std::ifstream(folder + "/cpu.max") >> quota >> period; // "max" is no number
  }
  return quota > 0 && period > 0 ? quota / period : 0;
}

bool holdsCpu(const std::string &controllers) {
  return ("," + controllers + ",").find(",cpu,") != std::string::npos;
}

} // namespace

unsigned processorQuota(const std::string &root) {
  double least = 0;
  std::ifstream groups(root + "/proc/self/cgroup"); // "number:controllers:path"
  for (std::string line; std::getline(groups, line);) {
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::string controllers = line.substr(first + 1, second - first - 1),
                path = line.substr(second + 1);
    bool isFirstVersion = !controllers.empty();
    if (isFirstVersion && !holdsCpu(controllers))
      continue;
    std::string base = root + "/sys/fs/cgroup" + (isFirstVersion ? "/cpu" : "");
    // The group and all around it. In a container the path may be of the world outside; then only
    // the base is there.
    for (;;) {
      if (double processors = inGroup(base + path, isFirstVersion); processors > 0)
        least = least > 0 ? std::min(least, processors) : processors;
      if (path.empty())
        break;
      path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    }
  }
  return static_cast<unsigned>(std::ceil(least));
}

ProcessorPlace currentProcessor() {
  static const std::vector<unsigned> &ranks = *[] { // by number
    auto *found = new std::vector<unsigned>;
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0)
      for (unsigned cpu = 0, rank = 0; cpu < CPU_SETSIZE; ++cpu)
        found->push_back(CPU_ISSET(cpu, &set) ? rank++ : rank);
    return found;
  }();
  int cpu = sched_getcpu();
  if (cpu < 0 || size_t(cpu) >= ranks.size())
    return {0, 1};
  unsigned count = std::max(ranks.back(), 1u);
  return {std::min(ranks[cpu], count - 1), count};
}

unsigned usableProcessors() {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    count = CPU_COUNT(&set);
  unsigned processors = static_cast<unsigned>(std::max(1L, count));
  if (unsigned quota = processorQuota())
    processors = std::min(processors, quota);
  return processors;
}

/// From the kernel's list of one processor's caches: what sysconf gives is for all of a socket on
/// some processors, whose cores share no more than a part of it.
uint64_t lastLevelCacheBytes(const std::string &root) {
  uint64_t largest = 0;
  for (int index = 0;; ++index) {
    std::ifstream file(root + "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) +
                       "/size");
    uint64_t size = 0;
    std::string unit;
    if (!(file >> size >> unit))
      return largest;
    largest = std::max(largest, size << (unit == "M" ? 20 : unit == "G" ? 30 : 10));
  }
}

uint64_t usableCacheBytes(unsigned processors, const std::string &root) {
  constexpr uint64_t Share = 16 << 20, Unknown = 32 << 20;
  uint64_t bytes = lastLevelCacheBytes(root);
  return bytes ? std::min(bytes, processors * Share) : Unknown;
}

} // namespace heddle
