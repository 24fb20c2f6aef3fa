// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All from /proc, /sys and sysconf. What a container hides is left at a safe value: the name falls
// back to the architecture's, the clock to 0.
#include "driver/boards/host_machine.h"

#include "base/machine/processors.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <sys/utsname.h>
#include <unistd.h>

namespace heddle::driver {
namespace {

/// The value of the first line "key : value" of /proc/cpuinfo; empty if there is none.
std::string cpuInfo(const char *key) {
  std::string value;
  FILE *file = std::fopen("/proc/cpuinfo", "re");
  if (!file)
    return value;
  char line[512];
  while (value.empty() && std::fgets(line, sizeof line, file))
    if (std::strncmp(line, key, std::strlen(key)) == 0)
      if (const char *colon = std::strchr(line, ':'))
        value = colon + std::strspn(colon, ": \t");
  std::fclose(file);
  while (!value.empty() && (value.back() == '\n' || value.back() == ' '))
    value.pop_back();
  return value;
}

/// The number at the start of a file; 0 if there is no such file or number.
unsigned long long numberIn(const char *path) {
  unsigned long long value = 0;
  if (FILE *file = std::fopen(path, "re")) {
    if (std::fscanf(file, "%llu", &value) != 1)
      value = 0;
    std::fclose(file);
  }
  return value;
}

std::string machineName() {
  std::string name = cpuInfo("model name");
  utsname system{};
  if (name.empty() && uname(&system) == 0)
    name = std::string(system.machine) + " CPU";
  return name;
}

int clockKhz() {
  if (unsigned long long khz = numberIn("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"))
    return static_cast<int>(khz);
  return static_cast<int>(std::atof(cpuInfo("cpu MHz").c_str()) * 1000);
}

size_t memoryBytes() {
  size_t bytes = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  for (const char *limit :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
    if (unsigned long long value = numberIn(limit))
      bytes = std::min<size_t>(bytes, value);
  return bytes;
}

int cacheBytes() { return static_cast<int>(std::min<uint64_t>(lastLevelCacheBytes(), INT_MAX)); }

} // namespace

HostMachine describeHostMachine() {
  return {machineName(), static_cast<int>(usableProcessors()), clockKhz(), memoryBytes(),
          cacheBytes()};
}

} // namespace heddle::driver
