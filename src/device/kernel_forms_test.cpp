// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that go from form to form: every block once, the faster form in the end.
#include "base/machine/test_clock.h"
#include "device/cpu/launch_fixture.h"
#include "device/kernel_forms.h"

#include <vector>

using namespace heddle;
using namespace heddle::device;
using namespace heddle::device::test;

namespace {

struct Owner final : KernelForms::Owner {
  std::atomic<unsigned> wants{0}, decisions{0};
  void wantForm(KernelForms &) override { ++wants; }
  void decided(KernelForms &) override { ++decisions; }
};

struct Params {
  uint32_t *counts;
  std::atomic<uint64_t> *inOther; ///< blocks that ran in the form that is offered
};

template <unsigned Nanoseconds> void countBlock(Block *block) {
  heddle::test::TestClock::passTime(Nanoseconds);
  __atomic_fetch_add(&params<Params>(block).counts[linearBlock(block)], 1, __ATOMIC_RELAXED);
}
template <unsigned Nanoseconds> void countInOther(Block *block) {
  ++*params<Params>(block).inOther;
  countBlock<Nanoseconds>(block);
}

class KernelFormsTest : public LaunchTest {
protected:
  heddle::test::TestClock clock;
  Owner owner;
  std::atomic<uint64_t> inOther{0};

