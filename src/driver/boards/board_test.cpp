// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/boards/board.h"
#include "driver/boards/host_machine.h"
#include "driver/launch/occupancy.h"

#include <gtest/gtest.h>

namespace heddle::driver {
namespace {

TEST(Board, cpuIsThisMachine) {
  const cudaDeviceProp &p = findBoard("cpu")->properties;
  const HostMachine machine = describeHostMachine();
  EXPECT_EQ(p.name, machine.name.substr(0, 255));
  EXPECT_FALSE(machine.name.empty());
  EXPECT_EQ(p.multiProcessorCount, machine.processors);
  EXPECT_GE(machine.processors, 1);
  EXPECT_EQ(p.totalGlobalMem, machine.memoryBytes);
  EXPECT_GT(machine.memoryBytes, size_t(64) << 20);
  EXPECT_EQ(p.major, 9);
  EXPECT_EQ(p.maxThreadsPerBlock, 1024);
}

TEST(Board, everyBoardIsSound) {
  for (std::string_view key : boardKeys()) {
    SCOPED_TRACE(key);
    const Board *board = findBoard(key);
    const cudaDeviceProp &p = board->properties;
    EXPECT_EQ(findArchitecture(p.major, p.minor), board->architecture)
        << "its compute capability is no line of the table";
    EXPECT_NE(p.name[0], 0);
    EXPECT_EQ(p.warpSize, 32);
    EXPECT_GT(p.multiProcessorCount, 0);
    EXPECT_GT(p.totalGlobalMem, size_t(500) << 20);
    EXPECT_LE(p.sharedMemPerBlock, p.sharedMemPerBlockOptin);
    EXPECT_LE(p.sharedMemPerBlockOptin + p.reservedSharedMemPerBlock, p.sharedMemPerMultiprocessor);
    EXPECT_LE(p.regsPerBlock, p.regsPerMultiprocessor);
    EXPECT_LE(p.maxThreadsPerBlock, p.maxThreadsPerMultiProcessor);
    EXPECT_EQ(p.maxThreadsPerMultiProcessor % 32, 0);
  }
}

/// A C1060, a C2050 and a K20 as their deviceQuery shows them.
TEST(Board, boardsOfTheBooks) {
  const cudaDeviceProp &c1060 = findBoard("c1060")->properties;
  EXPECT_STREQ(c1060.name, "Tesla C1060");
  EXPECT_EQ(c1060.major * 10 + c1060.minor, 13);
  EXPECT_EQ(c1060.multiProcessorCount, 30);
  EXPECT_EQ(c1060.maxThreadsPerBlock, 512);
  EXPECT_EQ(c1060.sharedMemPerBlock, 16384u);
  EXPECT_EQ(c1060.regsPerBlock, 16384);
  EXPECT_EQ(c1060.maxGridSize[2], 1);
  EXPECT_EQ(c1060.unifiedAddressing, 0);
  const cudaDeviceProp &c2050 = findBoard("c2050")->properties;
  EXPECT_EQ(c2050.multiProcessorCount, 14);
  EXPECT_EQ(c2050.maxThreadsPerMultiProcessor, 1536);
  EXPECT_EQ(c2050.maxGridSize[0], 65535);
  EXPECT_EQ(c2050.totalGlobalMem, 2817982464u);
  const cudaDeviceProp &k20 = findBoard("k20")->properties;
  EXPECT_EQ(k20.major * 10 + k20.minor, 35);
  EXPECT_EQ(k20.maxGridSize[0], 2147483647);
  EXPECT_EQ(k20.maxThreadsPerMultiProcessor, 2048);
  EXPECT_EQ(k20.maxBlocksPerMultiProcessor, 16);
}

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

} // namespace
} // namespace heddle::driver
