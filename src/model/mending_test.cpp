// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flaws that lines have, and traces without them.
#include "model/mended_trace.h"
#include "model/test_kernels.h"

#include <gtest/gtest.h>

namespace heddle::model {
namespace {

using test::TestKernel;

/// Loads are line 0, what else goes to memory line 1, and the rest line 2.
void giveLines(KernelCode &code) {
  code.lines.resize(3);
  for (CodeAccess &access : code.accesses)
    access.line = access.operation != Operation::Load;
  for (CodeOperation &operation : code.operations)
    operation.line = operation.access == None ? 2 : code.accesses[operation.access].line;
}

std::vector<Mending> mend(const char *key, TestKernel &kernel) {
  giveLines(kernel.code);
  const Gpu &gpu = *findGpu(key);
  const MachineCode machine = makeMachineCode(kernel.code, gpu);
  const Effort effort{100'000, 100'000};
  const LaunchTime time =
      simulate(gpu, machine, kernel.shape, kernel.traces(), MemoryState{}, effort);
  return mendLines(gpu, machine, kernel.shape, kernel.traces(), time, MemoryState{}, effort);
}

std::vector<Mending> mendTranspose(const char *key, double kind) {
  TestKernel kernel = test::makeTestKernel("transpose", {{"kind", kind}, {"n", 1024}});
  return mend(key, kernel);
}

/// A kernel that is written down here.
BlockTrace traceOf(std::initializer_list<uint32_t> lanes, int32_t stride) {
  BlockTrace trace{0, {}};
  for (uint32_t one : lanes) {
    trace.warps.emplace_back();
    test::TraceWriter writer(trace.warps.back());
    writer.block(0, ~0u);
    writer.block(1, one);
    writer.access(0, 4096, stride, one);
  }
  return trace;
}

KernelCode oneLoad(Space space) {
  test::CodeWriter writer;
  writer.block();
  const uint32_t base = writer.parameter();
  writer.jump(0, {1});
  writer.block();
  writer.load(space, 4, base);
  KernelCode code = writer.take();
  giveLines(code);
  return code;
}

} // namespace

TEST(Mending, aNaiveTransposeGainsByItsStore) {
  std::vector<Mending> mendings = mendTranspose("k20", 2);
  ASSERT_FALSE(mendings.empty());
  EXPECT_EQ(mendings[0].flaw, Flaw::Scattered);
  EXPECT_EQ(mendings[0].line, 1u);
  EXPECT_NEAR(mendings[0].has, 32, 1e-9);
  EXPECT_NEAR(mendings[0].ideal, 4, 1e-9);
  EXPECT_GT(mendings[0].gain, 1.5);
}

TEST(Mender, putsLanesSideBySide) {
  const KernelCode code = oneLoad(Space::Global);
  BlockTrace trace = traceOf({~0u, ~0u}, 128);
  WasteFinder before(MemoryRules::Sectors, code);
  before.add(trace);
  EXPECT_TRUE(before.take()[0][size_t(Flaw::Scattered)].isFlaw());
  Mender(MemoryRules::Sectors, code, 0, Flaw::Scattered).mend(trace);
  WasteFinder after(MemoryRules::Sectors, code);
  after.add(trace);
  EXPECT_FALSE(after.take()[0][size_t(Flaw::Scattered)].isFlaw());
  // The same bytes as before have one place.
  LaneAccess one(code.accesses[0], trace.warps[0].events[2], trace.warps[0]);
  LaneAccess two(code.accesses[0], trace.warps[1].events[2], trace.warps[1]);
  EXPECT_EQ(one.addresses[0], two.addresses[0]);
  EXPECT_EQ(one.addresses[31], one.addresses[0] + 31 * 4);
}

TEST(Mender, takesConflictsAway) {
  const KernelCode code = oneLoad(Space::Shared);
  for (MemoryRules rules : {MemoryRules::InOrder, MemoryRules::Lines, MemoryRules::Sectors}) {
    BlockTrace trace = traceOf({~0u}, 128);
    Mender(rules, code, 0, Flaw::Conflicts).mend(trace);
    WasteFinder after(rules, code);
    after.add(trace);
    EXPECT_FALSE(after.take()[0][size_t(Flaw::Conflicts)].isFlaw());
  }
}

TEST(Mender, makesWholeWarpsOfDivergentSteps) {
  const KernelCode code = oneLoad(Space::Global);
  BlockTrace trace = traceOf({0xffu, 0xff00u, 0xffu, 0xffu, 0xffu}, 4);
  WasteFinder before(MemoryRules::Sectors, code);
  before.add(trace);
  const Waste waste = before.take()[0][size_t(Flaw::Divergence)];
  EXPECT_TRUE(waste.isFlaw());
  EXPECT_EQ(waste.has, 4 * waste.ideal);
  Mender(MemoryRules::Sectors, code, 0, Flaw::Divergence).mend(trace);
  std::vector<unsigned> lanes;
  for (const WarpTrace &warp : trace.warps)
    for (const WarpEvent &event : warp.events)
      if (event.kind == EventKind::Access)
        lanes.push_back(unsigned(__builtin_popcount(event.lanes)));
  EXPECT_EQ(lanes, (std::vector<unsigned>{32, 8})) << "of five steps with eight lanes";
}

} // namespace heddle::model
