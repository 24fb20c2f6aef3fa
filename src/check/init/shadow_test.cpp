// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/init/shadow.h"

#include <gtest/gtest.h>

namespace heddle::check {

namespace {

constexpr uint64_t Mega = uint64_t(1) << 20;

/// Addresses are only numbers here: nothing is accessed but the shadow.
struct InitShadowTest : testing::Test {
  uint8_t *memory = reinterpret_cast<uint8_t *>(uintptr_t(1) << 44);
  InitShadow shadow{{memory, 1024 * Mega}};
};

TEST_F(InitShadowTest, KnowsEachByte) {
  ASSERT_TRUE(shadow.isReserved());
  EXPECT_EQ(shadow.unwritten(memory, 100), 0u); // nothing is allocated
  shadow.begin(memory + 256, 100);
  EXPECT_EQ(shadow.unwritten(memory + 256, 100), 100u);
  EXPECT_EQ(shadow.unwritten(memory + 246, 20), 10u);
  shadow.write(memory + 260, 3);
  EXPECT_EQ(shadow.unwritten(memory + 256, 100), 97u);
  EXPECT_EQ(shadow.unwritten(memory + 260, 3), 0u);
  shadow.end(memory + 256);
  EXPECT_EQ(shadow.unwritten(memory + 256, 100), 0u);
}

TEST_F(InitShadowTest, FollowsCopies) {
  uint8_t *a = memory + 4096, *b = memory + 8192, *other = memory + 16384, host[64];
  shadow.begin(a, 64), shadow.begin(b, 64);
  shadow.write(a, 10);
  shadow.copy(b, a, 64);
  EXPECT_EQ(shadow.unwritten(b, 64), 54u);
  shadow.copy(b, host, 20);
  EXPECT_EQ(shadow.unwritten(b, 64), 44u);
  shadow.copy(b + 4, b, 60); // over itself
  EXPECT_EQ(shadow.unwritten(b, 64), 40u);
  shadow.copy(host, a, 64);
  shadow.copy(other, a, 64); // memory of no allocation that is looked at
  EXPECT_EQ(shadow.unwritten(other, 64), 0u);
}

TEST_F(InitShadowTest, KnowsWhatNeedNotBeLookedAt) {
  uint8_t *a = memory + 4096, *b = a + 256;
  shadow.begin(a, 256), shadow.begin(b, 64);
  EXPECT_TRUE(shadow.mustTrack(a));
  shadow.write(a, 256);
  EXPECT_FALSE(shadow.mustTrack(a));
  EXPECT_FALSE(shadow.mustTrack(a + 100));
  EXPECT_TRUE(shadow.mustTrack(b));
  shadow.write(b, 64);
  EXPECT_FALSE(shadow.mustTrack(b));
  uint8_t *fresh = b + 4096;
  shadow.begin(fresh, 16);
  shadow.copy(b, fresh, 16);
  EXPECT_TRUE(shadow.mustTrack(b)); // what was not written has come there
  EXPECT_TRUE(shadow.mustTrack(b + 64)) << "behind an allocation: it may be its end";
  EXPECT_FALSE(shadow.mustTrack(reinterpret_cast<void *>(uintptr_t(4096))));
}

/// The end of one is the start of another.
TEST_F(InitShadowTest, LooksInFrontOfAStart) {
  uint8_t *a = memory + 4096, *b = a + 256;
  shadow.begin(a, 256), shadow.begin(b, 64);
  shadow.write(b, 64);
  EXPECT_TRUE(shadow.mustTrack(b));
  EXPECT_FALSE(shadow.mustTrack(b + 1));
}

TEST_F(InitShadowTest, TakesLittleMemoryForMuch) {
  uint8_t *a = memory + Mega + 512;
  shadow.begin(a, 80 * Mega);
  EXPECT_EQ(*shadow.shadowOf(a), 0xff);
  EXPECT_EQ(*shadow.shadowOf(a + 80 * Mega - 1), 0xff);
  EXPECT_EQ(*shadow.shadowOf(a + 50 * Mega), 0xff);
  EXPECT_EQ(*shadow.shadowOf(a - 1), 0);
  EXPECT_EQ(*shadow.shadowOf(a + 80 * Mega), 0);
  shadow.write(a + 60 * Mega, Mega);
  EXPECT_EQ(shadow.unwritten(a + 59 * Mega, 3 * Mega), 2 * Mega);
  shadow.endAll();
  EXPECT_EQ(shadow.unwritten(a, 80 * Mega), 0u);
}

} // namespace

} // namespace heddle::check
