// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/launch_proof.h"

#include "gtest/gtest.h"

#include <array>

using namespace heddle;
using namespace heddle::device;

namespace {

alignas(64) uint8_t array[4096], other[4096];

Bounds boundsAt(uint64_t address) {
  for (const uint8_t *low : {array, other})
    if (address - reinterpret_cast<uint64_t>(low) < sizeof(array))
      return {low, sizeof(array)};
  return {nullptr, 0};
}

struct Params {
  void *pointer;
  int32_t n, width;
};

/// A proof, and a launch of 4 by 2 blocks of 16 by 4 threads.
class LaunchProofTest : public testing::Test {
protected:
  std::vector<ProofNode> nodes;
  std::vector<ProvenAccess> accesses;
  std::vector<ProvenUse> uses;
  std::vector<ProvenDim> dims;
  std::vector<ProvenLimit> limits;
  std::vector<ProvenFactor> factors;
  std::vector<ProvenPlace> places;
  std::vector<uint32_t> alike;
  std::vector<ProvenFit> fits;
  std::vector<PartOfDims> parts;
  Params params = {array, 100, 64};
  ProofLaunch launch = {
      reinterpret_cast<uint8_t *>(&params), {4, 2, 1}, {16, 4, 1}, 0, nullptr, true};

  uint32_t add(ProofOp op, uint32_t a = 0, uint32_t b = 0, int64_t value = 0, int64_t more = 0,
               uint32_t c = 0) {
    nodes.push_back({op, a, b, c, value, more});
    return uint32_t(nodes.size() - 1);
  }
  uint32_t span(int64_t low, int64_t high) { return add(ProofOp::Span, 0, 0, low, high); }
  uint32_t n() { return add(ProofOp::Param, offsetof(Params, n), 0, 4); }
  uint32_t width() { return add(ProofOp::Param, offsetof(Params, width), 0, 4); }
  uint32_t times(uint32_t node, int64_t number) {
    return add(ProofOp::Multiply, node, span(number, number));
  }

