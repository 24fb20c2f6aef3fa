// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/machine/processors.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sched.h>
#include <thread>

#include <unistd.h>

using namespace heddle;

namespace {

class Processors : public testing::Test {
protected:
  std::string root = testing::TempDir() + "heddle-processors-" + std::to_string(getpid());

  void SetUp() override { std::filesystem::remove_all(root); }
  void TearDown() override { std::filesystem::remove_all(root); }
  void write(const std::string &path, const std::string &text) {
    std::filesystem::create_directories(std::filesystem::path(root + path).parent_path());
    std::ofstream(root + path) << text;
  }
};

TEST_F(Processors, NoQuotaWithoutGroups) {
  EXPECT_EQ(processorQuota(root), 0u);
  write("/proc/self/cgroup", "0::/user.slice\n");
  EXPECT_EQ(processorQuota(root), 0u);
  write("/sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
  EXPECT_EQ(processorQuota(root), 0u);
}

TEST_F(Processors, QuotaIsTheLeastOfAllGroupsAround) {
  write("/proc/self/cgroup", "0::/a/b\n");
  write("/sys/fs/cgroup/a/b/cpu.max", "800000 100000\n");
  EXPECT_EQ(processorQuota(root), 8u);
  write("/sys/fs/cgroup/a/cpu.max", "250000 100000\n");
  EXPECT_EQ(processorQuota(root), 3u) << "two and a half";
  write("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(processorQuota(root), 1u);
}

TEST_F(Processors, QuotaOfAContainerWithAPathFromOutside) {
  write("/proc/self/cgroup", "0::/docker/0123456789\n");
  write("/sys/fs/cgroup/cpu.max", "400000 100000\n");
  EXPECT_EQ(processorQuota(root), 4u);
}

TEST_F(Processors, LargestCache) {
  EXPECT_EQ(lastLevelCacheBytes(root), 0u);
  write("/sys/devices/system/cpu/cpu0/cache/index0/size", "48K\n");
  EXPECT_EQ(lastLevelCacheBytes(root), 48u << 10);
  write("/sys/devices/system/cpu/cpu0/cache/index1/size", "32K\n");
  write("/sys/devices/system/cpu/cpu0/cache/index2/size", "36M\n");
  EXPECT_EQ(lastLevelCacheBytes(root), 36u << 20);
  EXPECT_EQ(usableCacheBytes(64, root), 36u << 20);
}

TEST_F(Processors, UsableCacheIsAShareForEachProcessor) {
  EXPECT_EQ(usableCacheBytes(1, root), 32u << 20) << "the system does not know";
  write("/sys/devices/system/cpu/cpu0/cache/index0/size", "260M\n");
  EXPECT_EQ(usableCacheBytes(2, root), 32u << 20);
  EXPECT_EQ(usableCacheBytes(64, root), 260u << 20);
  write("/sys/devices/system/cpu/cpu0/cache/index0/size", "8M\n");
  EXPECT_EQ(usableCacheBytes(2, root), 8u << 20);
}

TEST_F(Processors, QuotaOfTheFirstVersion) {
  write("/proc/self/cgroup", "3:memory:/x\n2:cpu,cpuacct:/x\n1:cpuset:/x\n");
  write("/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "200000\n");
  write("/sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processorQuota(root), 2u);
}

TEST_F(Processors, KeepToTheAffinity) {
  std::thread([] { // an affinity of its own
    cpu_set_t all, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
    EXPECT_LE(usableProcessors(), static_cast<unsigned>(CPU_COUNT(&all)));
    int first = 0;
    while (!CPU_ISSET(first, &all))
      ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    EXPECT_EQ(usableProcessors(), 1u);
  })
      .join();
}

} // namespace
