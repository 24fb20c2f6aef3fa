// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that go wrong: the launch ends, the report says what and where, the context is lost, the
// host goes on, and a reset gives a usable device again.
#include "device/cpu/memory/allocator.h"
#include "device/cpu/test_kernels.h"

#include <gtest/gtest.h>

#include <csignal>

using namespace heddle;
using namespace heddle::device;
using namespace heddle::device::test;

namespace {

class FaultTest : public testing::Test {
protected:
  FaultTest() { cpu::Allocator::get().setPassesOverruns(false); }

  std::unique_ptr<Device> device = createCpuDevice();
  Queue *queue = device->createQueue(QueueKind::Legacy, 0);

  /// The report of a launch that must end in `fault`.
  template <typename P>
  std::string reportOf(const KernelCode &code, const char *name, uint32_t blocks, const P &p,
                       Fault fault, uint32_t shared = 0) {
    KernelInfo info = {&code, name};
    testing::internal::CaptureStderr();
    device->launch(queue, request(info, blocks, p, shared));
    device->synchronize(queue);
    std::string report = testing::internal::GetCapturedStderr();
    EXPECT_EQ(device->fault(), fault);
    return report;
  }
};

bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }
#define EXPECT_HAS(text, part) EXPECT_TRUE(has(text, part)) << text

void storeBeyond(Block *block) {
  if (block->blockIdx[0] == 3) {
    block->currentWarp = 1;
    *params<volatile int *>(block) = 1;
  }
}

TEST_F(FaultTest, ReportsWildAddress) {
  auto memory = device->allocate(4096);
  ASSERT_TRUE(memory);
  setAllocationFinder([](const void *, AllocationInfo &info) {
    info = {reinterpret_cast<void *>(0x1000), 0x100, "device"};
    return true;
  });
  int *beyond = static_cast<int *>(*memory) + 1024;
  std::string report =
      reportOf(plainKernel<storeBeyond>(32, 4), "store(int *)", 100, beyond, Fault::IllegalAddress);
  EXPECT_HAS(report, "invalid global write in kernel store(int *)");
  EXPECT_HAS(report, "(32,0,0) to (63,0,0) in block (3,0,0)");
  EXPECT_HAS(report, "256 bytes of device memory at 0x1000");
  setAllocationFinder(nullptr);
  device->release(*memory, 4096);
}

TEST_F(FaultTest, LosesContextUntilReset) {
  int *null = nullptr;
  reportOf(plainKernel<storeBeyond>(32, 4), "store", 100, null, Fault::IllegalAddress);
  // Work that is queued now is dropped, host functions run, nothing hangs.
  bool copied = false, called = false;
  device->enqueue(queue, [&] { copied = true; });
  device->enqueueHostFunction(queue, [&] { called = true; });
  device->synchronize();
  EXPECT_FALSE(copied);
  EXPECT_TRUE(called);
  device->reset();
  EXPECT_EQ(device->fault(), Fault::None);
  device->runNow(queue, [&] { copied = true; });
  EXPECT_TRUE(copied);
}

bool overrunShared(Block *block, uint32_t, Frame &) {
  block->shared[params<uint32_t>(block)] = 1;
  return false;
}

TEST_F(FaultTest, ReportsSharedMemoryOverrun) {
  std::string report = reportOf(waitingKernel<overrunShared>(32, 1), "overrun", 1, uint32_t(512),
                                Fault::IllegalAddress, 512);
  EXPECT_HAS(report, "outside shared memory");
}

TEST_F(FaultTest, PassesSmallOverruns) {
  cpu::Allocator::get().setPassesOverruns(true);
  for (int turn = 0; turn < 2;
       ++turn) { // the page is closed again, and an instruction is told once
    std::string report = reportOf(waitingKernel<overrunShared>(32, 1), "overrun", 1, uint32_t(512),
                                  Fault::None, 512);
    EXPECT_EQ(has(report, "warning: invalid"), turn == 0) << report;
  }
}

/// Not instrumented: ThreadSanitizer keeps the callers of a function in a stack of its own, which
/// would end first.
__attribute__((disable_sanitizer_instrumentation)) int deep(volatile int *p, int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  *p = depth;
  return depth == 1 << 30 ? 0 : deep(p, depth + 1) + frame[0];
}
void recurse(Block *block) {
  volatile int depth;
  *params<int *>(block) = deep(&depth, 0);
}

TEST_F(FaultTest, ReportsStackOverflow) {
  int out;
  EXPECT_HAS(reportOf(plainKernel<recurse>(), "recurse", 1, &out, Fault::IllegalAddress),
             "stack overflow");
}

void failAssert(Block *block) {
  if (block->blockIdx[0] == 5)
    block->launch->services->assertFail(block, 2, 0x6, "x > 0", "file.cu", 12, "void k(int)");
}

