// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/race/lanes.h"

#include "gtest/gtest.h"

using namespace heddle;
using namespace heddle::check;

namespace {

constexpr uint32_t Count = 64, All = ~0u, Old = 8, Now = 16;

/// A block's records, and accesses of warps with a vector of numbers of words. Run with the machine's
/// vectors and without.
class LanesTest : public testing::TestWithParam<bool> {
protected:
  void SetUp() override { useWideLanes(GetParam()); }
  void TearDown() override { useWideLanes(true); }

  std::vector<Record> records = std::vector<Record>(3 * Count);
  std::vector<uint32_t> word = std::vector<uint32_t>(32);

  Record at(unsigned slot, uint32_t place) const { return records[slot * Count + place]; }
  static Record record(uint32_t number, SharedKind kind, uint32_t thread) {
    return recordOf(number + kind, thread);
  }
  void step(uint32_t first, uint32_t distance) {
    for (uint32_t lane = 0; lane < 32; ++lane)
      word[lane] = (first + lane * distance) % Count;
  }
  uint32_t run(uint32_t (*touch)(const LaneWords &), SharedKind kind, uint32_t warp = 0,
               uint32_t lanes = All, bool isRow = false, uint32_t number = Now,
               uint32_t warpLeast = 0) {
    return touch({{records.data(), Count, Count, nullptr},
                  word.data(),
                  lanes,
                  isRow,
                  record(number, kind, warp * 32),
                  Now << ThreadBits,
                  warpLeast << ThreadBits});
  }
  uint32_t read(uint32_t warp = 0, uint32_t lanes = All) {
    return run(readLanes, ReadsWords, warp, lanes);
  }
  uint32_t write(uint32_t warp = 0, uint32_t lanes = All) {
    return run(writeLanes, WritesWords, warp, lanes);
  }
};

TEST_P(LanesTest, OwnWordsBehindTheBarrier) {
  step(0, 2);
  records[4] = record(Old, WritesWords, 77);
  EXPECT_EQ(write(), All);
  EXPECT_EQ(at(0, 4), record(Now, WritesWords, 2));
  EXPECT_EQ(read(), All);
  EXPECT_EQ(at(1, 4), record(Now, ReadsWords, 2));
  EXPECT_EQ(write(), All);
  EXPECT_EQ(at(1, 4), record(Now, ReadsWords, 2)); // who races with the write races with the read
  constexpr uint32_t Next = Now + SharedKinds;
  EXPECT_EQ(run(writeLanes, WritesWords, 0, All, false, Next, Next), All);
  EXPECT_EQ(at(1, 4), 0u); // all lanes know of both
}

TEST_P(LanesTest, OtherThreadsWords) {
  step(0, 1);
  EXPECT_EQ(write(0, 0xffff), 0xffffu);
  EXPECT_EQ(at(0, 16), 0u); // of a lane that is not there
  EXPECT_EQ(read(1), 0xffff0000u);
  step(1, 1);
  EXPECT_EQ(read(0), 0xffff8000u); // each its neighbour's
  EXPECT_EQ(at(0, 1), record(Now, WritesWords, 1));
}

TEST_P(LanesTest, OtherWarpsReadersAreKept) {
  step(0, 0);
  EXPECT_EQ(read(0), All);
  EXPECT_EQ(threadOf(at(1, 0)) / 32, 0u);
  EXPECT_EQ(threadOf(at(2, 0)) / 32, 0u);
  EXPECT_NE(at(1, 0), at(2, 0));
  EXPECT_EQ(read(3), All);
  EXPECT_EQ(threadOf(at(1, 0)) / 32, 0u);
  EXPECT_EQ(threadOf(at(2, 0)) / 32, 3u);
  EXPECT_EQ(write(0, 1), 0u);
}

TEST_P(LanesTest, OneWordIsWrittenByNone) {
  step(0, 2); // lanes 0 and 32 / 2 meet
  word[9] = word[3];
  records[word[3]] = record(Old, WritesWords, 5);
  EXPECT_EQ(write(), 0u);
  EXPECT_EQ(at(0, word[3]), record(Old, WritesWords, 5));
}

TEST_P(LanesTest, AtomicOperations) {
  step(7, 0);
  EXPECT_EQ(run(changeLanes, ChangesWords, 0), All);
  EXPECT_EQ(run(changeLanes, ChangesWords, 1), All);
  EXPECT_EQ(threadOf(at(0, 7)) / 32, 0u);
  EXPECT_EQ(threadOf(at(1, 7)) / 32, 1u);
  EXPECT_EQ(read(0, 1), 0u);
  EXPECT_EQ(write(1, 1), 0u);
}

TEST_P(LanesTest, BehindTheWarpsBarrier) {
  step(0, 1);
  EXPECT_EQ(write(), All);
  step(1, 1);
  constexpr uint32_t Next = Now + SharedKinds;
  EXPECT_EQ(run(readLanes, ReadsWords, 0, All, true, Next, Next), All);
  EXPECT_EQ(run(readLanes, ReadsWords, 1, All, true, Next, Next), 0x80000000u);
}

TEST_P(LanesTest, NumbersOfWords) {
  alignas(64) uint32_t words[32];
  uint64_t pointers[32] = {};
  for (uint64_t lane = 0; lane < 32; ++lane)
    pointers[lane] = 1000 + lane * 8;
  EXPECT_TRUE(numberWords({pointers, 1000, 31 * 8, All}, words));
  EXPECT_EQ(words[31], 62u);
  EXPECT_FALSE(numberWords({pointers, 1000, 31 * 8 - 1, All}, words));
  EXPECT_TRUE(numberWords({pointers, 1000, 31 * 8 - 1, All >> 1}, words));
  EXPECT_EQ(words[31], 0u);
  pointers[5] += 2;
  EXPECT_FALSE(numberWords({pointers, 1000, 1000, All}, words));
  EXPECT_TRUE(numberWords(124, -4, 124, All, words));
  EXPECT_EQ(words[31], 0u);
  EXPECT_EQ(words[0], 31u);
  EXPECT_FALSE(numberWords(120, -4, 124, All, words));
  EXPECT_TRUE(numberWords(120, -4, 124, All >> 1, words));
  EXPECT_EQ(words[31], 0u);
  EXPECT_FALSE(numberWords(0, 2, 124, 3, words));
}

INSTANTIATE_TEST_SUITE_P(Widths, LanesTest, testing::Bool());

} // namespace