  LaunchProof proof(uint32_t flags = ProvesMemory | ProvesRaces) {
    return {nodes.data(),          accesses.data(),        uses.data(),
            dims.data(),           limits.data(),          factors.data(),
            places.data(),         alike.data(),           fits.data(),
            parts.data(),          uint32_t(nodes.size()), uint32_t(accesses.size()),
            uint32_t(uses.size()), uint32_t(alike.size()), flags};
  }
  Proven prove(uint32_t flags = ProvesMemory | ProvesRaces) {
    return LaunchProver(proof(flags), launch, boundsAt).run();
  }
  /// Whether an access of 4 bytes at a place is inside of the array.
  bool isInside(uint32_t offset, uint64_t align = 4) {
    accesses = {{offset, offsetof(Params, pointer), 4, align, 0, 0, 0}};
    return prove().memory;
  }
  /// Whether a node has these ends: offsets of bytes just inside.
  void expectEnds(uint32_t node, int64_t low, int64_t high) {
    auto isAtMost = [&](uint32_t value, int64_t most) {
      uint32_t behind = add(ProofOp::Subtract, span(most, most), value);
      params.pointer = array;
      accesses = {
          {add(ProofOp::Smaller, behind, span(0, 0)), offsetof(Params, pointer), 1, 1, 0, 0, 0}};
      return prove().memory;
    };
    uint32_t negative = add(ProofOp::Subtract, span(0, 0), node);
    EXPECT_TRUE(isAtMost(node, high));
    EXPECT_FALSE(isAtMost(node, high - 1));
    EXPECT_TRUE(isAtMost(negative, -low));
    EXPECT_FALSE(isAtMost(negative, -low - 1));
  }
  /// Writes of 4 bytes at a place of so many dimensions.
  void useDims(uint32_t count) {
    places = {{true, 0, count, span(0, 0), 0, 4}};
    uses = {{.param = offsetof(Params, pointer), .isWritten = 1, .isOwn = 1, .places = 1}};
  }
  /// row * width + column
  void usePlane(bool isGuarded) {
    uint32_t four = span(4, 4), block = span(64, 64), pitch = times(width(), 4);
    uint32_t pitches = times(pitch, 4), one = span(1, 1), sixteen = span(16, 16);
    dims = {{four, one, 0, 0}, {pitch, one, 1, 0}, {block, one, 3, 0}, {pitches, one, 4, 0}};
    useDims(4);
    uses[0].limits = isGuarded;
    limits = {{width(), 0, 2, 0}};
    factors = {{0, one}, {3, sixteen}};
  }
};

TEST_F(LaunchProofTest, Intervals) {
  expectEnds(add(ProofOp::BlockIdx, 0, 0, 0), 0, 3);
  expectEnds(add(ProofOp::BlockIdx, 0, 0, 2), 0, 0);
  expectEnds(n(), 100, 100);
  expectEnds(add(ProofOp::Multiply, span(-3, 2), span(-5, 7)), -21, 15);
  expectEnds(add(ProofOp::Divide, span(-7, 9), span(2, 3)), -3, 4);
  expectEnds(add(ProofOp::Remainder, span(0, 9), span(4, 4)), 0, 3);
  expectEnds(add(ProofOp::Remainder, span(0, 3), span(4, 4)), 0, 3);
  expectEnds(add(ProofOp::ShiftRight, span(5, 64), span(1, 1)), 2, 32);
  expectEnds(add(ProofOp::And, span(-5, 64), span(0, 15)), 0, 15);
  expectEnds(add(ProofOp::And, span(5, 100), span(-16, -16)), 0, 96);
  expectEnds(add(ProofOp::Xor, span(0, 100), span(3, 64)), 0, 127);
  expectEnds(add(ProofOp::Without, span(5, 100), span(15, 15)), 0, 96);
  expectEnds(add(ProofOp::Without, span(5, 100), span(14, 14)), 0, 100);
}

TEST_F(LaunchProofTest, NumbersOfFewBits) {
  expectEnds(add(ProofOp::Wrap, span(-129, -129), 0, 8), 127, 127);
  expectEnds(add(ProofOp::Wrap, span(250, 255), 0, 8), -6, -1);
  expectEnds(add(ProofOp::Wrap, span(120, 130), 0, 8), -128, 127);
  expectEnds(add(ProofOp::Unsign, span(-6, -1), 0, 8), 250, 255);
  expectEnds(add(ProofOp::Unsign, span(-1, 1), 0, 8), 0, 255);
  expectEnds(add(ProofOp::IfFits, span(1, 2), span(0, 128), 8), -128, 127);
  expectEnds(add(ProofOp::IfFits, span(1, 2), span(-1, 5), 8), 1, 2);
  expectEnds(add(ProofOp::IfFits, span(1, 2), span(-1, 5), 8, 1), -128, 127);
}

TEST_F(LaunchProofTest, Limits) {
  uint32_t value = span(0, 1000);
  expectEnds(add(ProofOp::AtMost, value, n(), -1), 0, 99);
  expectEnds(add(ProofOp::AtLeast, value, n(), 1), 101, 1000);
  expectEnds(add(ProofOp::Besides, value, span(0, 0)), 1, 1000);
  expectEnds(add(ProofOp::Besides, value, span(7, 7)), 0, 1000);
  expectEnds(add(ProofOp::Below, span(-50, 1000), n(), -1), 1, 100);
  params.n = 0; // nothing is known
  expectEnds(add(ProofOp::Below, span(-50, 1000), n(), -1), -50, 1000);
  expectEnds(add(ProofOp::Steps, value, span(0, 0), 0, 0, span(16, 16)), 0, 992);
  expectEnds(add(ProofOp::Steps, value, span(0, 1), 0, 0, span(16, 16)), 0, 1000);
}

TEST_F(LaunchProofTest, EndlessStaysSo) {
  uint32_t all = span(INT64_MIN, INT64_MAX);
  EXPECT_FALSE(
      isInside(add(ProofOp::Smaller, add(ProofOp::Subtract, all, span(9, 9)), span(0, 0)), 1));
  uint32_t small = add(ProofOp::Divide, all, span(1 << 30, 1 << 30));
  EXPECT_FALSE(isInside(add(ProofOp::Greater, small, span(0, 0)), 1));
}

TEST_F(LaunchProofTest, Inside) {
  uint32_t index = add(ProofOp::AtMost, span(0, 2000), n(), -1);
  params.n = 1024;
  EXPECT_TRUE(isInside(times(index, 4)));
  params.n = 1025;
  EXPECT_FALSE(isInside(times(index, 4)));
  params.n = 1024;
  params.pointer = array + 4;
  EXPECT_FALSE(isInside(times(index, 4)));
  params.n = 1023;
  EXPECT_TRUE(isInside(times(index, 4)));
  EXPECT_FALSE(isInside(times(index, 4), 8)); // alignment
  params.pointer = array;
  EXPECT_FALSE(isInside(times(index, 4), 8));
  EXPECT_TRUE(isInside(times(add(ProofOp::Multiply, index, span(2, 2)), 0), 8));
  params.pointer = nullptr; // in no allocation
  EXPECT_FALSE(isInside(span(0, 0)));
  params.n = 0; // but no thread comes there
  EXPECT_TRUE(isInside(times(index, 4)));
}

TEST_F(LaunchProofTest, OwnPlaces) {
  usePlane(false);
  EXPECT_TRUE(prove().races);
  params.width = 63; // a row reaches into the next
  usePlane(false);
  EXPECT_FALSE(prove().races);
  usePlane(true);
  EXPECT_TRUE(prove().races);
  launch.isAlone = false;
  EXPECT_FALSE(prove().races);
}

TEST_F(LaunchProofTest, ThreadsThatAreMissing) {
  usePlane(false);
  places[0].dims = 3; // rows of blocks
  EXPECT_FALSE(prove().races);
  launch.gridDim[1] = 1;
  EXPECT_TRUE(prove().races);
  launch.blockDim[2] = 2;
  EXPECT_FALSE(prove().races);
}

TEST_F(LaunchProofTest, PartsOfNumbers) {
  usePlane(false);
  launch.blockDim[1] = launch.gridDim[1] = 1;
  uint32_t one = span(1, 1);
  uint32_t eight = span(8, 8);
  parts = {{1, eight, false, true}, {1, eight, true, true}};
  ProvenDim low = {span(4, 4), one, FirstPartDim, 0};
  ProvenDim high = {span(32, 32), one, FirstPartDim + 1, 0};
  ProvenDim block = {span(64, 64), one, 3, 0};
  dims = {low, high, block};
  places[0].dims = 3;
  EXPECT_TRUE(prove().races);
  dims = {low, block};
  places[0].dims = 2;
  EXPECT_FALSE(prove().races);
  launch.blockDim[0] = 8; // there is nothing above
  EXPECT_TRUE(prove().races);
  launch.blockDim[0] = 16;
  high.step = span(28, 28); // where the next one's low part is
  dims = {low, high, block};
  places[0].dims = 3;
  EXPECT_FALSE(prove().races);
}

// i % width * 64 + i / width, i = blockIdx.x * 16 + threadIdx.x
TEST_F(LaunchProofTest, PartsOfSums) {
  launch.blockDim[1] = launch.gridDim[1] = 1;
  params.width = 10;
  uint32_t one = span(1, 1), size = width();
  parts = {{0x41, size, false, false}, {0x41, size, true, false}};
  dims = {{span(64, 64), one, FirstPartDim, 0}, {span(4, 4), one, FirstPartDim + 1, 0}};
  useDims(2);
  EXPECT_TRUE(prove().races);
  parts[0].isMask = parts[1].isMask = true; // i & (width - 1)
  EXPECT_FALSE(prove().races);
  params.width = 16;
  EXPECT_TRUE(prove().races);
  params.width = 2; // so many rows that they come into the next column
  EXPECT_FALSE(prove().races);
  params.width = 16;
  parts[1].order = 0x14; // a number that counts the other way
  EXPECT_FALSE(prove().races);
  parts[1].order = 0x41;
  places[0].dims = 1;
  EXPECT_FALSE(prove().races);
}

// i * 32 + 4 * something
TEST_F(LaunchProofTest, NumbersBetweenBounds) {
  launch.blockDim[1] = launch.gridDim[0] = launch.gridDim[1] = 1;
  uint32_t one = span(1, 1), some = span(-3, 4), more = span(0, 8);
  dims = {{span(32, 32), one, 0, 0}, {span(4, 4), some, FirstValueDim + some, 1}};
  useDims(2);
  EXPECT_TRUE(prove().races);
  dims[1].count = more;
  EXPECT_FALSE(prove().races);
  dims[1].count = times(more, 2); // every other one
  dims[1].step = span(2, 2);
  dims[0].step = span(36, 36);
  EXPECT_TRUE(prove().races);
  uses[0].fits = 1;
  fits = {{span(0, 1 << 20), 16}};
  EXPECT_FALSE(prove().races);
}

TEST_F(LaunchProofTest, SeveralPlaces) {
  usePlane(false);
  auto addPlace = [&](bool isWritten, uint32_t base, int64_t low) {
    places.resize(1);
    places.push_back({isWritten, 0, 4, base, low, low + 4});
    uses[0].places = 2;
    return prove().races;
  };
  EXPECT_TRUE(addPlace(true, times(width(), 32), 0)); // below the rows of all blocks
  EXPECT_FALSE(addPlace(true, times(width(), 28), 0));
  EXPECT_TRUE(addPlace(false, times(width(), 32), 0));
  EXPECT_FALSE(addPlace(false, times(width(), 28), 0));
  EXPECT_FALSE(addPlace(false, span(0, 0), -4)); // the neighbour's
  EXPECT_TRUE(addPlace(false, span(0, 0), 0));   // the thread's own
  EXPECT_TRUE(addPlace(false, times(width(), 32), 252));
  EXPECT_FALSE(addPlace(false, times(width(), 32), -4)); // the last one
}

// A thread writes (i, i + distance), and reads what lies left of that and below.
TEST_F(LaunchProofTest, Diagonals) {
  launch.blockDim[1] = launch.gridDim[0] = launch.gridDim[1] = 1;
  uint32_t one = span(1, 1), diagonal = times(add(ProofOp::Add, width(), one), 4);
  uint32_t row = times(width(), 4), repeats = add(ProofOp::Add, n(), span(-1, -1));
  dims = {{diagonal, one, 0, 0},
          {diagonal, one, 0, 0},
          {span(4, 4), repeats, FirstLoopDim, 1},
          {diagonal, one, 0, 0},
          {row, repeats, FirstLoopDim, 1}};
  uint32_t distance = times(n(), 4), none = span(0, 0);
  uint32_t below = add(ProofOp::Add, distance, times(width(), 8));
  uses = {{.param = offsetof(Params, pointer), .isWritten = 1, .isOwn = 1, .places = 3}};
  places = {{1, 0, 1, distance, 0, 4}, {0, 1, 2, none, 4, 8}, {0, 3, 2, below, 0, 4}};
  params.width = 20;
  params.n = 10;
  EXPECT_TRUE(prove().races);
  params.n = 30; // to the right of the row's end, which is the next one's begin
  EXPECT_FALSE(prove().races);
  params.n = 10;
  dims[2].count = n(); // to the diagonal itself, where only the thread writes
  EXPECT_TRUE(prove().races);
  dims[2].count = times(n(), 4); // to what the next thread writes
  EXPECT_FALSE(prove().races);
}

// A thread has a row, of which it writes the first element, and each by the one before it.
TEST_F(LaunchProofTest, RowsOfThreads) {
  launch.blockDim[1] = launch.gridDim[1] = 1;
  uint32_t one = span(1, 1), row = times(width(), 4), rows = times(row, 16);
  uint32_t repeats = add(ProofOp::Add, width(), span(-1, -1)), none = span(0, 0);
  dims = {{row, one, 0, 0}, {rows, one, 3, 0}, {span(4, 4), repeats, FirstLoopDim, 1}};
  uses = {{.param = offsetof(Params, pointer), .isWritten = 1, .isOwn = 1, .places = 3}};
  places = {{1, 0, 2, none, 0, 4}, {1, 0, 3, none, 4, 8}, {0, 0, 3, none, 0, 4}};
  EXPECT_TRUE(prove().races);
  dims[2].count = width();
  EXPECT_FALSE(prove().races);
  // The same of columns, of threads that have a limit.
  dims = {{span(4, 4), one, 0, 0}, {span(64, 64), one, 3, 0}, {row, repeats, FirstLoopDim, 1}};
  places[1].low = 4 * params.width, places[1].high = places[1].low + 4;
  EXPECT_TRUE(prove().races);
  params.width = 63;
  places[1].low = 4 * params.width, places[1].high = places[1].low + 4;
  EXPECT_FALSE(prove().races);
  uses[0].limits = 1;
  limits = {{width(), 0, 2, 0}};
  factors = {{0, one}, {3, span(16, 16)}};
  EXPECT_TRUE(prove().races);
}

TEST_F(LaunchProofTest, OtherParametersOfTheAllocation) {
  struct {
    void *first, *second;
  } two = {array, other};
  launch.params = reinterpret_cast<uint8_t *>(&two);
  launch.gridDim[0] = launch.gridDim[1] = launch.blockDim[1] = 1;
  dims = {{span(4, 4), span(1, 1), 0, 0}};
  useDims(1);
  uses.push_back({8, 0, 0});
  EXPECT_TRUE(prove().races);
  two.second = array + 64;
  EXPECT_FALSE(prove().races);
  launch.globals = array;
  two.second = other;
  EXPECT_FALSE(prove().races);
}

TEST_F(LaunchProofTest, SharedMemoryNeedsABlock) {
  usePlane(false);
  Proven proven = prove(ProvesMemory | ProvesRaces | UsesShared | BlocksAlike);
  EXPECT_FALSE(proven.races);
  EXPECT_TRUE(proven.racesOfRest);
  EXPECT_FALSE(prove(ProvesMemory | ProvesRaces | UsesShared).racesOfRest);
}

TEST_F(LaunchProofTest, BlocksAtTheEdges) {
  constexpr uint32_t Flags = UsesShared | BlocksAlike;
  launch.gridDim[0] = 6, launch.gridDim[1] = 5;
  auto column = [&] { // x = blockIdx.x * 16 + threadIdx.x
    return add(ProofOp::Add, times(add(ProofOp::BlockIdx, 0, 0, 0), 16), span(0, 15));
  };
  auto expectRest = [&](std::array<uint32_t, 3> low, std::array<uint32_t, 3> count) {
    BlockBox rest = prove(Flags).rest;
    EXPECT_EQ(std::to_array(rest.count), count);
    EXPECT_EQ(std::to_array(rest.low), low);
  };
  expectRest({0, 0, 0}, {6, 5, 1});
  alike = {add(ProofOp::Less, span(0, 0), column())}; // x > 0
  expectRest({1, 0, 0}, {5, 5, 1});
  alike.push_back(add(ProofOp::Less, column(), span(90, 90))); // x < 90
  expectRest({1, 0, 0}, {4, 5, 1});
  alike.push_back(add(ProofOp::Less, add(ProofOp::BlockIdx, 0, 0, 1), span(4, 4)));
  expectRest({1, 0, 0}, {4, 4, 1});
  alike.push_back(add(ProofOp::Less, column(), span(40, 40))); // in the middle
  expectRest({0, 0, 0}, {0, 0, 0});
}

TEST_F(LaunchProofTest, AtomicOperationsAlone) {
  ProvenUse counters = {.param = offsetof(Params, pointer), .isWritten = 1, .isOwn = 0};
  uses = {counters};
  EXPECT_FALSE(prove().races);
  uses[0].isAtomic = 1;
  EXPECT_TRUE(prove().races);
}

TEST_F(LaunchProofTest, SomeParameters) {
  struct Two {
    void *first, *second;
  } two = {array, other};
  launch.params = reinterpret_cast<uint8_t *>(&two);
  ProvenUse read = {.param = offsetof(Two, first), .isWritten = 0, .isOwn = 0};
  ProvenUse written = {.param = offsetof(Two, second), .isWritten = 1, .isOwn = 0};
  uses = {read, written};
  auto find = [&] { return LaunchProver(proof(), launch, boundsAt).paramsWithoutRaces(); };
  EXPECT_EQ(find(), std::vector<uint32_t>{offsetof(Two, first)});
  uses[1].isAtomic = 1;
  EXPECT_EQ(find().size(), 2u);
  two.second = array + 64; // in the other's allocation
  EXPECT_TRUE(find().empty());
  two.second = other;
  launch.isAlone = false;
  EXPECT_TRUE(find().empty());
}

TEST_F(LaunchProofTest, Textures) {
  uses = {{.param = offsetof(Params, pointer), .isWritten = 1, .isOwn = 0, .isAtomic = 1}};
  EXPECT_TRUE(prove().races);
  constexpr uint32_t Flags = ProvesMemory | ProvesRaces | ReadsTexels;
  EXPECT_FALSE(prove(Flags).races);
  launch.isSampled = [](Bounds bounds) { return bounds.low == other; };
  EXPECT_TRUE(prove(Flags).races);
  params.pointer = other;
  EXPECT_FALSE(prove(Flags).races);
  EXPECT_TRUE(prove().races);
}

} // namespace