TEST_F(FaultTest, PrintsAssertAsCudaDoes) {
  std::string report = reportOf(plainKernel<failAssert>(32, 4), "k", 10, 0, Fault::Assert);
  EXPECT_EQ(
      report,
      "file.cu:12: void k(int): block: [5,0,0], thread: [65,0,0] Assertion `x > 0` failed.\n"
      "file.cu:12: void k(int): block: [5,0,0], thread: [66,0,0] Assertion `x > 0` failed.\n");
}

const SourceLoc here = {"file.cu", 30, 3}, there = {"file.cu", 28, 7};
void meetDivergent(Block *block) {
  block->launch->services->divergentBarrier(block, 0, 0xff, 0xffffffff, &here, &there);
}

TEST_F(FaultTest, WarnsOfDivergentBarriersOnce) {
  std::string report = reportOf(plainKernel<meetDivergent>(), "k", 100, 0, Fault::None);
  EXPECT_HAS(report, "8 of 32 live threads");
  EXPECT_HAS(report, "in kernel k\n");
  EXPECT_HAS(report, "at file.cu:30");
  EXPECT_HAS(report, "parted at file.cu:28");
  EXPECT_EQ(report.find("warning"), report.rfind("warning"));
}

/// Warp 0 waits at barrier 0, the others at barrier 1.
bool deadlock(Block *block, uint32_t warp, Frame &) {
  return waitBlock(block, warp, warp == 0 ? 0 : 1, 0, false, warp == 0 ? &here : &there);
}

TEST_F(FaultTest, ReportsDeadlock) {
  std::string report = reportOf(waitingKernel<deadlock>(32, 4), "stuck", 3, 0, Fault::Trap);
  EXPECT_HAS(report, "deadlock in kernel stuck");
  EXPECT_HAS(report, "threads 0 to 31: waits at barrier 0 at file.cu:30");
  EXPECT_HAS(report, "threads 32 to 127: waits at barrier 1 at file.cu:28");
}

bool waitGrid(Block *block, uint32_t warp, Frame &frame) {
  return block->blockIdx[0] != 0 && frame.step == 0 && waitFor(block, warp, WaitKind::Grid);
}

TEST_F(FaultTest, ReportsGridBarrierOutsideCooperativeLaunch) {
  std::string report =
      reportOf(waitingKernel<waitGrid>(32, 1, KernelNeedsGrid), "grid", 3, 0, Fault::Trap);
  EXPECT_HAS(report, "waits at a grid barrier");
}

TEST_F(FaultTest, ReportsUnevenGridBarrier) {
  KernelCode code = waitingKernel<waitGrid>(32, 1, KernelNeedsGrid);
  KernelInfo info = {&code, "grid"};
  int none = 0;
  LaunchRequest r = request(info, 3, none);
  r.cooperative = true;
  testing::internal::CaptureStderr();
  device->launch(queue, r);
  device->synchronize(queue);
  std::string report = testing::internal::GetCapturedStderr();
  EXPECT_HAS(report, "2 blocks wait at a grid barrier and 1 have ended");
  EXPECT_EQ(device->fault(), Fault::Trap);
}

/// Block 0 faults; the others would run for ever.
void spinForever(Block *block) {
  auto *p = params<volatile int *>(block);
  if (block->blockIdx[0] == 0)
    *p = 1;
  for (volatile bool on = true; on;)
    ;
}

TEST_F(FaultTest, StopsTheOtherBlocks) {
  int *null = nullptr;
  reportOf(plainKernel<spinForever>(), "spin", 64, null, Fault::IllegalAddress);
}

void printBad(Block *block) {
  const char *bad = reinterpret_cast<const char *>(16);
  block->launch->services->print(block, "%s", &bad);
}

TEST_F(FaultTest, SurvivesBadPointerGivenToPrintf) {
  reportOf(plainKernel<printBad>(), "print", 4, 0, Fault::IllegalAddress);
  device->reset();
  bool ran = false;
  device->runNow(queue, [&] { ran = true; });
  EXPECT_TRUE(ran);
}

void freeTwice(Block *block) {
  void *p = block->launch->services->allocate(block, 100);
  block->launch->services->release(block, p);
  block->launch->services->release(block, p);
}

TEST_F(FaultTest, ReportsDoubleFree) {
  EXPECT_HAS(reportOf(plainKernel<freeTwice>(), "twice", 1, 0, Fault::Trap), "was freed before");
}

TEST_F(FaultTest, LeavesOtherFaultsToTheirHandler) {
  EXPECT_DEATH(*static_cast<volatile int *>(nullptr) = 1, "");
}

} // namespace