  /// One launch, of which each block must run once.
  void launchOnce(KernelForms &forms, uint32_t blocks) {
    std::vector<uint32_t> counts(blocks);
    Params p = {counts.data(), &inOther};
    LaunchRequest r = request(forms.best(), blocks, p);
    r.forms = &forms;
    run(r);
    for (uint32_t i = 0; i < blocks; ++i)
      ASSERT_EQ(counts[i], 1u) << i << " of " << blocks;
  }
  void launchUntilDecided(KernelForms &forms) {
    unsigned before = owner.decisions;
    for (uint32_t i = 0; owner.decisions == before; ++i)
      ASSERT_NO_FATAL_FAILURE(launchOnce(forms, 1 + i * 37 % 5000));
  }
};

constexpr unsigned Short = 100, Long = 20'000; // ns

TEST_F(KernelFormsTest, ChangesToTheFasterForm) {
  KernelCode slow = plainKernel<countBlock<Long>>(), fast = plainKernel<countInOther<Short>>();
  KernelInfo slowInfo = {&slow, "k"}, fastInfo = {&fast, "k"};
  KernelForms forms(owner, slowInfo);
  launchOnce(forms, 100);
  EXPECT_EQ(inOther, 0u);
  forms.offer(fastInfo);
  launchUntilDecided(forms);
  EXPECT_EQ(&forms.best(), &fastInfo);
  EXPECT_GT(forms.advantage(), 2);
  uint64_t before = inOther;
  launchOnce(forms, 1000);
  EXPECT_EQ(inOther, before + 1000);
}

TEST_F(KernelFormsTest, KeepsTheFasterForm) {
  KernelCode fast = plainKernel<countBlock<Short>>(), slow = plainKernel<countInOther<Long>>();
  KernelInfo fastInfo = {&fast, "k"}, slowInfo = {&slow, "k"};
  KernelForms forms(owner, fastInfo);
  forms.offer(slowInfo);
  launchUntilDecided(forms);
  EXPECT_EQ(&forms.best(), &fastInfo);
  EXPECT_GT(inOther, 0u);
}

TEST_F(KernelFormsTest, GivesUpWhatIsHopelessAtOnce) {
  KernelCode fast = plainKernel<countBlock<Short>>(), slow = plainKernel<countInOther<5'000'000>>();
  KernelInfo fastInfo = {&fast, "k"}, slowInfo = {&slow, "k"};
  KernelForms forms(owner, fastInfo);
  forms.offer(slowInfo);
  while (owner.decisions == 0)
    ASSERT_NO_FATAL_FAILURE(launchOnce(forms, 1));
  EXPECT_EQ(&forms.best(), &fastInfo);
  EXPECT_EQ(inOther, 1u);
}

TEST_F(KernelFormsTest, MeasuresLaunchesOfOneBlock) {
  KernelCode slow = plainKernel<countBlock<Long>>(), fast = plainKernel<countInOther<Short>>();
  KernelInfo slowInfo = {&slow, "k"}, fastInfo = {&fast, "k"};
  KernelForms forms(owner, slowInfo);
  forms.offer(fastInfo);
  while (owner.decisions == 0)
    ASSERT_NO_FATAL_FAILURE(launchOnce(forms, 1));
  EXPECT_EQ(&forms.best(), &fastInfo);
}

TEST_F(KernelFormsTest, AsksOnceWhenTimeIsUsedUp) {
  KernelCode code = plainKernel<countBlock<Long>>();
  KernelInfo info = {&code, "k"};
  KernelForms forms(owner, info);
  forms.askAfter(1);
  for (int i = 0; i < 20; ++i)
    launchOnce(forms, 100);
  EXPECT_EQ(owner.wants, 1u);
  EXPECT_GT(forms.used(), 0u);
}

/// Static shared memory of the form, all of which it writes, behind it the dynamic one.
template <uint32_t Static> void fillShared(Block *block) {
  const Launch &launch = *block->launch;
  bool isRight = launch.sharedBytes == Static + launch.dynamicSharedBytes;
  std::memset(block->shared, 7, Static + launch.dynamicSharedBytes);
  __atomic_fetch_add(&params<Params>(block).counts[linearBlock(block)], isRight ? 1 : 1000,
                     __ATOMIC_RELAXED);
}

TEST_F(KernelFormsTest, GivesEachFormItsSharedMemory) {
  constexpr uint32_t Small = 16, Large = 1 << 20;
  KernelCode small = plainKernel<fillShared<Small>>(), large = plainKernel<fillShared<Large>>();
  small.staticShared = Small;
  large.staticShared = Large;
  KernelInfo smallInfo = {&small, "k"}, largeInfo = {&large, "k"};
  KernelForms forms(owner, smallInfo);
  forms.offer(largeInfo);
  launchUntilDecided(forms);
}

TEST_F(KernelFormsTest, LeavesOutFormsForOtherAddresses) {
  KernelCode code = plainKernel<countBlock<Short>>(), aligned = plainKernel<countInOther<Short>>();
  const uint32_t pairs[] = {offsetof(Params, counts), 1u << 31, 0, 0}; // which nothing is
  aligned.alignedParams = pairs;
  KernelInfo info = {&code, "k"}, alignedInfo = {&aligned, "k"};
  KernelForms forms(owner, info);
  forms.offer(alignedInfo);
  for (int i = 0; i < 20; ++i)
    launchOnce(forms, 1000);
  EXPECT_EQ(inOther, 0u);
}

TEST(KernelForms, TakeTurnsWhereBlocksAreOnTheirOwn) {
  KernelCode plain = {}, other = {};
  EXPECT_TRUE(mayTakeTurns(plain, other));
  other.band = 1;
  EXPECT_TRUE(mayTakeTurns(plain, other));
  other.band = 4;
  EXPECT_FALSE(mayTakeTurns(plain, other)) << "another order of blocks";
  for (uint32_t flag : {KernelMaySpin, KernelNeedsGrid, KernelInOrder, KernelFibers}) {
    KernelCode flagged = {};
    flagged.flags = flag;
    EXPECT_FALSE(mayTakeTurns(flagged, flagged)) << flag;
    EXPECT_FALSE(mayTakeTurns(plain, flagged)) << flag;
  }
  KernelCode flushes = {};
  flushes.flags = KernelFlushDenormals;
  EXPECT_TRUE(mayTakeTurns(flushes, flushes));
  EXPECT_FALSE(mayTakeTurns(plain, flushes));
}

} // namespace
