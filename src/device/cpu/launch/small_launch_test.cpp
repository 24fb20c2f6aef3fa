// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of one block, which one worker runs in series (EngineThreads::runFollowing): the order
// stays, and what must not run does not.
#include "device/cpu/launch_fixture.h"

#include <atomic>
#include <vector>

using namespace heddle;
using namespace heddle::device;
using namespace heddle::device::test;

namespace {

using SmallLaunches = LaunchTest;

/// A list that launches write their numbers to, one after the other.
struct Note {
  std::vector<uint32_t> *list;
  uint32_t number;
  bool faults;
};

void note(Block *block) {
  const Note &p = params<Note>(block);
  if (p.faults)
    *reinterpret_cast<volatile int *>(64) = 1;
  p.list->push_back(p.number); // no two of them at a time
}

std::vector<uint32_t> numbersTo(uint32_t count) {
  std::vector<uint32_t> numbers(count);
  for (uint32_t i = 0; i < count; ++i)
    numbers[i] = i;
  return numbers;
}

TEST_F(SmallLaunches, KeepTheirOrder) {
  KernelCode code = plainKernel<note>();
  KernelInfo info = {&code, "note"};
  for (QueueKind kind : {QueueKind::Legacy, QueueKind::Blocking, QueueKind::NonBlocking}) {
    Queue *other = device->createQueue(kind, 0);
    std::vector<uint32_t> list;
    for (uint32_t i = 0; i < 5000; ++i) {
      device->launch(other, request(info, 1, Note{&list, i, false}));
      if (i % 1000 == 7) // in the middle of a series
        device->synchronize(other);
      if (i % 500 == 3)
        device->enqueueHostFunction(other, [&list, i] { EXPECT_EQ(list.size(), i + 1); });
    }
    device->synchronize(other);
    EXPECT_EQ(list, numbersTo(5000));
    device->destroyQueue(other);
  }
}

TEST_F(SmallLaunches, StopAtAFault) {
  KernelCode code = plainKernel<note>();
  KernelInfo info = {&code, "note"};
  std::vector<uint32_t> list;
  testing::internal::CaptureStderr();
  device->enqueueHostFunction(queue, [] {}); // so that the launches gather
  for (uint32_t i = 0; i < 100; ++i)
    device->launch(queue, request(info, 1, Note{&list, i, i == 20}));
  device->synchronize(queue);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(device->fault(), Fault::IllegalAddress);
  EXPECT_EQ(list, numbersTo(20));
  device->reset();
  run(request(info, 1, Note{&list, 20, false}));
  EXPECT_EQ(list.size(), 21u);
}

struct Segment {
  std::atomic<uint32_t> *legacy, *blocking;
  uint32_t number;
  bool *wrong;
};

/// A launch of the legacy stream comes after all earlier ones of blocking streams, and before all
/// later ones.
void legacyStep(Block *block) {
  const Segment &p = params<Segment>(block);
  *p.wrong |= p.legacy->fetch_add(1) != p.number || *p.blocking != p.number;
}
void blockingStep(Block *block) {
  const Segment &p = params<Segment>(block);
  *p.wrong |= p.blocking->fetch_add(1) != p.number || *p.legacy != p.number + 1;
}

TEST_F(SmallLaunches, KeepToTheRuleOfTheLegacyStream) {
  KernelCode legacyCode = plainKernel<legacyStep>(), blockingCode = plainKernel<blockingStep>();
  KernelInfo legacyInfo = {&legacyCode, "legacy"}, blockingInfo = {&blockingCode, "blocking"};
  Queue *blocking = device->createQueue(QueueKind::Blocking, 0);
  std::atomic<uint32_t> legacyCount{0}, blockingCount{0};
  bool wrong = false;
  for (uint32_t i = 0; i < 3000; ++i) {
    Segment step = {&legacyCount, &blockingCount, i, &wrong};
    device->launch(queue, request(legacyInfo, 1, step));
    device->launch(blocking, request(blockingInfo, 1, step));
  }
  device->synchronize();
  EXPECT_FALSE(wrong);
  EXPECT_EQ(legacyCount + blockingCount, 6000u);
  device->destroyQueue(blocking);
}

} // namespace
