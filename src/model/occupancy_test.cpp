// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/occupancy.h"

#include <gtest/gtest.h>

namespace heddle::model {
namespace {

int blocks(int major, int minor, const BlockNeeds &needs) {
  return blocksPerMultiprocessor(*findArchitecture(major, minor), needs);
}

/// As the occupancy calculator has it. BlockNeeds: threads, registers, static and dynamic shared
/// bytes.
TEST(Occupancy, calculator) {
  // 1.3: registers go to blocks in units of 512. 256 threads x 16 = 4096 of 16384.
  EXPECT_EQ(blocks(1, 3, {256, 16, 0, 0}), 4);
  EXPECT_EQ(blocks(1, 3, {256, 17, 0, 0}), 3);
  EXPECT_EQ(blocks(1, 0, {256, 10, 0, 0}), 3);
  EXPECT_EQ(blocks(1, 0, {256, 11, 0, 0}), 2) << "the classic drop from 3 blocks to 2";
  EXPECT_EQ(blocks(1, 0, {32, 10, 0, 0}), 8);
  EXPECT_EQ(blocks(1, 0, {128, 10, 4096, 0}), 4);
  // 2.0: to warps in units of 64. 20 registers: 640 a warp, 51 warps, 50 after rounding to 2.
  EXPECT_EQ(blocks(2, 0, {256, 20, 0, 0}), 6);
  EXPECT_EQ(blocks(2, 0, {256, 21, 0, 0}), 5);
  EXPECT_EQ(blocks(2, 0, {1024, 33, 0, 0}), 0) << "1056 registers a warp: 30 warps of 32";
  EXPECT_EQ(blocks(2, 0, {192, 10, 0, 0}), 8);
  // 3.5: units of 256 and of 4 warps.
  EXPECT_EQ(blocks(3, 5, {256, 32, 0, 0}), 8);
  EXPECT_EQ(blocks(3, 5, {256, 33, 0, 0}), 6) << "1280 a warp: 51 warps, 48 after rounding to 4";
  EXPECT_EQ(blocks(3, 5, {64, 10, 0, 0}), 16);
  EXPECT_EQ(blocks(3, 5, {128, 16, 12288, 0}), 4);
  EXPECT_EQ(blocks(3, 7, {256, 64, 0, 0}), 8) << "a K80 multiprocessor has two register files";
  EXPECT_EQ(blocks(3, 0, {256, 64, 0, 0}), 0) << "63 registers a thread are the limit";
  EXPECT_EQ(blocks(2, 0, {1025, 10, 0, 0}), 0);
}

/// What an H200 answers for a kernel of 8 registers.
TEST(Occupancy, h200) {
  const struct {
    int threads;
    size_t shared;
    int blocks;
  } seen[] = {{1, 0, 32},        {33, 1000, 32},   {32, 10000, 20},  {96, 0, 21},
              {128, 10000, 16},  {256, 49152, 4},  {1000, 49152, 2}, {1024, 0, 2},
              {1024, 49153, 2},  {256, 100000, 2}, {32, 232448, 1},  {512, 10000, 4},
              {1024, 100000, 2}, {256, 49153, 4}};
  for (const auto &s : seen)
    EXPECT_EQ(blocks(9, 0, {s.threads, 8, 0, s.shared}), s.blocks) << s.threads << " " << s.shared;
  const Architecture &a = *findArchitecture(9, 0);
  const std::pair<int, size_t> available[] = {{1, 232448}, {2, 116736}, {3, 77824},
                                              {8, 29184},  {16, 14592}, {32, 7296}};
  for (auto [count, bytes] : available)
    EXPECT_EQ(dynamicSharedFor(a, {32, 8, 0, 0}, count), bytes) << count;
  EXPECT_EQ(dynamicSharedFor(a, {32, 8, 296, 0}, 32), 7000u) << "static shared memory comes off";
}

/// Lecture on G80: 256 threads and 2 KB are three blocks of 24 warps, by the warps.
TEST(Occupancy, limiters) {
  auto of = [](int major, int minor, const BlockNeeds &needs) {
    return occupancyOf(*findArchitecture(major, minor), needs);
  };
  const Occupancy g80 = of(1, 0, {256, 10, 2048, 0});
  EXPECT_EQ(g80.blocks, 3);
  EXPECT_EQ(g80.limit, OccupancyLimit::Warps);
  EXPECT_DOUBLE_EQ(g80.share, 1.0);
  EXPECT_EQ(of(3, 5, {64, 14, 1152, 0}).limit, OccupancyLimit::Blocks);
  EXPECT_EQ(of(3, 5, {256, 64, 0, 0}).limit, OccupancyLimit::Registers);
  EXPECT_EQ(of(3, 5, {128, 16, 12288, 0}).limit, OccupancyLimit::Shared);
  EXPECT_DOUBLE_EQ(of(3, 5, {64, 14, 46080, 0}).share, 2.0 / 64);
  EXPECT_EQ(of(1, 0, {1024, 10, 0, 0}).limit, OccupancyLimit::TooLarge);
}

} // namespace
} // namespace heddle::model
