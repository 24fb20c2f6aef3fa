// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/boards/board.h"
#include "driver/boards/host_machine.h"

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

} // namespace
} // namespace heddle::driver
