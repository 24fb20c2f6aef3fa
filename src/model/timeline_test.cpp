// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::model {
namespace {

const Gpu &gpu(std::string_view key) { return *findGpu(key); }

double endOf(const std::vector<Span> &spans) {
  return std::ranges::max_element(spans, {}, &Span::end)->end;
}

TEST(Transfers, ratesOfTheTexts) {
  using enum CopyKind;
  EXPECT_NEAR(copyRate(gpu("k20m"), HostToDevice, true) / 6.21e9, 1, 0.05);
  EXPECT_NEAR(copyRate(gpu("k20m"), DeviceToHost, true) / 6.61e9, 1, 0.05);
  EXPECT_NEAR(copyRate(gpu("v100"), HostToDevice, true) / 12.35e9, 1, 0.05);
  EXPECT_NEAR(copyRate(gpu("rtx6000ada"), HostToDevice, true) / 26.8e9, 1, 0.06);
  EXPECT_LT(copyRate(gpu("k20"), HostToDevice, false),
            0.5 * copyRate(gpu("k20"), HostToDevice, true));
  EXPECT_LT(copySeconds(gpu("k20"), HostToDevice, 256, false), 1.4e-6);
  EXPECT_GT(copySeconds(gpu("k20"), DeviceToHost, 256, false), 2.1e-6);
  EXPECT_NEAR(2 * copyRate(gpu("gtx1650super"), DeviceToDevice, true) / 159.2e9, 1, 0.1);
}

TEST(Transfers, peers) {
  const Gpu &m2050 = gpu("m2050"), &k10 = gpu("k10"), &v100 = gpu("v100");
  EXPECT_NEAR(peerRate(m2050, m2050, PeerPath::SameHub) / 5.2e9, 1, 0.05);
  EXPECT_NEAR(peerRate(m2050, m2050, PeerPath::Staged) / 3.48e9, 1, 0.05);
  EXPECT_NEAR(peerRate(k10, k10, PeerPath::SameBoard) / 11.5e9, 1, 0.05);
  EXPECT_NEAR(peerRate(k10, k10, PeerPath::SameHub) / 9.7e9, 1, 0.05);
  EXPECT_NEAR(peerRate(k10, k10, PeerPath::Staged) / 8.9e9, 1, 0.05);
  EXPECT_GT(peerRate(v100, v100, PeerPath::NvLink), 100e9);
  EXPECT_GT(peerSeconds(k10, k10, PeerPath::SameHub, 1 << 24), 16e6 / 9.9e9);
}

/// testAsync of the book: 16 MB in four streams, to the device, a kernel, and back. `kernel`: seconds.
enum class Order { Sequential, ByStream, ByStage, ByStageWithEvents };
double asynchronous(const Gpu &gpu, double kernel, Order order) {
  constexpr uint64_t Bytes = 16 << 20;
  const unsigned streams = order == Order::Sequential ? 1 : 4;
  auto copy = [&](CopyKind kind) { return copySeconds(gpu, kind, Bytes / streams, true); };
  const Work stages[] = {{WorkKind::ToDevice, 0, copy(CopyKind::HostToDevice)},
                         {WorkKind::Kernel, 0, kernel / streams},
                         {WorkKind::ToHost, 0, copy(CopyKind::DeviceToHost)}};
  std::vector<Work> work;
  auto add = [&](unsigned stage, uint32_t stream) {
    work.push_back(stages[stage]);
    work.back().stream = stream;
    if (stage == 1 && order == Order::ByStageWithEvents)
      work.push_back({WorkKind::Event, streams + 1});
  };
  const bool isByStage = order >= Order::ByStage;
  for (unsigned outer = 0; outer < (isByStage ? 3 : streams); ++outer)
    for (unsigned inner = 0; inner < (isByStage ? streams : 3); ++inner)
      isByStage ? add(outer, inner) : add(inner, outer);
  return endOf(runTimeline(gpu, work));
}

/// One copy engine: the loop over streams does not overlap, copies that come first do.
TEST(Timeline, testAsyncOnOneEngine) {
  const Gpu &c1060 = gpu("c1060");
  constexpr double Kernel = 7.4e-3;
  const double sequential = asynchronous(c1060, Kernel, Order::Sequential);
  EXPECT_NEAR(asynchronous(c1060, Kernel, Order::ByStream), sequential, 0.01 * sequential);
  EXPECT_LT(asynchronous(c1060, Kernel, Order::ByStage), 0.75 * sequential);
  EXPECT_NEAR(sequential, 12.92e-3, 0.5e-3);
  EXPECT_NEAR(asynchronous(c1060, Kernel, Order::ByStage), 8.85e-3, 0.5e-3);
}

/// Two engines and one queue: the first copy back waits for the last kernel, but for events.
TEST(Timeline, testAsyncOnFermi) {
  const Gpu &c2050 = gpu("c2050");
  constexpr double Kernel = 2.7e-3;
  const double byStream = asynchronous(c2050, Kernel, Order::ByStream);
  const double byStage = asynchronous(c2050, Kernel, Order::ByStage);
  const double events = asynchronous(c2050, Kernel, Order::ByStageWithEvents);
  EXPECT_LT(byStream, 0.8 * asynchronous(c2050, Kernel, Order::Sequential));
  EXPECT_GT(byStage, events + 0.3e-3);
  EXPECT_NEAR(events, byStream, 0.02 * byStream);
}

/// Hyper-Q: all orders are alike.
TEST(Timeline, testAsyncOnKepler) {
  const Gpu &k20 = gpu("k20");
  constexpr double Kernel = 2.6e-3;
  EXPECT_NEAR(asynchronous(k20, Kernel, Order::Sequential), 7.96e-3, 0.3e-3);
  const double byStream = asynchronous(k20, Kernel, Order::ByStream);
  EXPECT_NEAR(byStream, asynchronous(k20, Kernel, Order::ByStage), 0.1 * byStream);
  EXPECT_NEAR(byStream, 5.6e-3, 0.6e-3);
}

TEST(Timeline, kernelsSideBySide) {
  const std::vector<Work> small = {{WorkKind::Kernel, 1, 1, 0.25}, {WorkKind::Kernel, 2, 1, 0.25}};
  EXPECT_DOUBLE_EQ(endOf(runTimeline(gpu("c2050"), small)), 1);
  EXPECT_DOUBLE_EQ(endOf(runTimeline(gpu("c1060"), small)), 2) << "one kernel at a time";
  const std::vector<Work> large = {{WorkKind::Kernel, 1, 1, 1}, {WorkKind::Kernel, 2, 1, 1}};
  EXPECT_DOUBLE_EQ(endOf(runTimeline(gpu("k20"), large)), 2);
  const std::vector<Work> uneven = {{WorkKind::Kernel, 1, 1, 0.5}, {WorkKind::Kernel, 2, 1, 1}};
  EXPECT_DOUBLE_EQ(endOf(runTimeline(gpu("k20"), uneven)), 1.5) << "half speed, then all";
}

TEST(Timeline, ordersOfStreams) {
  std::vector<Work> work = {
      {WorkKind::Kernel, 1, 1, 0.1}, {WorkKind::Kernel, 0, 1, 0.1}, {WorkKind::Kernel, 2, 1, 0.1}};
  work[1].isDefaultStream = true;
  EXPECT_DOUBLE_EQ(endOf(runTimeline(gpu("k20"), work)), 3)
      << "the default stream waits, and is waited for";
  work[1].isDefaultStream = false;
  work[2].waits = {0};
  EXPECT_DOUBLE_EQ(endOf(runTimeline(gpu("k20"), work)), 2) << "an event";
  work[2].issued = 5;
  EXPECT_DOUBLE_EQ(endOf(runTimeline(gpu("k20"), work)), 6) << "the host was late";
  EXPECT_EQ(runTimeline(gpu("k20"), {}).size(), 0u);
}

/// Without a copy engine copies and kernels take turns.
TEST(Timeline, c870) {
  const std::vector<Work> work = {{WorkKind::Kernel, 1, 1}, {WorkKind::ToDevice, 2, 1}};
  EXPECT_DOUBLE_EQ(endOf(runTimeline(gpu("c870"), work)), 2);
  EXPECT_DOUBLE_EQ(endOf(runTimeline(gpu("k20"), work)), 1);
}

} // namespace
} // namespace heddle::model
