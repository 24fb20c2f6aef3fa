// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules of the model, each with a kernel that shows nothing else. That times are near those that were
// published is bench/model_points.py's.
#include "model/cache.h"
#include "model/test_kernels.h"

#include <gtest/gtest.h>

namespace heddle::model {
namespace {

using test::Arguments;
using test::makeTestKernel;
using test::TestKernel;

LaunchTime time(std::string_view key, const std::string &name, const Arguments &arguments,
                const MemoryState &state = {}) {
  const TestKernel kernel = makeTestKernel(name, arguments);
  const Gpu &gpu = *findGpu(key);
  return simulate(gpu, makeMachineCode(kernel.code, gpu), kernel.shape, kernel.traces(), state,
                  {100'000, 100'000});
}

/// Bytes that a copy moves, over its time.
double rate(std::string_view key, Arguments arguments, const MemoryState &state = {}) {
  arguments.try_emplace("n", 1 << 22);
  const TestKernel kernel = makeTestKernel("stream", arguments);
  return kernel.bytes / time(key, "stream", arguments, state).seconds;
}

TEST(SectorCache, keepsWhatWasUsedLast) {
  SectorCache cache(8 * 128, false); // one set
  for (uint64_t line = 0; line < 8; ++line)
    EXPECT_FALSE(cache.read(line * 4));
  EXPECT_TRUE(cache.read(0));
  EXPECT_FALSE(cache.read(1)) << "another sector of the line";
  EXPECT_FALSE(cache.read(8 * 4)) << "in the place of line 1";
  EXPECT_TRUE(cache.read(0));
  EXPECT_FALSE(cache.read(1 * 4));
  cache.drop(0);
  EXPECT_FALSE(cache.read(0));
  SectorCache lines(8 * 128, true);
  EXPECT_FALSE(lines.read(0));
  EXPECT_TRUE(lines.read(3));
  SectorCache none(0, false);
  EXPECT_FALSE(none.read(0));
  EXPECT_FALSE(none.read(0));
}

TEST(FillCache, forgetsAfterItsSize) {
  FillCache cache(64);
  EXPECT_EQ(cache.use(1, false), FillCache::Found::Never);
  EXPECT_EQ(cache.use(1, false), FillCache::Found::Hit);
  EXPECT_EQ(cache.use(1, true), FillCache::Found::Dirtied);
  EXPECT_EQ(cache.use(1, true), FillCache::Found::Hit);
  EXPECT_EQ(cache.use(2, true), FillCache::Found::Never);
  cache.pass(64);
  EXPECT_EQ(cache.use(2, false), FillCache::Found::Aged);
  EXPECT_EQ(cache.use(2, true), FillCache::Found::Dirtied);
}

/// A copy moves what the mix of reads and writes reaches, and ECC takes its part of GDDR.
TEST(Timing, copiesReachTheirShare) {
  EXPECT_NEAR(rate("k20", {}) / 208e9, 0.71, 0.03);
  EXPECT_NEAR(rate("k20", {}, {.ecc = 0}) / 208e9, 0.82, 0.03);
  EXPECT_NEAR(rate("v100", {{"n", 1 << 24}}) / 898e9, 0.90, 0.03);
  EXPECT_NEAR(rate("c1060", {}) / 102.4e9, 0.77, 0.04);
  const LaunchTime copy = time("k20", "stream", {{"n", 1 << 22}});
  EXPECT_EQ(copy.bound, Resource::Dram);
  EXPECT_NEAR(copy.dramRead, 4 << 22, 1 << 20);
  EXPECT_NEAR(copy.dramWritten, 4 << 22, 1 << 20);
  EXPECT_GT(copy.waits[unsigned(Wait::Dram)], 0.5);
}

/// What a repeated launch finds in L2 it does not fetch.
TEST(Timing, smallDataStaysInL2) {
  const Arguments small = {{"n", 1 << 18}};
  EXPECT_EQ(time("a100", "stream", small).dramRead, 0);
  EXPECT_GT(time("a100", "stream", small, {.again = 0}).dramRead, 1e6);
}

/// A profiler empties caches before a kernel, and looks at once behind it: what is written and still in L2
/// is not in memory.
TEST(Timing, writesStayInL2) {
  auto written = [](double n, bool isFlushed) {
    return time("a100", "stream", {{"n", n}}, {.again = 0, .isFlushed = isFlushed}).dramWritten;
  };
  EXPECT_EQ(written(1 << 18, true), 0);
  EXPECT_NEAR(written(1 << 18, false), 1 << 20, 1 << 16);
  const double most = 4.0 * (1 << 25);
  EXPECT_LT(written(1 << 25, true), 0.95 * most);
  EXPECT_GT(written(1 << 25, true), 0.85 * most);
  EXPECT_GT(time("c1060", "stream", {{"n", 1 << 18}}, {.isFlushed = true}).dramWritten, 0)
      << "no cache";
}

/// Fewer resident threads have fewer bytes on their way; several loads of each make up for it.
TEST(Timing, latencyAgainstOccupancy) {
  const double alone = rate("k20", {{"block", 64}, {"shared", 44000}});
  const double four = rate("k20", {{"block", 64}, {"shared", 44000}, {"ilp", 4}});
  const double all = rate("k20", {{"block", 256}});
  EXPECT_LT(alone * 3, four);
  EXPECT_LT(four * 1.5, all);
  EXPECT_EQ(time("k20", "stream", {{"n", 1 << 20}, {"block", 64}, {"shared", 44000}}).bound,
            Resource::Latency);
}

TEST(Timing, stridesWasteSectors) {
  const Arguments strided = {{"stride", 8}, {"n", 1 << 20}};
  EXPECT_GT(rate("k20", {{"n", 1 << 20}}), 5 * rate("k20", strided));
  // 1.0: any stride is a transaction for each lane; 1.3: segments.
  const Arguments two = {{"stride", 2}, {"n", 1 << 20}};
  EXPECT_GT(rate("c1060", two), 2 * rate("c870", two));
}

/// Latencies of the tables come out of chains of loads.
TEST(Timing, chainsOfLoads) {
  auto latency = [](std::string_view key, double bytes) {
    const TestKernel chain = makeTestKernel("chase", {{"bytes", bytes}});
    return time(key, "chase", {{"bytes", bytes}}, {.footprint = uint64_t(bytes)}).cycles /
           chain.operations;
  };
  EXPECT_NEAR(latency("v100", 8192), 32, 6);
  EXPECT_NEAR(latency("v100", 1 << 21), 210, 20);
  EXPECT_NEAR(latency("v100", 1 << 28), 450, 40);
}

TEST(Timing, pipelinesAtTheirRates) {
  const Arguments full = {{"grid", 80}, {"block", 1024}, {"loops", 4}};
  auto perClock = [&](std::string_view key, Arguments arguments) {
    const TestKernel kernel = makeTestKernel("fma", arguments);
    const LaunchTime result = time(key, "fma", arguments);
    EXPECT_EQ(result.bound, Resource::Arithmetic);
    return kernel.operations / result.cycles / findGpu(key)->multiprocessors;
  };
  EXPECT_NEAR(perClock("titanv", full), 64, 5);
  Arguments doubles = full;
  doubles["bits"] = 64;
  EXPECT_NEAR(perClock("titanv", doubles), 32, 2);
}

/// The ladder of the transposes, and the partitions of 1.3.
TEST(Timing, transposes) {
  auto seconds = [](std::string_view key, double kind, double n = 1024) {
    return time(key, "transpose", {{"kind", kind}, {"n", n}}).seconds;
  };
  enum { Copy, CopyShared, Naive, Coalesced, Padded, Diagonal };
  for (const char *key : {"c2050", "k20"}) {
    SCOPED_TRACE(key);
    EXPECT_GT(seconds(key, Naive), 1.2 * seconds(key, Coalesced));
    EXPECT_GT(seconds(key, Coalesced), 1.2 * seconds(key, Padded));
    EXPECT_LT(seconds(key, Padded), 1.2 * seconds(key, Copy));
  }
  EXPECT_GT(seconds("c1060", Padded), 2 * seconds("c1060", Diagonal)) << "camping";
  EXPECT_LT(seconds("c870", Padded), 1.3 * seconds("c870", Diagonal)) << "six partitions";
  EXPECT_GT(time("c1060", "transpose", {{"kind", Padded}}).partitionFactor, 2);
}

TEST(Timing, reductionsInOrder) {
  double before = 1;
  for (double kind = 0; kind < 7; ++kind) {
    const double now = time("8800gtx", "reduce", {{"n", 1 << 20}, {"kind", kind}}).seconds;
    EXPECT_LT(now, before * 1.001) << kind;
    before = now;
  }
}

/// Tiles in shared memory, and x along the lanes.
TEST(Timing, matrixProducts) {
  auto seconds = [](double kind) {
    return time("gtx980", "matmul", {{"n", 256}, {"kind", kind}}).seconds;
  };
  EXPECT_GT(seconds(2), 2 * seconds(0));
  EXPECT_GT(seconds(0), seconds(1));
}

/// A block of one warp, with an arm that `lanes` enter.
TestKernel armed(uint32_t blocks, uint32_t lanes) {
  test::CodeWriter w;
  w.block();
  const uint32_t a = w.make(Operation::SpecialRegister, ValueKind::Integer, 32, {});
  w.guard(a);
  const uint32_t arm = w.block();
  for (unsigned i = 0; i < 8; ++i)
    w.make(Operation::Shift, ValueKind::Integer, 32, {a}, HasImmediate);
  const uint32_t join = w.block();
  w.simple(Operation::Return);
  w.jump(0, {arm, join}), w.jump(arm, {join});
  return {w.take(), {{blocks, 1, 1}, {32, 1, 1}}, [=](uint64_t, unsigned, test::TraceWriter trace) {
            trace.block(0);
            if (lanes)
              trace.block(arm, lanes);
            trace.block(join);
          }};
}

TEST(Timing, skippedArmsAreIssued) {
  const TestKernel skipped = armed(1, 0), entered = armed(1, ~0u);
  auto instructions = [](const TestKernel &kernel) {
    const Gpu &gpu = *findGpu("v100");
    return simulate(gpu, makeMachineCode(kernel.code, gpu), kernel.shape, kernel.traces())
        .instructions;
  };
  EXPECT_EQ(instructions(skipped), instructions(entered));
}

TEST(Timing, blocksBeginOneAfterTheOther) {
  const TestKernel many = armed(1 << 16, 0);
  const Gpu &gpu = *findGpu("h200");
  const LaunchTime time = simulate(gpu, makeMachineCode(many.code, gpu), many.shape, many.traces());
  EXPECT_GT(time.cycles, 1.2 * (1 << 16));
  EXPECT_LT(time.cycles, 1.4 * (1 << 16));
  EXPECT_EQ(time.bound, Resource::Launch);
}

/// Blocks that do the same end together; their rate is that of whole generations.
TEST(Timing, equalBlocksHaveNoErrorOfSampling) {
  const LaunchTime equal = time("k20", "fma", {{"grid", 13 * 80}, {"block", 256}, {"loops", 1}});
  EXPECT_LT(equal.error, 0.03);
}

/// A warp for each of so many blocks, with one access of lanes `step` bytes apart, or anywhere within 1 KB.
TestKernel accessing(Operation operation, Space space, unsigned flags, int step, unsigned rounds) {
  test::CodeWriter w;
  w.block();
  const uint32_t base = w.parameter(), value = w.reg();
  const uint32_t body = w.block();
  if (operation == Operation::Load)
    w.load(space, 4, base, flags);
  else
    w.store(space, 4, base, value, operation);
  const uint32_t access = w.lastAccess();
  w.code_.accesses[access].flags = uint16_t(flags);
  const uint32_t end = w.block();
  w.simple(Operation::Return);
  w.jump(0, {body}), w.jump(body, {body, end});
  return {w.take(),
          {{256, 1, 1}, {256, 1, 1}},
          [=](uint64_t block, unsigned warp, test::TraceWriter trace) {
            trace.block(0);
            for (unsigned i = 0; i < rounds; ++i) {
              trace.block(body);
              if (step < 0)
                trace.gather(access, [&](unsigned lane) {
                  return uint64_t((block * 7919 + warp * 104729 + i * 1299709 + lane * 15485863) %
                                  251 * 4);
                });
              else
                trace.access(access, 0, step);
            }
            trace.block(end);
          }};
}

double secondsOf(std::string_view key, const TestKernel &kernel) {
  const Gpu &gpu = *findGpu(key);
  return simulate(gpu, makeMachineCode(kernel.code, gpu), kernel.shape, kernel.traces()).seconds;
}

/// A slice of L2 does one step after the other, whatever the addresses: the operations of a small histogram meet on
/// every board.
TEST(Timing, scatteredAtomicsMeetInSlicesOfL2) {
  const TestKernel random = accessing(Operation::Reduce, Space::Global, 0, -1, 16);
  const TestKernel one = accessing(Operation::Reduce, Space::Global, 0, 0, 16);
  const double operations = 256.0 * 8 * 16 * 32;
  for (const char *key : {"k20", "gtx980", "v100", "rtx3080", "h100"}) {
    SCOPED_TRACE(key);
    const double clock = findGpu(key)->sustainedKhz * 1e3;
    EXPECT_LT(operations / secondsOf(key, random) / clock, 3) << "of two slices";
    EXPECT_GE(secondsOf(key, one), secondsOf(key, random) * 0.99);
  }
  EXPECT_GT(secondsOf("k20", random), secondsOf("h100", random));
}

/// From 8.0 on increments of one address are counted, and one is added.
TEST(Timing, incrementsOfOneAddressAreOne) {
  const TestKernel plain = accessing(Operation::Reduce, Space::Shared, 0, 0, 64);
  const TestKernel increments = accessing(Operation::Reduce, Space::Shared, IsIncrement, 0, 64);
  EXPECT_GT(secondsOf("rtx3080", plain), 4 * secondsOf("rtx3080", increments));
  EXPECT_EQ(secondsOf("t4", plain), secondsOf("t4", increments));
}

/// The way from the banks has 64 bytes a clock in 7.5, and 128 in 8.6.
TEST(Timing, conflictsTakeARowOfBanksEach) {
  const TestKernel conflicts = accessing(Operation::Load, Space::Shared, 0, 128, 64);
  auto cycles = [&](const char *key) {
    const Gpu &gpu = *findGpu(key);
    const LaunchTime result =
        simulate(gpu, makeMachineCode(conflicts.code, gpu), conflicts.shape, conflicts.traces());
    EXPECT_EQ(result.bound, Resource::LoadStore);
    return result.cycles * gpu.multiprocessors;
  };
  EXPECT_NEAR(cycles("t4") / cycles("rtx3080"), 2, 0.3);
}

TEST(Timing, endsWithTheBusiest) {
  TestKernel kernel = armed(64, ~0u);
  auto secondsWith = [&](unsigned rounds) {
    kernel.write = [=](uint64_t block, unsigned, test::TraceWriter trace) {
      for (unsigned i = 0; i < (block == 5 ? rounds : 1); ++i)
        trace.block(0);
    };
    const Gpu &gpu = *findGpu("v100");
    const MachineCode code = makeMachineCode(kernel.code, gpu);
    const SampledBlocks all = sampleBlocks(gpu, code, kernel.shape);
    Effort effort;
    effort.traced = &all;
    return simulate(gpu, code, kernel.shape, kernel.traces(), {}, effort).cycles;
  };
  EXPECT_GT(secondsWith(1000), 5 * secondsWith(1));
}

TEST(Timing, sameRunSameDigits) {
  const Arguments arguments = {{"kind", 3}};
  EXPECT_EQ(time("k20", "transpose", arguments).seconds,
            time("k20", "transpose", arguments).seconds);
}

TEST(Timing, aBlockThatDoesNotFit) {
  const LaunchTime none = time("8800gtx", "stream", {{"block", 1024}, {"n", 1 << 20}});
  EXPECT_EQ(none.occupancy.limit, OccupancyLimit::TooLarge);
  EXPECT_EQ(none.seconds, 0);
}

} // namespace
} // namespace heddle::model
