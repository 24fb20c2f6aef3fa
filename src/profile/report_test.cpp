// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/report.h"
#include "profile/table.h"

#include <gtest/gtest.h>

namespace heddle::profile {
namespace {

TEST(ProfileTable, Times) {
  EXPECT_EQ(timeText(960), "960ns");
  EXPECT_EQ(timeText(1312), "1.3120us");
  EXPECT_EQ(timeText(406300), "406.30us");
  EXPECT_EQ(timeText(3.7051e6), "3.7051ms");
  EXPECT_EQ(timeText(1.11524e9), "1.11524s");
  EXPECT_EQ(timeText(1500, TimeUnit::Milliseconds), "0.001500ms");
  EXPECT_EQ(timeText(0), "0ns");
  EXPECT_EQ(unitFor(2e6, TimeUnit::Auto), TimeUnit::Milliseconds);
  EXPECT_EQ(unitFor(2e6, TimeUnit::Seconds), TimeUnit::Seconds);
}

TEST(ProfileTable, Numbers) {
  EXPECT_EQ(bytesText(409600), "400.00KB");
  EXPECT_EQ(bytesText(12), "12B");
  EXPECT_EQ(numberText(12), "12");
  EXPECT_EQ(numberText(0.25), "0.250000");
}

TEST(ProfileTable, Texts) {
  Table table({"Time", "Name"});
  table.add({"1ms", "a \"b\""});
  table.add({"100ms", "c"});
  EXPECT_EQ(table.text(), " Time  Name\n  1ms  a \"b\"\n100ms  c\n");
  EXPECT_EQ(table.csv({"ms", ""}),
            "\"Time\",\"Name\"\nms,\n\"1ms\",\"a \"\"b\"\"\"\n\"100ms\",\"c\"\n");
}

/// A copy of 8 us and two launches of one kernel, of 1 and 3 us.
Recording example() {
  Recording recording;
  recording.begin = 1000;
  recording.devices = {{"Tesla K20c"}};
  Activity copy = {};
  copy.kind = ActivityKind::Copy;
  copy.begin = 2000, copy.end = 10000, copy.bytes = 80000, copy.stream = 7;
  copy.from = MemoryKind::Pageable;
  recording.activities.push_back(copy);
  for (uint64_t time : {1000, 3000}) {
    Activity kernel = {};
    kernel.kind = ActivityKind::Kernel;
    kernel.begin = 20000, kernel.end = 20000 + time, kernel.stream = 7, kernel.call = 5;
    kernel.kernel.name = "add(int*)";
    kernel.kernel.grid[0] = 4, kernel.kernel.block[0] = 128, kernel.kernel.registers = 8;
    recording.activities.push_back(kernel);
  }
  recording.calls = {{"cudaMemcpy", 1, 1500, 10500, 1, true, 0},
                     {"cuInit", 2, 1000, 1100, 1, false, 0}};
  return recording;
}

TEST(ProfileReport, Summary) {
  ProfileOptions options;
  EXPECT_EQ(summary(options, example(), true, true),
            "            Type  Time(%)      Time  Calls       Avg       Min       Max  Name\n"
            " GPU activities:   66.67%  8.0000us      1  8.0000us  8.0000us  8.0000us  [CUDA "
            "memcpy HtoD]\n"
            "                   33.33%  4.0000us      2  2.0000us  1.0000us  3.0000us  add(int*)\n"
            "      API calls:   98.90%  9.0000us      1  9.0000us  9.0000us  9.0000us  cudaMemcpy\n"
            "                    1.10%     100ns      1     100ns     100ns     100ns  cuInit\n");
  options.tracesDriver = false;
  EXPECT_EQ(summary(options, example(), false, true).find("cuInit"), std::string::npos);
  options.asCsv = true;
  EXPECT_EQ(
      summary(options, example(), true, false),
      "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
      ",%,us,,us,us,us,\n"
      "\"GPU activities\",66.67,8.000000,1,8.000000,8.000000,8.000000,\"[CUDA memcpy HtoD]\"\n"
      "\"GPU activities\",33.33,4.000000,2,2.000000,1.000000,3.000000,\"add(int*)\"\n");
  EXPECT_EQ(summary(options, {}, true, true), "No kernels were profiled.\n");
}

TEST(ProfileReport, Traces) {
  ProfileOptions options;
  std::string trace = gpuTrace(options, example());
  EXPECT_NE(
      trace.find("1.0000us  8.0000us          -           -      -       -       -  78.125KB"),
      std::string::npos)
      << trace;
  EXPECT_NE(trace.find("78.125KB  9.3132GB/s    Pageable      Device  Tesla K20c (0)"),
            std::string::npos)
      << trace;
  EXPECT_NE(trace.find("(4 0 0)   (128 0 0)      8      0B      0B"), std::string::npos) << trace;
  options.asCsv = true;
  EXPECT_NE(gpuTrace(options, example()).find("\"add(int*) [5]\"\n"), std::string::npos);
  EXPECT_EQ(apiTrace(options, example()), "\"Start\",\"Duration\",\"Name\"\nns,us,\n0,0.100000,"
                                          "\"cuInit [2]\"\n500,9.000000,\"cudaMemcpy [1]\"\n");
}

TEST(ProfileReport, ChromeTrace) {
  std::string trace = chromeTrace(example());
  EXPECT_NE(trace.find(
                "{\"ph\": \"X\", \"name\": \"add(int*)\", \"pid\": 1, \"tid\": 7, \"cat\": "
                "\"kernel\", \"ts\": 19.000000, \"dur\": 3.000000, \"args\": {\"grid\": [4, 0, 0]"),
            std::string::npos)
      << trace;
}

} // namespace
} // namespace heddle::profile
